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

/// The bytes that kernels of a device take besides the format.
struct KernelMemory {
  double kept = 0;   ///< what they keep if there is memory for all
  double built = 0;  ///< the most while they are built
  double least = 0;  ///< what they keep in any case
};

/// The kernels of a device for a stored matrix, and the data that they keep besides its format. This template is for
/// devices without kernels of their own: it keeps nothing and multiplies nothing.
template <class Scalar, class Offset, class ExecutionSpace>
struct DeviceKernels {
  using Memory = typename ExecutionSpace::memory_space;

  /// Whether there are kernels for matrices and vectors of this type in a precision.
  static bool has(const ExecutionSpace&, Precision precision) { return precision == Precision::Native; }

  /// A precision that is at least as accurate as the one that is asked for, and may be faster; else that one.
  static Precision wider_precision(const PlanOptions& options) { return options.precision; }

  /// Why plans with these options cannot have the kernel of a format's paper; empty if they can.
  static std::string published_fault(const ExecutionSpace&, const PlanOptions&, Format) {
    return std::string("plans on ") + ExecutionSpace::name() +
           " do not have them; expected Kokkos::Cuda, and Tessera with its component Cuda";
  }

  /// The parameters of formats: those that the user leaves open are set as the kernels want them.
  static FormatParameters parameters(const PlanOptions& options) { return options.parameters; }

  /// The same, when the statistics of the matrix are known.
  static FormatParameters parameters(const ExecutionSpace&, const PlanOptions& options, const MatrixStatistics&) {
    return options.parameters;
  }

  /// The model that predicts the times of these kernels.
  static MachineModel model(const ExecutionSpace& exec, const PlanOptions&) {
    return MachineModel().times(exec.concurrency());
  }

  /// The memory that the kernels of a candidate take.
  ///
  /// \param candidate [in] with the number of its tiles, if it has any
  static KernelMemory memory(const ExecutionSpace&, const PlanOptions&, const Candidate&, const MatrixStatistics&) {
    return {};
  }

  /// The device that predictions are for.
  static std::string device_name(const ExecutionSpace& exec) {
    return std::string(exec.name()) + ", concurrency " + std::to_string(exec.concurrency());
  }

  /// The bytes that can still be allocated; no_memory_limit if that is unknown.
  static std::size_t free_bytes(const ExecutionSpace&) {
    return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible ? available_memory() : no_memory_limit;
  }

  /// Builds the kernels of a format within options.memory_limit. Its values come later, with refill().
  void build(const ExecutionSpace&, const AnyFormat<Offset, Memory>&, const PlanOptions&) {}

  /// Whether the kernel of the format's paper was asked for and was built.
  bool is_published() const { return false; }

  /// The kernel's name for Plan::explain(); empty where there is only one.
  std::string describe() const { return {}; }

  /// Takes new values, which are in the order of the format.
  ///
  /// \param wanted [in] null, or memory of the device: nothing is done if it holds 0 when kernels run
  void refill(const ExecutionSpace&, const Scalar*, const std::uint32_t* /*wanted*/ = nullptr) const {}

  std::size_t bytes() const { return 0; }
  std::size_t scratch_bytes(Ordinal /*x_rows*/, Ordinal /*columns*/) const { return 0; }

  /// Whether they multiply vectors of 16 bits.
  bool multiplies_halves() const { return false; }

  /// Computes the product. Returns false if it did not, so that the kernels for all devices have to.
  template <class VectorScalar>
  bool multiply(const ExecutionSpace&, const AnyFormat<Offset, Memory>&, const Product<Scalar, VectorScalar>&,
                const Scratch&) const {
    return false;
  }
};

/// The options with the precision that a choice takes.
template <class Kernels>
PlanOptions options_of_choice(PlanOptions options, const Choice& choice) {
  if (choice.is_wider) options.precision = Kernels::wider_precision(options);
  return options;
}

/// The bytes that the kernels of a format with `tiles` tiles keep in any case.
template <class Scalar, class Offset, class ExecutionSpace>
std::size_t least_kernel_bytes(const ExecutionSpace& exec, const PlanOptions& options, Format format, double tiles,
                               const MatrixStatistics& m) {
  Candidate candidate;
  candidate.format = format;
  candidate.tiles = tiles;
  return static_cast<std::size_t>(
      DeviceKernels<Scalar, Offset, ExecutionSpace>::memory(exec, options, candidate, m).least);
}

}  // namespace Tessera::Impl

#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "cuda/CudaKernels.hpp"
#endif
