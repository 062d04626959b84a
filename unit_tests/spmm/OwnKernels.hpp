// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs whose plans have kernels of the test's own: these specialise DeviceKernels for OwnSpace and then include
// PlanState.cpp, which compiles the plans anew.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/common/Complex.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "DeviceKernels.hpp"

namespace Tessera::Impl {

using OwnSpace = Kokkos::DefaultHostExecutionSpace;

/// Kernels that multiply nothing and are built from nothing: portable code multiplies.
template <class Scalar, class Offset>
struct IdleKernels {
  using Memory = OwnSpace::memory_space;

  static bool has(const OwnSpace&, Precision precision) { return precision == Precision::Native; }
  static std::string published_fault(const OwnSpace&, const PlanOptions&, Format) { return "there are none"; }
  static FormatParameters parameters(const PlanOptions& options) { return options.parameters; }
  static FormatParameters parameters(const OwnSpace&, const PlanOptions& options, const MatrixStatistics&) {
    return options.parameters;
  }
  static MachineModel model(const OwnSpace&, const PlanOptions&) { return {}; }
  static std::size_t free_bytes(const OwnSpace&) { return no_memory_limit; }
  static std::string device_name(const OwnSpace&) { return "kernels of a test"; }

  static Precision wider_precision(const PlanOptions& options) { return options.precision; }

  bool is_published() const { return false; }
  bool multiplies_halves() const { return false; }
  void refill(const OwnSpace&, const Scalar*, const std::uint32_t* = nullptr) const {}
  std::size_t scratch_bytes(Ordinal, Ordinal) const { return 0; }
  template <class VectorScalar>
  bool multiply(const OwnSpace&, const AnyFormat<Offset, Memory>&, const Product<Scalar, VectorScalar>&,
                const Scratch&) const {
    return false;
  }
};

}  // namespace Tessera::Impl

// Plans of doubles and int alone.
#undef TESSERA_FOR_EACH_EXECUTION_SPACE
#undef TESSERA_FOR_EACH_MATRIX
#undef TESSERA_FOR_EACH_PRODUCT
#define TESSERA_FOR_EACH_EXECUTION_SPACE(List, ...) List(OwnSpace, __VA_ARGS__)
#define TESSERA_FOR_EACH_MATRIX(Exec, M) M(Exec, double, int)
#define TESSERA_FOR_EACH_PRODUCT(Exec, M) M(Exec, double, double, int)
#undef TESSERA_FOR_EACH_HALF_PRODUCT
#define TESSERA_FOR_EACH_HALF_PRODUCT(Exec, M)
