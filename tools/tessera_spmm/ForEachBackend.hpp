// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Tessera::Driver {

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

}  // namespace Tessera::Driver
