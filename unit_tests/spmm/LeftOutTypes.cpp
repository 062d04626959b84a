// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does not compile: the target leaves out double.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/spmm/Plan.hpp>

Tessera::Plan<double, Kokkos::DefaultExecutionSpace> plan;
