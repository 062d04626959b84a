// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <set>
#include <tessera/common/Overlap.hpp>
#include <vector>

#include "TestMatrix.hpp"

namespace Tessera::Impl::Test {

using Vectors = Multivector<const double>;

std::set<const double*> elements_of(const Vectors& v) {
  std::set<const double*> elements;
  for (int i = 0; i < v.rows; ++i)
    for (int j = 0; j < v.columns; ++j) elements.insert(&v(i, j));
  return elements;
}

bool share_elements(const Vectors& x, const Vectors& y) {
  const auto of_x = elements_of(x);
  for (const double* element : elements_of(y))
    if (of_x.count(element) > 0) return true;
  return false;
}

/// The test is exact for parts of one multivector of either layout, even if they interleave.
TEST(Overlap, IsExactForPartsOfOneMultivector) {
  std::vector<double> memory(400);
  Random random(1);
  int apart_but_interleaved = 0, shared = 0;
  for (int run = 0; run < 20000; ++run) {
    const int step = 1 + random.below(3), distance = 7 + random.below(9);
    const bool is_left = random.below(2) == 0;
    const auto part = [&] {
      const int length = 1 + random.below(distance / step), count = random.below(6);
      const std::ptrdiff_t begin = random.below(300);
      return is_left ? Vectors{memory.data() + begin, length, count, step, distance}
                     : Vectors{memory.data() + begin, count, length, distance, step};
    };
    const Vectors x = part(), y = part();
    const bool expected = share_elements(x, y);
    ASSERT_EQ(Impl::overlap<double>(x, y), expected)
        << x.rows << " x " << x.columns << " and " << y.rows << " x " << y.columns << ", " << y.data - x.data
        << " elements apart, strides " << x.row_stride << " and " << x.column_stride;
    ASSERT_EQ(Impl::overlap<double>(y, x), expected);
    shared += expected;
    const bool may_be_told_by_bytes = elements_of(x).empty() || elements_of(y).empty() ||
                                      *elements_of(x).rbegin() < *elements_of(y).begin() ||
                                      *elements_of(y).rbegin() < *elements_of(x).begin();
    apart_but_interleaved += !expected && !may_be_told_by_bytes;
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart_but_interleaved, 1000);
}

/// The column stride of a single column does not matter.
TEST(Overlap, OfSingleColumnsAndRows) {
  std::vector<double> memory(100);
  const double* at = memory.data();
  const auto overlaps = [](const Vectors& x, const Vectors& y) { return Impl::overlap<double>(x, y); };
  EXPECT_FALSE(overlaps({at, 10, 1, 2, 0}, {at + 1, 10, 1, 2, 77}));  // even and odd elements
  EXPECT_TRUE(overlaps({at, 10, 1, 2, 0}, {at + 4, 10, 1, 2, 77}));
  EXPECT_FALSE(overlaps({at, 1, 10, 0, 2}, {at + 1, 1, 10, 77, 2}));
  EXPECT_TRUE(overlaps({at, 1, 1, 0, 0}, {at, 1, 1, 5, 7}));
  EXPECT_FALSE(overlaps({at, 1, 1, 0, 0}, {at + 1, 1, 1, 5, 7}));
}

/// Vectors of unequal strides are assumed to overlap if their bytes interleave or elements coincide.
TEST(Overlap, OfOtherStridesGoesByBytes) {
  std::vector<double> memory(200);
  const double* at = memory.data();
  const auto overlaps = [](const Vectors& x, const Vectors& y) { return Impl::overlap<double>(x, y); };
  EXPECT_TRUE(overlaps({at, 5, 4, 1, 20}, {at + 7, 5, 4, 4, 1}));
  EXPECT_FALSE(overlaps({at, 5, 4, 1, 20}, {at + 65, 5, 4, 4, 1}));
  EXPECT_TRUE(overlaps({at, 5, 4, 1, 20}, {at + 64, 5, 4, 4, 1}));
  EXPECT_TRUE(overlaps({at, 5, 4, 0, 2}, {at + 1, 5, 4, 0, 2}));
}

}  // namespace Tessera::Impl::Test
