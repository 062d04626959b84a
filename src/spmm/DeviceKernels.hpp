// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/common/MemoryLimit.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/format/AnyFormat.hpp>
#include <tessera/io/impl/Memory.hpp>
#include <tessera/select/Choose.hpp>
#include <tessera/spmm/PlanOptions.hpp>

/// Kernels that are made for one kind of device, in place of those that run on all.
namespace Tessera::Impl {

/// Bytes that they keep beside a format, if there is room, and take while they are built.
struct KernelMemory {
  double kept = 0;
  double built = 0;
  double least = 0;  ///< in any case
};

/// What such kernels keep beside a format, of A or of its transpose, and their products: nothing, where there are none.
template <class Scalar, class Offset, class ExecutionSpace>
struct DeviceKernels {
  using Memory = typename ExecutionSpace::memory_space;

  /// Whether products of matrices and vectors of this type can be had in a precision.
  static bool has(const ExecutionSpace&, Precision precision) { return precision == Precision::Native; }

  /// Why plans with these options cannot have the kernel of a format's paper; empty if they can.
  static std::string published_fault(const ExecutionSpace&, const PlanOptions&, Format) {
    return std::string("plans on ") + ExecutionSpace::name() +
           " do not have them; expected Kokkos::Cuda, and Tessera with its component Cuda";
  }

  /// Those of a format, with what suits the kernels in place of what the user leaves open.
  static FormatParameters parameters(const PlanOptions& options) { return options.parameters; }

  /// The same, once the matrix was counted.
  static FormatParameters parameters(const ExecutionSpace&, const PlanOptions& options, const MatrixStatistics&) {
    return options.parameters;
  }

  /// What predictions of their times go by.
  static MachineModel model(const ExecutionSpace& exec, const PlanOptions&) {
    return MachineModel().times(exec.concurrency());
  }

  /// What predictions of a candidate's time ask for.
  ///
  /// \param candidate [in] with the number of its tiles, if it has any
  static KernelMemory memory(const ExecutionSpace&, Kernel, const Candidate&, const MatrixStatistics&) { return {}; }

  /// The device that predictions are for.
  static std::string device_name(const ExecutionSpace& exec) {
    return std::string(exec.name()) + ", concurrency " + std::to_string(exec.concurrency());
  }

  /// What can still be allocated, where that is known.
  static std::size_t free_bytes(const ExecutionSpace&) {
    return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible ? available_memory() : no_memory_limit;
  }

  /// For a format whose values are yet to come; within options.memory_limit.
  void build(const ExecutionSpace&, const AnyFormat<Offset, Memory>&, const PlanOptions&) {}

  /// Whether they multiply by the kernel of the format's paper, which was asked for.
  bool is_published() const { return false; }

  /// What multiplies, for Plan::explain(); empty where there is no choice.
  std::string describe() const { return {}; }

  /// New values are there, in the order of the format.
  void refill(const ExecutionSpace&, const Scalar*) const {}

  std::size_t bytes() const { return 0; }
  std::size_t scratch_bytes(Ordinal /*x_rows*/, Ordinal /*columns*/) const { return 0; }

  /// Computes the product, or leaves it to the kernels that run on all devices and returns false.
  template <class VectorScalar>
  bool multiply(const ExecutionSpace&, const AnyFormat<Offset, Memory>&, const Product<Scalar, VectorScalar>&,
                const Scratch&) const {
    return false;
  }
};

/// Bytes that the kernels of a format take in any case, with so many tiles.
template <class Scalar, class Offset, class ExecutionSpace>
std::size_t least_kernel_bytes(const ExecutionSpace& exec, Kernel kernel, Format format, double tiles,
                               const MatrixStatistics& m) {
  Candidate candidate;
  candidate.format = format;
  candidate.tiles = tiles;
  return static_cast<std::size_t>(
      DeviceKernels<Scalar, Offset, ExecutionSpace>::memory(exec, kernel, candidate, m).least);
}

}  // namespace Tessera::Impl

#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "cuda/CudaKernels.hpp"
#endif
