// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SortedColumnsSpmm.hpp"
#include "StoredEngine.hpp"
#include "sorted_columns/SortedColumns.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include <algorithm>
#include <cstdint>
#include <string>
#include <tessera/PlanOptions.hpp>

#include "DeviceColumnsSchedule.hpp"
#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "sorted_columns/cuda/Spmm.hpp"

namespace Tessera::Impl {

/// Multiplies sorted columns on CUDA cores. The plan stores lists of the slots that are summed in each row. The lists
/// need up to about 8 bytes for each nonzero.
template <class Scalar>
class CudaSortedColumns : public CudaKernel<CudaSortedColumns<Scalar>, Scalar> {
  using Base = CudaKernel<CudaSortedColumns, Scalar>;
  using typename Base::Memory;

 public:
  static constexpr const char* label = "Tessera::sorted_columns_spmm";

  /// \return false if there is not enough memory for the lists, or to sort them
  ///
  /// Cost: that of schedule_columns(), two radix sorts.
  bool build(const Kokkos::Cuda& exec, const SortedColumns<Memory>& A, const PlanOptions&, const KernelPolicy& policy) {
    if (A.nonzeros == 0) return false;
    pattern_ = A.view();
    int steps = Cuda::sorted_columns_group_steps(A.width), width = 0, by_elements = 0;
    const int most_steps = Cuda::sorted_columns_most_elements / std::max(A.width, 1);
    policy.replace({{"steps", steps, 1, most_steps}, {"by_elements", by_elements, 0, 1}, {"width", width}});
    const auto rule = by_elements == 0 ? Cuda::SegmentRule::Rows : Cuda::SegmentRule::Elements;
    // Without a memory limit, if_there_is_room() wants twice these bytes to be free: enough to sort, too.
    const std::size_t bytes = most_bytes(A), sorted_bytes = 24 * A.nonzeros;
    return if_there_is_room(exec, std::max(bytes, (bytes + sorted_bytes) / 2), [&] {
      schedule_ = schedule_columns(exec, A, steps, rule);
      schedule_.sizes.width = width;
    });
  }

  std::string describe() const { return "sorted columns on CUDA cores"; }

  std::size_t bytes() const { return schedule_.bytes(); }

  // Copies X even if the kernel could read it in place, because panels limit the scratch memory (a row per slot).
  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::XAccess::Copies;
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    return Cuda::sorted_columns_workspace_bytes(pattern_, schedule_.view(), x);
  }
  void launch(Cuda::Stream stream, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    Cuda::sorted_columns_spmm(stream, pattern_, Precision::Native, schedule_.view(), product, scratch);
  }

 private:
  /// Returns the bytes of a schedule with a slot for each nonzero. It has no more, except a few for long rows.
  static std::size_t most_bytes(const SortedColumns<Memory>& A) {
    const std::size_t regular = A.tiled_nonzeros(), steps = regular / static_cast<std::size_t>(A.width);
    const std::size_t rows = static_cast<std::size_t>(A.rows);
    return A.nonzeros * sizeof(Offset) + regular * 2 * sizeof(std::uint16_t) + steps * 2 * sizeof(Offset) +
           (rows + 2) * sizeof(Offset);
  }

  SortedColumnsPattern pattern_;
  DeviceColumnsSchedule<Memory> schedule_;
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
