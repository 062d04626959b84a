// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PortableSpmm.hpp"
#include "StoredEngine.hpp"
#include "row_groups/RowGroups.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include <bit>
#include <cstdint>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/RadixSort.hpp>
#include <tessera/select/MatrixStatistics.hpp>
#include <type_traits>

#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "gpu/DeviceSchedule.hpp"
#include "row_groups/cuda/Spmm.hpp"

namespace Tessera::Impl {

/// The result of Cuda::build_row_groups_schedule(), on the device.
struct CudaRowGroupsSchedule {
  using Memory = Kokkos::Cuda::memory_space;

  Array<Cuda::RowGroupItem*, Memory> items;
  Array<Cuda::RowGroupSum*, Memory> sums;
  int slots = 0;
  int width = 0;  // RowGroupsSchedule::width

  Cuda::RowGroupsSchedule view() const {
    return {
        static_cast<int>(items.extent(0)), static_cast<int>(sums.extent(0)), slots, items.data(), sums.data(), width};
  }
  std::size_t bytes() const {
    return items.extent(0) * sizeof(Cuda::RowGroupItem) + sums.extent(0) * sizeof(Cuda::RowGroupSum);
  }
};

/// Returns the number of columns of the widest group. Waits for `exec`.
static double longest_group(const Kokkos::Cuda& exec, const RowGroupsPattern& A) {
  double longest = 0;
  Kokkos::parallel_reduce(
      "Tessera::longest_group", IndexPolicy<Kokkos::Cuda>(exec, 0, static_cast<std::size_t>(A.groups)),
      KOKKOS_LAMBDA(std::size_t group, double& most) {
        const auto columns = static_cast<double>(A.column_offsets[group + 1] - A.column_offsets[group]);
        most = columns > most ? columns : most;
      },
      Kokkos::Max<double>(longest));
  exec.fence("Tessera::longest_group");
  return A.groups > 0 ? longest : 0;
}

/// Does the same as Cuda::build_row_groups_schedule() on the device.
///
/// \throws std::length_error for more than 2^31 - 1 items. Waits for `exec`.
static CudaRowGroupsSchedule row_groups_schedule(const Kokkos::Cuda& exec, const RowGroupsPattern& A,
                                                 int piece_columns) {
  CudaRowGroupsSchedule result;
  if (A.groups == 0) return result;
  // Groups are cut by columns, just as windows are cut by tiles.
  const auto starts = start_schedule(exec, Cuda::WindowCuts{A.column_offsets, A.groups, piece_columns});
  const auto all = read_element(exec, starts.data() + A.groups);
  const std::size_t count = Cuda::expect_countable_items("row_groups_schedule", all);
  result.items = allocate<decltype(result.items)>(exec, "Tessera::RowGroupsSchedule::items", count);
  result.sums =
      allocate<decltype(result.sums)>(exec, "Tessera::RowGroupsSchedule::sums", static_cast<std::size_t>(all.sums));
  result.slots = all.slots(A.groups);
  auto keys =
      allocate<Array<std::uint64_t*, Kokkos::Cuda::memory_space>>(exec, "Tessera::RowGroupsSchedule::keys", count);
  const auto made = result;
  const auto made_keys = keys;
  Kokkos::parallel_for(
      "Tessera::fill_row_groups_schedule", WindowPolicy<Kokkos::Cuda>(exec, 0, A.groups), KOKKOS_LAMBDA(Ordinal group) {
        const Cuda::ScheduleStart start = starts(group);
        const int first_slot = start.slots(group);
        const auto pieces = static_cast<int>(starts(group + 1).items - start.items);
        if (pieces > 1) made.sums(start.sums) = {A.first_rows[group], A.height(group), first_slot, pieces};
        for (int p = 0; p < pieces; ++p) {
          const Cuda::RowGroupItem item = Cuda::item_of_group(A, group, pieces, p, first_slot);
          made.items(start.items + p) = item;
          made_keys(start.items + p) = Cuda::row_groups_sort_key(item, group);
        }
      });
  const auto places = static_cast<unsigned>(A.groups / Cuda::schedule_sorted_groups);
  radix_sort(exec, keys, result.items, 0, Cuda::row_groups_sort_bits + static_cast<int>(std::bit_width(places)));
  return result;
}

/// Multiplies row groups on CUDA cores.
template <class Scalar>
class CudaRowGroups : public CudaKernel<CudaRowGroups<Scalar>, Scalar> {
  using Base = CudaKernel<CudaRowGroups, Scalar>;
  using Base::half_vectors_;
  using typename Base::Memory;

 public:
  static constexpr const char* label = "Tessera::row_groups_spmm";

  /// \return false if there are more columns or values than items can count
  bool build(const Kokkos::Cuda& exec, const RowGroups<Memory>& A, const PlanOptions& options,
             const KernelPolicy& policy) {
    if (!Cuda::row_groups_are_countable(A.tiles(), A.places())) return false;
    pattern_ = A.view();
    const int rows = options.parameters.group_rows;
    most_rows_ = rows > 0 ? rows : pattern_.most_rows;
    half_vectors_ = options.half_vectors;
    const double row_bytes =
        static_cast<double>(options.hints.num_vectors) * (half_vectors_ ? sizeof(Half) : sizeof(Scalar));
    int width = 0, piece_columns = Cuda::row_groups_piece_columns(
                       static_cast<double>(A.tiles()), longest_group(exec, pattern_), row_bytes, device_of(exec));
    policy.replace({{"piece", piece_columns, 4}, {"width", width}});
    if (piece_columns % 4 != 0)
      throw PolicyError("policy piece=" + std::to_string(piece_columns) + ": expected a multiple of 4");
    schedule_ = row_groups_schedule(exec, pattern_, piece_columns);
    schedule_.width = width;
    return true;
  }

  std::string describe() const { return "groups of up to " + std::to_string(most_rows_) + " rows on CUDA cores"; }
  std::size_t bytes() const { return schedule_.bytes(); }

  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::row_groups_x_access;
  }
  template <class VectorScalar>
  std::size_t workspace_bytes(const Multivector<const VectorScalar>& x) const {
    return Cuda::row_groups_workspace_bytes(schedule_.view(), x);
  }
  template <class VectorScalar>
  void launch(Cuda::Stream stream, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    Cuda::row_groups_spmm(stream, pattern_, schedule_.view(), product, scratch);
  }

  static constexpr bool has_half_kernels = std::is_same_v<Scalar, float>;
  static bool multiplies_halves() { return has_half_kernels; }
  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    constexpr bool has_kernel = std::is_same_v<Scalar, sum_of_t<VectorScalar>>;
    if constexpr (has_kernel) this->launch_panels(exec, product, scratch);
    return has_kernel;
  }

 private:
  RowGroupsPattern pattern_;
  int most_rows_ = RowGroupsPattern::most_rows;
  CudaRowGroupsSchedule schedule_;
};

}  // namespace Tessera::Impl
#endif

namespace Tessera::Impl {

#define TESSERA_INSTANTIATE(Exec, M, V) \
  template void portable_spmm(const Exec&, const RowGroupsPattern&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<RowGroupsEngine, Scalar, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)
}  // namespace Tessera::Impl
