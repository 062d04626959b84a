// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This source must not compile, because its target is configured without double.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/Plan.hpp>

Tessera::Plan<double, Kokkos::DefaultExecutionSpace> plan;
