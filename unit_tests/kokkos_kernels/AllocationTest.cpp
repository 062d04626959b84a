// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product with a handle runs out of memory: it throws, and the handle still works for the next product.
#include "FailingAllocator.hpp"
#include "HandleCheck.hpp"

namespace Tessera::Impl::Test {

using Small = CrsCase<double>;
using Handle = HandleFor<Small, Vectors<double>>;

/// The first product makes the plan. More columns and the transpose need more memory.
TEST(HandleAllocation, ProductsMayBeRepeated) {
  if (!std::is_same_v<Exec::memory_space, Kokkos::HostSpace>) GTEST_SKIP() << "memory comes from elsewhere";
  const Small A(random_pattern<int>(31, 22, 0.2, 1));
  const auto multiply = [&](Handle& handle, const char mode[], int columns) {
    const bool turned = *mode == 'T';
    const Vectors<double> x("x", turned ? 31 : 22, columns), y("y", turned ? 22 : 31, columns);
    KokkosSparse::spmv(Exec(), &handle, mode, 1.0, A.matrix, x, 0.0, y);
  };
  const auto use = [&](Handle& handle) {
    multiply(handle, "N", 2);
    multiply(handle, "N", 9);
    multiply(handle, "T", 3);
  };
  const auto expect_right_products = [&](Handle& handle) {
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
      expect_spmv_with<Vectors<double>>(handle, A.elements, A.matrix, mode, 4, 2, 0.5);
  };
  Handle first;
  use(first);
  const long failures = fail_each_allocation(
      Failing::Arrays,
      [&] {
        Handle handle;
        try {
          use(handle);
        } catch (...) {
          expect_right_products(handle);
          throw;
        }
      },
      [] {});
#ifdef KOKKOS_ENABLE_CUDA  // where only allocations of Views may fail
  EXPECT_GT(failures, 5);
#else
  EXPECT_GT(failures, 20);
#endif
}

}  // namespace Tessera::Impl::Test
