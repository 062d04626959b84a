// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties that all formats share.
#include <stdexcept>

#include "AdversarialPatterns.hpp"
#include "AnyFormat.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class AnyFormatTest : public ::testing::Test {};
TYPED_TEST_SUITE(AnyFormatTest, OffsetCases);

/// Calls body(format, pattern, built format) for every format and adversarial pattern.
template <class Exec, class Offset, class Body>
void for_each_build(const Body& body) {
  for (const auto& A : adversarial_patterns<Offset>()) {
    const auto rows = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern;
    for (const Format format : every_format) {
      if (!is_chosen_on<Exec>(5)) continue;
      SCOPED_TRACE(std::string(to_string(format)) + ", " + std::to_string(A.rows) + " x " + std::to_string(A.columns));
      body(format, A, build_format(Exec(), format, rows, {}, 8));
    }
  }
}

/// Returns the slot of each canonical entry. Expects at most one slot for each entry.
template <class Offset, class Map>
std::vector<Offset> places_of_entries(const Map& map, std::size_t nonzeros, std::size_t places) {
  const auto slots = map.is_identity() ? std::vector<Offset>{} : to_host(map.slots);
  std::vector<Offset> result(nonzeros, Map::no_source);
  if (slots.empty()) {
    EXPECT_EQ(places, nonzeros);
    for (std::size_t i = 0; i < nonzeros; ++i) result[i] = static_cast<Offset>(i);
    return result;
  }
  EXPECT_EQ(slots.size(), places);
  for (std::size_t place = 0; place < slots.size(); ++place) {
    if (slots[place] == Map::no_source) continue;
    Offset& found = result.at(static_cast<std::size_t>(slots[place]));
    EXPECT_EQ(found, Map::no_source) << "entry " << slots[place] << " is there twice";
    found = static_cast<Offset>(place);
  }
  return result;
}

TYPED_TEST(AnyFormatTest, IsValidAndGoesBackToRowsWithoutLoss) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for_each_build<Exec, Offset>([](Format, const HostPattern<Offset>& A, const auto& built) {
    EXPECT_EQ((validate<Exec>(Exec(), built.pattern)), "");
    const auto back = to_csr<Exec>(Exec(), built.pattern);
    ASSERT_EQ(to_host(back.pattern.row_offsets), A.row_offsets);
    ASSERT_EQ(to_host(back.pattern.column_indices), A.column_indices);
    const std::size_t places = std::visit([](const auto& any) { return any.places(); }, built.pattern);
    const auto there = places_of_entries<Offset>(built.values, A.nonzeros(), places);
    const auto here = places_of_entries<Offset>(back.values, places, A.nonzeros());
    for (std::size_t entry = 0; entry < there.size(); ++entry) {
      ASSERT_EQ(here.at(static_cast<std::size_t>(there[entry])), static_cast<Offset>(entry));
    }
  });
}

TYPED_TEST(AnyFormatTest, ValuesComeToTheirPlacesAndZerosToAllOthers) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for_each_build<Exec, Offset>([](Format, const HostPattern<Offset>& A, const auto& built) {
    const auto values = random_values<double>(A.nonzeros(), 3);
    const std::size_t places = std::visit([](const auto& any) { return any.places(); }, built.pattern);
    Kokkos::View<double*, typename Exec::memory_space> placed("placed", places);
    Kokkos::deep_copy(placed, 7);
    const auto source = to_device<Exec>(values);
    gather_values(Exec(), {}, built.values, source.data(), placed.data(), places);
    auto expected = std::vector<double>(places, 0);
    const auto there = places_of_entries<Offset>(built.values, A.nonzeros(), places);
    for (std::size_t entry = 0; entry < there.size(); ++entry) {
      expected.at(static_cast<std::size_t>(there[entry])) = values[entry];
    }
    EXPECT_EQ(to_host(placed), expected);
  });
}

TYPED_TEST(AnyFormatTest, NoFormatIsRejected) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(5, 5, 0.5, 1);
  const auto rows = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern;
  EXPECT_THROW(build_format(Exec(), Format::Auto, rows, {}, 8), std::invalid_argument);
}

}  // namespace Tessera::Impl::Test
