// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/format/ValueMap.hpp>

#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class ValueMapTest : public ::testing::Test {};
TYPED_TEST_SUITE(ValueMapTest, OffsetCases);

template <class Exec, class Offset>
std::vector<double> gathered(const std::vector<Offset>& slots, const std::vector<Offset>& runs,
                             const std::vector<Offset>& permutation, const std::vector<double>& source,
                             std::size_t size) {
  using Memory = typename Exec::memory_space;
  const ValueMap<Memory> first{to_device<Exec>(slots), to_device<Exec>(runs)};
  const ValueMap<Memory> second{to_device<Exec>(permutation), {}};
  const auto in = to_device<Exec>(source);
  Kokkos::View<double*, Memory> out("out", size);
  gather_values(Exec(), first, second, in.data(), out.data(), size);
  return to_host(out);
}

TYPED_TEST(ValueMapTest, FollowsBothMaps) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  using Values = std::vector<double>;
  const std::vector<Offset> none;
  EXPECT_EQ((gathered<Exec, Offset>(none, none, none, {1, 2, 3}, 3)), (Values{1, 2, 3}));
  EXPECT_EQ((gathered<Exec, Offset>({2, 0, 1}, none, none, {1, 2, 3}, 3)), (Values{3, 1, 2}));
  EXPECT_EQ((gathered<Exec, Offset>(none, none, {1, 2, 0}, {1, 2, 3}, 3)), (Values{2, 3, 1}));
  EXPECT_EQ((gathered<Exec, Offset>({2, 0, 1}, none, {1, 2, 0}, {1, 2, 3}, 3)), (Values{1, 2, 3}));
  // Two stored entries from four: entries {4, 1} are duplicates, and so are {3, 2}.
  EXPECT_EQ((gathered<Exec, Offset>({3, 0, 2, 1}, {0, 2, 4}, none, {1, 20, 300, 4000}, 2)), (Values{4001, 320}));
  EXPECT_EQ((gathered<Exec, Offset>({3, 0, 2, 1}, {0, 2, 4}, {1, 0}, {1, 20, 300, 4000}, 2)), (Values{320, 4001}));
}

TYPED_TEST(ValueMapTest, Composes) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  using Slots = std::vector<Offset>;
  using Map = ValueMap<typename Exec::memory_space>;
  const Map outer{to_device<Exec>(Slots{2, 0, 3, 1}), {}}, identity;
  const Map inner{to_device<Exec>(Slots{1, 3, 2, 0}), to_device<Exec>(Slots{0, 3, 4})};
  const Map composed = compose(Exec(), outer, inner);
  EXPECT_EQ(to_host(composed.slots), (Slots{0, 1, 3, 2}));
  EXPECT_EQ(to_host(composed.runs), (Slots{0, 3, 4}));
  EXPECT_EQ(to_host(compose(Exec(), identity, inner).slots), (Slots{1, 3, 2, 0}));
  EXPECT_EQ(to_host(compose(Exec(), outer, identity).slots), (Slots{2, 0, 3, 1}));
}

TYPED_TEST(ValueMapTest, SaysWhatWouldLeadOutOfTheArrays) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  using Slots = std::vector<Offset>;
  const auto fault = [](const Slots& slots, const Slots& runs, std::size_t targets, std::size_t sources,
                        bool may_lack = false) {
    const ValueMap<typename Exec::memory_space> map{to_device<Exec>(slots), to_device<Exec>(runs)};
    return validate(Exec(), map, targets, sources, may_lack);
  };
  const auto none = static_cast<Offset>(-1);
  EXPECT_EQ(fault({}, {}, 3, 3), "");
  EXPECT_EQ(fault({}, {}, 3, 2), "value map: there are fewer sources than targets");
  EXPECT_EQ(fault({2, 0, 1}, {}, 3, 3), "");
  EXPECT_EQ(fault({2, 0, 1}, {}, 4, 3), "value map: slots does not have an element a target");
  EXPECT_EQ(fault({2, 3, 1}, {}, 3, 3), "value map: slot 1: is not the number of a source");
  EXPECT_EQ(fault({2, none, 1}, {}, 3, 3), "value map: slot 1: is not the number of a source");
  EXPECT_EQ(fault({2, none, 1}, {}, 3, 3, true), "");
  EXPECT_EQ(fault({2, 0, static_cast<Offset>(-2)}, {}, 3, 3, true), "value map: slot 2: is not the number of a source");
  EXPECT_EQ(fault({3, 0, 2, 1}, {0, 2, 4}, 2, 4), "");
  EXPECT_EQ(fault({3, 0, 4, 1}, {0, 2, 4}, 2, 4), "value map: slot 2: is not the number of a source");
  EXPECT_EQ(fault({3, 0, none, 1}, {0, 2, 4}, 2, 4, true), "value map: slot 2: is not the number of a source");
  EXPECT_EQ(fault({3, 0, 2, 1}, {0, 2, 4}, 3, 4), "value map: runs does not have an element a target and one more");
  EXPECT_EQ(fault({3, 0, 2, 1}, {0, 2, 2, 4}, 3, 4), "value map: target 1: has no slot");
  EXPECT_EQ(fault({3, 0, 2, 1}, {0, 5, 4}, 2, 4),
            "value map: target 0: runs does not ascend from 0 to the number of slots");
}

}  // namespace Tessera::Impl::Test
