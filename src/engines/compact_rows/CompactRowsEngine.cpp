// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PortableSpmm.hpp"
#include "StoredEngine.hpp"
#include "compact_rows/CompactRows.hpp"
#include "csr/DeviceRowsKernel.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include <algorithm>
#include <optional>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <type_traits>

#include "compact_rows/cuda/Spmm.hpp"
#include "csr/CsrKernelPolicy.hpp"
#include "csr/CudaCsrSchedule.hpp"
#include "gpu/CudaLaunches.hpp"

namespace Tessera::Impl {

/// Multiplies compact rows on CUDA cores. The plan stores the schedule of compressed rows.
template <class Scalar>
class CudaCompactRows {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  static std::string why_not_published(const PlanOptions&) { return {}; }

  /// \return true: the schedule is always built
  bool build(const Kokkos::Cuda& exec, const CompactRows<Memory>& A, const PlanOptions& options,
             const KernelPolicy& policy) {
    pattern_ = A.view();
    int piece = 0, chunks = 0, column_chunks = 0;
    launched_ = take_csr_policy(policy, piece, chunks, column_chunks);
    if (chunks + column_chunks != 0)
      throw PolicyError("policy chunks=1 or column_chunks=1: compact rows are not multiplied in chunks");
    const auto columns = static_cast<std::size_t>(std::max(options.hints.num_vectors, 1));
    schedule_.build(exec, {A.rows, A.columns, pattern_.row_offsets, nullptr}, A.nonzeros, A.summary,
                    columns * sizeof(Scalar), piece, options.same_bits_alone);
    return true;
  }

  Precision precision() const { return Precision::Native; }
  std::string describe() const { return "compressed rows with columns of 16 bits on CUDA cores"; }
  void refill(const Kokkos::Cuda&, const Scalar*, const std::uint32_t*) const {}

  std::size_t bytes() const { return schedule_.bytes(); }
  /// Returns the scratch memory. With vectors wider than the matrix, a product computes fewer columns at a time.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return Cuda::csr_workspace_bytes(schedule_.view().size, x_rows, columns, sizeof(Scalar));
  }

  bool multiplies_halves() const { return false; }
  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    constexpr bool has_kernel = !is_half_v<VectorScalar>;
    if constexpr (has_kernel) {
      const CudaLaunches launches("Tessera::compact_rows_spmm", exec);
      Cuda::compact_rows_spmm(launches.stream(), pattern_, schedule_.view(), product, scratch,
                              launched_ ? &*launched_ : nullptr);
    }
    return has_kernel;
  }

 private:
  CompactRowsPattern pattern_;
  CudaCsrSchedule schedule_;
  std::optional<Cuda::CsrPolicy> launched_;  // set by benchmarks only
};

}  // namespace Tessera::Impl
#endif

namespace Tessera::Impl {

#define TESSERA_INSTANTIATE(Exec, M, V) \
  template void portable_spmm(const Exec&, const CompactRowsPattern&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<CompactRowsEngine, Scalar, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)
}  // namespace Tessera::Impl
