// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

/// The circumstances of a measurement.
namespace Tessera::Impl::Benchmarks {

/// Returns what measurements depend on, by name: device, backend and its threads, versions of Tessera (with its
/// commit), Kokkos and Kokkos Kernels, compiler and flags, and the rate of a copy. Kokkos must run.
std::vector<std::pair<std::string, std::string>> context();

/// Adds context() to Google Benchmark's context in the JSON.
void add_context();

/// Bytes read plus bytes written per second by a copy of an array of 128 MiB on the default backend: the median of
/// five. Measured once, in about a second.
double copy_bytes_per_second();

}  // namespace Tessera::Impl::Benchmarks
