// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/common/MemoryLimit.hpp>
#include <tessera/select/Choose.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <tessera/system/impl/Memory.hpp>

namespace Tessera::Impl {

/// What plans ask of the device of an execution space, before there is an engine. This template is for devices that
/// only portable code multiplies on.
template <class Scalar, class ExecutionSpace>
struct Device {
  using Memory = typename ExecutionSpace::memory_space;

  /// Whether there are kernels for matrices and vectors of this type in a precision.
  static bool has(const ExecutionSpace&, Precision precision) { return precision == Precision::Native; }

  /// Whether the kernels that engines have for the device run on the one of this instance.
  static bool runs_kernels(const ExecutionSpace&) { return true; }

  /// A precision that is at least as accurate as the one that is asked for, and may be faster; else that one.
  static Precision wider_precision(const PlanOptions& options) { return options.precision; }

  /// Why no plan can have the kernel of this format's paper; empty if one can.
  static std::string published_fault(const ExecutionSpace&, Format) {
    return std::string("plans on ") + ExecutionSpace::name() +
           " do not have them; expected Kokkos::Cuda, and Tessera with its component Cuda";
  }

  /// What Plan::explain() says of a product in portable code.
  static std::string describe_portable(Precision) { return {}; }

  /// The parameters of formats: those that the user leaves open are set as the kernels want them.
  static FormatParameters parameters(const PlanOptions& options) { return options.parameters; }

  /// The same, when the statistics of the matrix are known.
  static FormatParameters parameters(const ExecutionSpace&, const PlanOptions& options, const MatrixStatistics&) {
    return options.parameters;
  }

  /// The model that predicts the times of products.
  static MachineModel model(const ExecutionSpace& exec, const PlanOptions&) {
    return MachineModel().times(exec.concurrency());
  }

  /// The device that predictions are for.
  static std::string name(const ExecutionSpace& exec) {
    return std::string(exec.name()) + ", concurrency " + std::to_string(exec.concurrency());
  }

  /// The bytes that can still be allocated; no_memory_limit if that is unknown.
  static std::size_t free_bytes(const ExecutionSpace&) {
    return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible ? available_memory() : no_memory_limit;
  }
};

/// The options with the precision that a choice takes.
template <class Device>
PlanOptions options_of_choice(PlanOptions options, const Choice& choice) {
  if (choice.is_wider) options.precision = Device::wider_precision(options);
  return options;
}

/// What Plan::explain() says of the precision, after the name of a kernel.
inline std::string describe_precision(Precision asked, Precision used) {
  if (asked == Precision::Native) return {};
  return ", in " + std::string(to_string(used)) + (used == Precision::Native ? " precision" : "");
}

}  // namespace Tessera::Impl

#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "gpu/CudaModel.hpp"
#endif
