// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>
#include <tessera/reorder/Permutation.hpp>

#include "ReorderCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class PermutationTest : public ::testing::Test {};
TYPED_TEST_SUITE(PermutationTest, OffsetCases);

template <class Exec>
Permutation<typename Exec::memory_space> permutation(const std::vector<int>& order) {
  return {to_device<Exec>(order)};
}

TYPED_TEST(PermutationTest, InverseLeadsBack) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const int size : {1, 2, 17, 1000}) {
    const auto order = shuffled(size, 3);
    const auto p = permutation<Exec>(order);
    const auto back = inverse(Exec(), p);
    EXPECT_EQ(validate(Exec(), back, size), "");
    std::vector<int> numbers(order.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    EXPECT_EQ(to_host(compose(Exec(), p, back).order), numbers);
    EXPECT_EQ(to_host(compose(Exec(), back, p).order), numbers);
  }
}

TYPED_TEST(PermutationTest, FirstOneThenTheOther) {
  using Exec = typename TypeParam::ExecutionSpace;
  // b c a, then its second and third items swapped: b a c
  const auto both = compose(Exec(), permutation<Exec>({1, 2, 0}), permutation<Exec>({0, 2, 1}));
  EXPECT_EQ(to_host(both.order), (std::vector<int>{1, 0, 2}));
}

TYPED_TEST(PermutationTest, TheIdentityChangesNothing) {
  using Exec = typename TypeParam::ExecutionSpace;
  const Permutation<typename Exec::memory_space> identity;
  const auto p = permutation<Exec>({2, 0, 1});
  EXPECT_TRUE(identity.is_identity());
  EXPECT_FALSE(p.is_identity());
  EXPECT_TRUE(inverse(Exec(), identity).is_identity());
  EXPECT_EQ(to_host(compose(Exec(), identity, p).order), to_host(p.order));
  EXPECT_EQ(to_host(compose(Exec(), p, identity).order), to_host(p.order));
  EXPECT_EQ(validate(Exec(), identity, 5), "");
}

TYPED_TEST(PermutationTest, ValidateNamesTheFirstFault) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto fault = [](const std::vector<int>& order, int size) {
    return validate(Exec(), permutation<Exec>(order), size);
  };
  EXPECT_EQ(fault({1, 2, 0}, 3), "");
  EXPECT_EQ(fault({1, 2, 0}, 4), "there are 3 places; expected 4");
  EXPECT_EQ(fault({1, 3, -1}, 3), "place 1 holds 3; expected a number in [0, 3)");
  EXPECT_EQ(fault({1, 2, -1}, 3), "place 2 holds -1; expected a number in [0, 3)");
  EXPECT_EQ(fault({2, 0, 1, 0, 2}, 5), "place 3 holds 0, which place 1 holds");
}

}  // namespace Tessera::Impl::Test
