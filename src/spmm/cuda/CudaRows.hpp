// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/cuda/CsrSpmm.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "CudaLaunches.hpp"

namespace Tessera::Impl {

/// Compressed rows on CUDA cores: which rows are cut into pieces.
template <class Scalar, class Offset>
struct CudaRows {
  using Memory = Kokkos::Cuda::memory_space;

  Cuda::CsrSchedule schedule;
  Kokkos::View<Ordinal*, Memory> memory;  // of the schedule

  void build(const Kokkos::Cuda& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
    const auto counters = allocate<Kokkos::View<unsigned long long*, Memory>>(exec, "Tessera::counters",
                                                                              std::size_t(Cuda::csr_schedule_counters));
    const CudaLaunches launches("Tessera::csr_schedule", exec);
    const auto size =
        Cuda::count_csr_schedule(exec.cuda_stream(), A, Cuda::csr_piece_length(nonzeros), counters.data());
    memory = allocate<decltype(memory)>(exec, "Tessera::CsrSchedule", size.memory_size());
    Cuda::fill_csr_schedule(exec.cuda_stream(), A, size, counters.data(), memory.data());
    exec.fence("Tessera::CudaRows::build");  // the counters go
    schedule = Cuda::CsrSchedule(size, memory.data());
  }

  bool is_built() const { return schedule.size.piece_length > 0; }
  std::string describe() const { return "compressed rows on CUDA cores"; }

  std::size_t bytes() const { return memory.extent(0) * sizeof(Ordinal); }
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns, std::size_t vector_bytes) const {
    return Cuda::csr_workspace_bytes(schedule.size, x_rows, columns, vector_bytes);
  }

  template <class VectorScalar>
  void multiply(const Kokkos::Cuda& exec, const CsrPattern<Offset>& A, const Product<Scalar, VectorScalar>& product,
                const Scratch& scratch) const {
    const CudaLaunches launches("Tessera::csr_spmm", exec);
    Cuda::csr_spmm(exec.cuda_stream(), A, schedule, product, scratch);
  }
};

}  // namespace Tessera::Impl
