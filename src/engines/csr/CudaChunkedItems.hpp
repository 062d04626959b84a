// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/KeyedSlots.hpp>

#include "csr/chunked/Schedule.hpp"
#include "gpu/CudaLaunches.hpp"

namespace Tessera::Impl {

/// Returns the entries of each row of A in each chunk of X, the longest rows first. Does not wait.
inline auto chunked_items(const Kokkos::Cuda& exec, const CsrPattern<Offset>& A,
                          const Cuda::ChunkedSchedule& schedule) {
  using Items = Array<Cuda::ChunkedItem*, Kokkos::Cuda::memory_space>;
  SlotSort<Kokkos::Cuda, Ordinal> by_length(exec, static_cast<std::size_t>(A.rows));
  auto items = allocate<Items>(exec, "Tessera::ChunkedSchedule::items", schedule.item_count());
  {
    const CudaLaunches launches("Tessera::number_rows_by_length", exec);
    Cuda::number_rows_by_length(launches.stream(), A, by_length.keys.data(), by_length.slots.data());
  }
  const auto order = by_length.sort(exec, key_bits(A.columns));
  const CudaLaunches launches("Tessera::fill_chunked_items", exec);
  Cuda::fill_chunked_items(launches.stream(), A, schedule, order.data(), items.data());
  return items;
}

}  // namespace Tessera::Impl
