// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace Tessera::Impl::Driver {

/// Calls visit(name, std::type_identity<ExecutionSpace>{}) for every backend that Kokkos enables.
template <class Visitor>
void for_each_backend(Visitor&& visit) {
#ifdef KOKKOS_ENABLE_SERIAL
  visit("serial", std::type_identity<Kokkos::Serial>{});
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  visit("openmp", std::type_identity<Kokkos::OpenMP>{});
#endif
#ifdef KOKKOS_ENABLE_THREADS
  visit("threads", std::type_identity<Kokkos::Threads>{});
#endif
#ifdef KOKKOS_ENABLE_CUDA
  visit("cuda", std::type_identity<Kokkos::Cuda>{});
#endif
#ifdef KOKKOS_ENABLE_HIP
  visit("hip", std::type_identity<Kokkos::HIP>{});
#endif
#ifdef KOKKOS_ENABLE_SYCL
  visit("sycl", std::type_identity<Kokkos::SYCL>{});
#endif
}

/// Returns the execution spaces of this build's Kokkos in lower case: "serial", "openmp", "cuda", ...
inline std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for_each_backend([&](const char* name, auto) { names.emplace_back(name); });
  return names;
}

/// Returns the name of Kokkos::DefaultExecutionSpace in lower case.
inline std::string default_backend() {
  std::string found;
  for_each_backend([&]<class ExecutionSpace>(const char* name, std::type_identity<ExecutionSpace>) {
    if (std::is_same_v<ExecutionSpace, Kokkos::DefaultExecutionSpace>) found = name;
  });
  return found;
}

}  // namespace Tessera::Impl::Driver
