// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <vector>

#include "csr/cuda/Policy.hpp"
#include "csr/cuda/Schedule.hpp"

// Needs no GPU to run: two of the three rows are cut into pieces.
int main() {
  const std::vector<int> row_offsets{0, 5, 6, 15};
  const Tessera::Impl::CsrPattern<int> A{3, 10, row_offsets.data(), nullptr};
  const auto size = Tessera::Impl::Cuda::count_csr_schedule(A, 4);
  const auto memory = Tessera::Impl::Cuda::fill_csr_schedule(A, size);
  std::cout << size.long_rows << " long rows, " << size.pieces << " pieces\n";
  return size.long_rows == 2 && size.pieces == 5 && memory.size() == size.memory_size() &&
                 Tessera::Impl::Cuda::is_valid(Tessera::Impl::Cuda::choose_csr_policy({}))
             ? 0
             : 1;
}
