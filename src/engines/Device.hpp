// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/FormatParameters.hpp>
#include <tessera/MemoryLimit.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/select/Choose.hpp>
#include <tessera/system/impl/Memory.hpp>

namespace Tessera::Impl {

/// Answers questions about the device of an execution space before an engine exists. This template is for devices that
/// have only portable code.
template <class Scalar, class ExecutionSpace>
struct Device {
  using Memory = typename ExecutionSpace::memory_space;

  /// Whether kernels exist for this type of matrices and vectors in a precision.
  static bool has(const ExecutionSpace&, Precision precision) { return precision == Precision::Native; }

  /// Whether this instance's device can run the engines' kernels.
  static bool runs_kernels(const ExecutionSpace&) { return true; }

  /// Returns a faster precision that is at least as accurate as the requested one, or the requested one.
  static Precision wider_precision(const PlanOptions& options) { return options.precision; }

  /// Returns why no plan can use the kernel of this format's paper; empty if one can.
  static std::string why_not_published(const ExecutionSpace&, Format) {
    return std::string("plans on ") + ExecutionSpace::name() +
           " do not have them; expected Kokkos::Cuda, and Tessera with its component Cuda";
  }

  /// Returns Plan::explain()'s text on a product in portable code.
  static std::string describe_portable(Precision) { return {}; }

  /// Returns the parameters of formats. Where the user set none, the kernels' preferred values are used.
  static FormatParameters parameters(const PlanOptions& options) { return options.parameters; }

  /// Returns the same parameters, given the statistics of the matrix.
  static FormatParameters parameters(const ExecutionSpace&, const PlanOptions& options, const MatrixStatistics&) {
    return options.parameters;
  }

  /// Returns the model that predicts the times of products.
  static MachineModel model(const ExecutionSpace& exec, const PlanOptions&) {
    MachineModel machine = host_core().times(exec.concurrency());
    machine.is_known = is_host_space<ExecutionSpace> || trusts_any_rates();
    return machine;
  }
  /// Returns the model without asking how much memory is free, as if there were enough for optional data of kernels.
  static MachineModel model_without_room(const ExecutionSpace& exec, const PlanOptions& options) {
    return model(exec, options);
  }

  /// Returns the name of the device for which times are predicted.
  static std::string name(const ExecutionSpace& exec) {
    return std::string(exec.name()) + ", concurrency " + std::to_string(exec.concurrency());
  }

  /// Returns the bytes that can still be allocated, or no_memory_limit if their number is unknown.
  static std::size_t free_bytes(const ExecutionSpace&) {
    return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible ? available_memory() : no_memory_limit;
  }
};

/// Returns the options with the precision of a choice.
template <class Device>
PlanOptions options_of_choice(PlanOptions options, const Choice& choice) {
  if (choice.is_wider) options.precision = Device::wider_precision(options);
  return options;
}

/// Returns Plan::explain()'s text on the precision, which follows the name of a kernel.
inline std::string describe_precision(Precision asked, Precision used) {
  if (asked == Precision::Native) return {};
  return ", in " + std::string(to_string(used)) + (used == Precision::Native ? " precision" : "");
}

}  // namespace Tessera::Impl

#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "gpu/CudaModel.hpp"
#endif
