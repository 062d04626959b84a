// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Macros.hpp>
#include <new>
#include <stdexcept>

/// Memory that runs out when a test says so. A program that links FailingAllocator.cpp takes from it whatever it gets
/// by operator new: its own memory and, on host backends, that of Kokkos' Views. With a shared CUDA runtime, it also
/// takes from it what Kokkos gets from that: the Views of Kokkos::Cuda.
namespace Tessera::Test {

/// nvcc keeps what a KOKKOS_LAMBDA captures in memory of its own, which copies of it take anew: also in constructors of
/// Kokkos (that of a functor's reducer) that promise not to throw, which ends the program. There memory of Views alone
/// may fail.
#ifdef KOKKOS_ENABLE_CUDA
constexpr bool only_views_fail = true;
#else
constexpr bool only_views_fail = false;
#endif

/// The sizes of allocations that may fail, unless only Views fail.
enum class Failing {
  All,
  /// More than 320 bytes, or memory of Views. Without memory for the name of a View Kokkos loses that of the View, and
  /// without some for the name of a fence it may end the program. Kokkos 4.5 makes a message of some 200 bytes for each
  /// range, whether it is needed or not.
  Arrays
};

/// Lets the n-th allocation from now on fail, counting from 1, and no other; 0: none.
void fail_allocation(long n, Failing kind = Failing::All);
/// Whether it has failed.
bool allocation_has_failed();
/// Allocations so far.
long allocations();
/// Whether those of devices may fail, too.
bool device_memory_may_fail();
/// The number of these allocations that have not been given back.
long live_allocations();

/// Calls attempt() with its first allocation failing, with its second, and so on until it takes no more. Each time it
/// must throw std::bad_alloc, or the std::runtime_error that Kokkos throws, and give back what it took; then calls
/// check(), which tells whether everything is as it was before.
///
/// \return how many allocations failed
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

}  // namespace Tessera::Test
