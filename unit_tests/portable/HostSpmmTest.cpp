// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <limits>
#include <tessera/common/CompiledTypes.hpp>
#include <tessera/common/Complex.hpp>
#include <utility>
#include <vector>

#include "HostSpmm.hpp"

namespace Tessera::Impl::Test {

using Host = Kokkos::DefaultHostExecutionSpace;
using Parts = std::vector<std::pair<Ordinal, Ordinal>>;
constexpr Ordinal largest = std::numeric_limits<Ordinal>::max();

/// Returns the slabs into which kernels divide rows of `columns` adjacent complex numbers. No numbers are accessed.
template <class Z>
Parts slabs_of(Ordinal columns) {
  Z element;
  Product<Z, Z> product{};
  product.x = {&element, 1, columns, columns, 1};
  product.y = {&element, 1, columns, columns, 1};
  Parts result;
  Impl::for_each_slab<Host>(Host(), 1, product, Scratch{}, [&](const Product<Z, Z>& slab) {
    EXPECT_EQ(slab.x.data - &element, slab.y.data - &element);
    EXPECT_EQ(slab.x.columns, slab.y.columns);
    result.emplace_back(static_cast<Ordinal>(slab.x.data - &element), slab.x.columns);
  });
  return result;
}

TEST(HostSpmm, KernelsAreGivenColumnsThatTheyCanCount) {
  using Z = Complex<double>;
  if constexpr (is_compiled_v<Z>) {
    for (const Ordinal columns : {1 << 29, 1 << 30, largest}) {
      Ordinal next = 0;
      for (const auto& [first, count] : slabs_of<Z>(columns)) {
        EXPECT_EQ(first, next);
        EXPECT_LE(count, largest / 2) << "two reals each";
        next += count;
      }
      EXPECT_EQ(next, columns);
    }
    EXPECT_EQ(slabs_of<Z>(1000), (Parts{{0, 1000}}));
    EXPECT_EQ(slabs_of<Z>(0).size(), 1u) << "an empty product";
  } else {
    GTEST_SKIP() << "without complex numbers";
  }
}

TEST(HostSpmm, PartsEndWithTheLastColumn) {
  Parts parts;
  Impl::for_each_part(largest, (1 << 30) - 1, [&](Ordinal first, Ordinal count) { parts.emplace_back(first, count); });
  EXPECT_EQ(parts, (Parts{{0, (1 << 30) - 1}, {(1 << 30) - 1, (1 << 30) - 1}, {largest - 1, 1}}));
}

TEST(HostSpmm, ThreadsShareAnyNumberOfColumns) {
  for (const Ordinal columns : {0, 1, 9, 100, largest - 1, largest}) {
    for (const int threads : {1, 2, 64}) {
      const Ordinal lines = Impl::columns_of_a_thread<float>(columns, threads, true);
      EXPECT_GT(lines, 0);
      EXPECT_EQ(lines % 16, 0);
      EXPECT_LE(lines, largest / 2);
      const Ordinal apart = Impl::columns_of_a_thread<float>(columns, threads, false);
      EXPECT_GE(apart, 1);
      EXPECT_LE(apart, 4);
    }
  }
  EXPECT_EQ(Impl::columns_of_a_thread<double>(100, 2, true), 56);
  EXPECT_EQ(Impl::columns_of_a_thread<double>(100, 50, false), 2);
}

}  // namespace Tessera::Impl::Test
