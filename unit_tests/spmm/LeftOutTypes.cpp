// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Must not compile: double is left out of this target.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/Plan.hpp>

Tessera::Plan<double, Kokkos::DefaultExecutionSpace> plan;
