// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initializes Kokkos for a fuzz target that uses it.
#include <Kokkos_Core.hpp>
#include <cstdlib>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(1).set_disable_warnings(true));
  std::atexit(Kokkos::finalize);
  return 0;
}
