// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Macros.hpp>
#include <new>
#include <stdexcept>

/// Makes allocations fail on request. FailingAllocator.cpp replaces operator new of the program that links it, which
/// allocates the memory of the program and, on host backends, of Views. With a shared CUDA runtime, it also replaces
/// the functions that allocate Views of Kokkos::Cuda.
namespace Tessera::Impl::Test {

/// With nvcc, only allocations of Views may fail. nvcc stores the captures of a KOKKOS_LAMBDA on the heap, and each
/// copy of the lambda allocates. Some constructors of Kokkos that copy a lambda (for a functor's reducer) are noexcept,
/// so a failure there would end the program.
#ifdef KOKKOS_ENABLE_CUDA
constexpr bool only_views_fail = true;
#else
constexpr bool only_views_fail = false;
#endif

/// Which allocations may fail. If only Views may fail (see above), both values mean Views.
enum class Failing {
  All,
  /// Views, and allocations of more than 320 bytes. Kokkos loses a View if it cannot allocate the View's name, and may
  /// end the program if it cannot allocate the name of a fence. Kokkos 4.5 builds a message of about 200 bytes for each
  /// range, even if it is not needed.
  Arrays
};

/// Makes only the n-th allocation from now on fail, counting from 1. With n = 0, no allocation fails.
void fail_allocation(long n, Failing kind = Failing::All);
/// Whether the allocation of fail_allocation() has failed.
bool allocation_has_failed();
/// The number of allocations so far.
long allocations();
/// Whether allocations of device memory may fail, too.
bool device_memory_may_fail();
/// The number of allocations that have not been freed.
long live_allocations();

/// Calls attempt() with its first allocation failing, then its second, and so on until none fails. Each failure must
/// throw std::bad_alloc or Kokkos' std::runtime_error, and leak nothing. check() then checks that nothing changed.
///
/// \return the number of allocations that failed
template <class Attempt, class Check>
long fail_each_allocation(Failing kind, const Attempt& attempt, const Check& check) {
  for (long n = 1;; ++n) {
    const long before = live_allocations();
    bool has_thrown = false;
    fail_allocation(n, kind);
    try {
      attempt();
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    } catch (const std::runtime_error&) {
      has_thrown = true;
    }
    const bool has_failed = allocation_has_failed();
    fail_allocation(0);
    if (!has_failed) return n - 1;
    const long lost = live_allocations() - before;
    check();
    EXPECT_TRUE(has_thrown) << "allocation " << n;
    EXPECT_EQ(lost, 0) << "allocation " << n;
    if (!has_thrown || lost != 0) return n;
  }
}

}  // namespace Tessera::Impl::Test
