// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of allocations in each step of a build: arrays with the same lifetime share an allocation.
#include <map>
#include <tessera/parallel/Teams.hpp>

#include "AnyFormat.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

template <class T>
class BuildBlocksTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  static constexpr bool is_host = Impl::is_host_space<Exec>;

  const HostPattern<int> host = unsorted_pattern<int>(300, 250, 9, 1);
  const DevicePattern<Exec, int> unsorted{host};
  const Csr<typename Exec::memory_space> rows = build_csr(Exec(), unsorted.view(), host.nonzeros()).pattern;

  /// Expects a step to make at most `most` allocations, and prints the events otherwise.
  template <class Step>
  static void expect_at_most(std::size_t most, const std::string& name, const Step& step) {
    step();  // Kokkos allocates memory of its own the first time
    const ToolEvents events;
    step();
    EXPECT_LE(events.allocations("Tessera::"), most) << name << '\n' << events.text();
  }
};
TYPED_TEST_SUITE(BuildBlocksTest, OffsetCases);

TYPED_TEST(BuildBlocksTest, Formats) {
  using Exec = typename TypeParam::ExecutionSpace;
  const std::size_t parts = TestFixture::is_host ? 0 : 1;  // devices cut long windows into parts
  const std::map<Format, std::size_t> most{
      {Format::Csr, 0},     {Format::BitTcf, 5 + parts}, {Format::Bmat, 5 + parts},
      {Format::Brp, 9},     {Format::Bcsr, 3},           {Format::SortedColumns, 20},
      {Format::Staged, 13}, {Format::RowGroups, 5},      {Format::CompactRows, 2}};
  for (const Format format : every_format) {
    TestFixture::expect_at_most(most.at(format), std::string(to_string(format)),
                                [&] { build_format(Exec(), format, this->rows, {}, 8); });
  }
}

TYPED_TEST(BuildBlocksTest, Rows) {
  const typename TypeParam::ExecutionSpace exec;
  TestFixture::expect_at_most(1, "a copy", [&] { build_csr(exec, this->rows.view(), this->rows.nonzeros); });
  TestFixture::expect_at_most(9, "sorted", [&] { build_csr(exec, this->unsorted.view(), this->host.nonzeros()); });
  TestFixture::expect_at_most(6, "turned", [&] { transpose(exec, this->rows.view(), this->rows.nonzeros); });
}

}  // namespace Tessera::Impl::Test
