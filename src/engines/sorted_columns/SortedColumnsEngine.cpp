// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SortedColumnsSpmm.hpp"
#include "StoredEngine.hpp"
#include "sorted_columns/SortedColumns.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include <algorithm>
#include <cstdint>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <vector>

#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "sorted_columns/cuda/Spmm.hpp"

namespace Tessera::Impl {

/// Multiplies sorted columns on CUDA cores. The plan stores lists of the slots that are summed in each row. The lists
/// need up to about 4 bytes and an offset for each nonzero.
template <class Scalar>
class CudaSortedColumns : public CudaKernel<CudaSortedColumns<Scalar>, Scalar> {
  using Base = CudaKernel<CudaSortedColumns, Scalar>;
  using typename Base::Memory;

 public:
  static constexpr const char* label = "Tessera::sorted_columns_spmm";

  /// \return false if there is not enough memory for the lists
  ///
  /// Cost: one host thread builds the lists from a copy of the pattern, and sorts the elements of each group by row:
  /// some tens of nanoseconds per nonzero.
  bool build(const Kokkos::Cuda& exec, const SortedColumns<Memory>& A, const PlanOptions&, const KernelPolicy& policy) {
    if (A.nonzeros == 0) return false;
    pattern_ = A.view();
    int steps = Cuda::sorted_columns_group_steps(A.width), width = 0, by_elements = 0;
    const int most_steps = Cuda::sorted_columns_most_elements / std::max(A.width, 1);
    policy.replace({{"steps", steps, 1, most_steps}, {"by_elements", by_elements, 0, 1}, {"width", width}});
    const auto rule = by_elements == 0 ? Cuda::SegmentRule::Rows : Cuda::SegmentRule::Elements;
    const auto made = host_schedule(exec, A, steps, rule);
    sizes_ = made.view();
    sizes_.width = width;
    const std::size_t bytes = bytes_of(made.step_positions, made.places, made.group_segments, made.segment_ends,
                                       made.row_offsets, made.row_slots, made.long_rows);
    return if_there_is_room(exec, bytes, [&] {
      copy_at_once(exec, "Tessera::SortedColumnsSchedule", TableCopy{made.group_segments, group_segments_},
                   TableCopy{made.row_offsets, row_offsets_}, TableCopy{made.row_slots, row_slots_},
                   TableCopy{made.step_positions, step_positions_}, TableCopy{made.long_rows, long_rows_},
                   TableCopy{made.places, places_}, TableCopy{made.segment_ends, segment_ends_});
    });
  }

  std::string describe() const { return "sorted columns on CUDA cores"; }

  std::size_t bytes() const {
    return bytes_of(step_positions_, places_, group_segments_, segment_ends_, row_offsets_, row_slots_, long_rows_);
  }

  // Copies X even if the kernel could read it in place, because panels limit the scratch memory (a row per slot).
  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::XAccess::Copies;
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    return Cuda::sorted_columns_workspace_bytes(pattern_, schedule(), x);
  }
  void launch(Cuda::Stream stream, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    Cuda::sorted_columns_spmm(stream, pattern_, Precision::Native, schedule(), product, scratch);
  }

 private:
  static Cuda::HostSortedColumnsSchedule host_schedule(const Kokkos::Cuda& exec, const SortedColumns<Memory>& A,
                                                       int steps, Cuda::SegmentRule rule) {
    const auto block_offsets = host_copy(exec, A.block_offsets);
    const auto block_positions = host_copy(exec, A.block_positions);
    const auto row_indices = host_copy(exec, A.row_indices);
    const auto piece_offsets = host_copy(exec, A.piece_offsets);
    SortedColumnsPattern host = A.view();
    host.block_offsets = block_offsets.data();
    host.block_positions = block_positions.data();
    host.row_indices = row_indices.data();
    host.piece_offsets = piece_offsets.data();
    return Cuda::build_sorted_columns_schedule(host, steps, rule);
  }

  template <class... Arrays>
  static std::size_t bytes_of(const Arrays&... arrays) {
    return ((std::size(arrays) * sizeof(*arrays.data())) + ...);
  }

  Cuda::SortedColumnsSchedule schedule() const {
    Cuda::SortedColumnsSchedule schedule = sizes_;
    schedule.step_positions = step_positions_.data();
    schedule.places = places_.extent(0) > 0 ? places_.data() : nullptr;
    schedule.group_segments = group_segments_.data();
    schedule.segment_ends = segment_ends_.data();
    schedule.row_offsets = row_offsets_.data();
    schedule.row_slots = row_slots_.data();
    schedule.long_rows = long_rows_.data();
    return schedule;
  }

  SortedColumnsPattern pattern_;
  Cuda::SortedColumnsSchedule sizes_;  // without pointers
  Array<Ordinal*, Memory> step_positions_, long_rows_;
  Array<std::uint16_t*, Memory> places_, segment_ends_;
  Array<Offset*, Memory> group_segments_, row_offsets_, row_slots_;
};

}  // namespace Tessera::Impl
#endif

namespace Tessera::Impl {

#define TESSERA_INSTANTIATE(Exec, M, V) \
  template void portable_spmm(const Exec&, const SortedColumnsPattern&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<SortedColumnsEngine, Scalar, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)
}  // namespace Tessera::Impl
