// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/common/ChunkedRows.hpp>
#include <tessera/common/Complex.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/MatrixStatistics.hpp>

#include "CudaChunkedItems.hpp"
#include "csr/chunked/Spmm.hpp"
#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "gpu/CudaPanels.hpp"

namespace Tessera::Impl {

/// Multiplies compressed rows against chunks of X in shared memory, on CUDA cores, for real numbers. The plan stores
/// the position in each row where each chunk begins.
template <class Scalar>
class CudaChunked : public CudaKernel<CudaChunked<Scalar>, Scalar> {
  using Base = CudaKernel<CudaChunked, Scalar>;
  using typename Base::Memory;

 public:
  static constexpr const char* label = "Tessera::chunked_spmm";

  /// Whether a plan with these options uses chunks.
  static bool pays(const Kokkos::Cuda& exec, const Csr<Memory>& A, const PlanOptions& options) {
    // A column-major X is copied in panels.
    const int at_once = options.hints.layout_left ? std::min(options.hints.num_vectors, int(cuda_panel_columns))
                                                  : options.hints.num_vectors;
    const ChunkedProblem problem{static_cast<double>(A.rows), static_cast<double>(A.columns),
                                 static_cast<double>(A.nonzeros), static_cast<double>(at_once), sizeof(Scalar)};
    return !is_complex_v<Scalar> && !options.half_vectors && chunks_pay(problem, chunked_machine(exec));
  }

  /// Builds the schedule.
  /// \return false for complex numbers, or if no row of X fits in shared memory
  bool build(const Kokkos::Cuda& exec, const Csr<Memory>& A) {
    pattern_ = A.view();
    const auto empty = Cuda::chunked_schedule(pattern_, A.nonzeros, chunked_machine(exec));
    if (is_complex_v<Scalar> || empty.chunks.rows == 0) return false;
    schedule_ = empty;
    items_ = chunked_items(exec, pattern_, schedule_);
    schedule_.items = items_.data();
    return true;
  }

  bool is_built() const { return schedule_.items != nullptr; }
  std::string describe() const { return "compressed rows against chunks of X in shared memory on CUDA cores"; }
  std::size_t bytes() const { return items_.extent(0) * sizeof(Cuda::ChunkedItem); }

  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::chunked_x_access;
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    return Cuda::chunked_workspace_bytes(schedule_, x);
  }
  void launch(Cuda::Stream stream, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    if constexpr (!is_complex_v<Scalar>) Cuda::chunked_spmm(stream, pattern_, schedule_, product, scratch);
  }

 private:
  CsrPattern<Offset> pattern_;
  Cuda::ChunkedSchedule schedule_;
  Array<Cuda::ChunkedItem*, Memory> items_;
};

}  // namespace Tessera::Impl
