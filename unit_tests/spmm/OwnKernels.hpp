// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs whose plans use kernels of the test. They specialise Device and KernelOf for OwnSpace, then include
// PlanState.cpp, to compile the plans with these kernels.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/common/Complex.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "EveryFormat.hpp"
#include "StoredEngine.hpp"

namespace Tessera::Impl {

using OwnSpace = Kokkos::DefaultHostExecutionSpace;

/// A device without kernels, with its own memory.
template <class Scalar>
struct OwnDevice {
  static bool has(const OwnSpace&, Precision precision) { return precision == Precision::Native; }
  static bool runs_kernels(const OwnSpace&) { return true; }
  static Precision wider_precision(const PlanOptions& options) { return options.precision; }
  static std::string why_not_published(const OwnSpace&, Format) { return "there are none"; }
  static std::string describe_portable(Precision) { return "portable"; }
  static FormatParameters parameters(const PlanOptions& options) { return options.parameters; }
  static FormatParameters parameters(const OwnSpace&, const PlanOptions& options, const MatrixStatistics&) {
    return options.parameters;
  }
  static MachineModel model(const OwnSpace&, const PlanOptions&) { return {}; }
  static MachineModel model_without_room(const OwnSpace&, const PlanOptions&) { return {}; }
  static std::string name(const OwnSpace&) { return "kernels of a test"; }
  static std::size_t free_bytes(const OwnSpace&) { return no_memory_limit; }
};

}  // namespace Tessera::Impl

// Plans of double only.
#undef TESSERA_FOR_EACH_EXECUTION_SPACE
#undef TESSERA_FOR_EACH_SCALAR
#undef TESSERA_FOR_EACH_PRODUCT
#define TESSERA_FOR_EACH_EXECUTION_SPACE(List, ...) List(OwnSpace, __VA_ARGS__)
#define TESSERA_FOR_EACH_SCALAR(Exec, M) M(Exec, double)
#define TESSERA_FOR_EACH_PRODUCT(Exec, M) M(Exec, double, double)
#undef TESSERA_FOR_EACH_HALF_PRODUCT
#define TESSERA_FOR_EACH_HALF_PRODUCT(Exec, M)
