// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/Choose.hpp>
#include <type_traits>

#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "gpu/DeviceSchedule.hpp"
#include "staged/StagedWindows.hpp"
#include "staged/cuda/Choice.hpp"
#include "staged/cuda/Spmm.hpp"

namespace Tessera::Impl {

/// Multiplies staged windows on tensor cores, with rows of X staged in shared memory. Only doubles have a kernel.
template <class Scalar>
class CudaStaged : public CudaKernel<CudaStaged<Scalar>, Scalar> {
  using Base = CudaKernel<CudaStaged, Scalar>;
  using typename Base::Memory;
  using Schedule = DeviceSchedule<Cuda::CondensedItem, Memory>;

 public:
  static constexpr const char* label = "Tessera::staged_spmm";
  static constexpr bool is_double = std::is_same_v<Scalar, double>;

  /// Returns the shape with which the kernel is fastest.
  static StagedShape shape_for(const Kokkos::Cuda& exec, const MatrixStatistics& m) {
    return Cuda::choose_staged({m.rows, m.nonzeros, m.window64_columns, m.vector_columns}, device_of(exec));
  }

  /// \return false for scalars other than double, and for windows or chunks that do not fit the kernel
  bool build(const Kokkos::Cuda& exec, const StagedWindows<Memory>& A, const PlanOptions&, const KernelPolicy& policy) {
    policy.replace({});  // only the parameters of the format can be changed
    const StagedShape kernel = Cuda::choose_staged({});
    const StagedShape& shape = A.shape;
    if (!is_double || A.tiles() == 0 || shape.window_rows != kernel.window_rows ||
        shape.chunk_slots != kernel.chunk_slots)
      return false;
    if (Cuda::staged_shared_bytes(A.counts.most_tile_bytes, A.counts.most_value_bytes) >
        exec.cuda_device_prop().sharedMemPerBlockOptin)
      return false;
    pattern_ = A.view();
    schedule_ = schedule_windows(exec, A.window_offsets, shape.piece_chunks, Cuda::PieceCut::Full);
    // A GPU runs few thread blocks: all would wait for the longest piece if it were the last one.
    put_longest_first(exec, schedule_);
    return true;
  }

  std::string describe() const {
    return "windows of " + std::to_string(pattern_.window_rows) +
           " rows, whose rows of X are staged in shared memory, on tensor cores";
  }
  std::size_t bytes() const { return schedule_.bytes(); }

  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::staged_x_access;
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    return Cuda::staged_workspace_bytes(pattern_, schedule_.view(), x);
  }
  void launch(Cuda::Stream stream, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    if constexpr (is_double) Cuda::staged_spmm(stream, pattern_, Precision::Native, schedule_.view(), product, scratch);
  }

 private:
  StagedPattern pattern_;
  Schedule schedule_;
};

}  // namespace Tessera::Impl
