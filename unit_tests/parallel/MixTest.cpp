// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <tessera/common/Mix.hpp>

namespace Tessera::Impl::Test {

/// Half of the bits are set, on average, whatever is mixed.
TEST(Mix, ProductsHaveAsManyOnesAsZeros) {
  int ones = 0, pairs = 0;
  for (std::uint64_t a = 0; a < 100; ++a)
    for (std::uint64_t b = 0; b < 100; ++b, ++pairs) ones += __builtin_popcountll(mix_product(a, b, a + b));
  EXPECT_NEAR(double(ones) / pairs, 32, 0.5);
}

}  // namespace Tessera::Impl::Test
