// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a format takes is known before it is built.
#include <tessera/format/FormatTooLarge.hpp>

#include "AnyFormat.hpp"
#include "AdversarialPatterns.hpp"
#include "MemoryMeter.hpp"
#include "TestTypes.hpp"

namespace Tessera::Test {

template <class T>
class FormatMemoryTest : public ::testing::Test {};
TYPED_TEST_SUITE(FormatMemoryTest, OffsetCases);

constexpr std::size_t rounding = 4096;  // of all arrays, by Kokkos

TYPED_TEST(FormatMemoryTest, BoundsWhatIsBuiltAndWhatThatTakes) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const auto& A : adversarial_patterns<Offset>()) {
    const auto rows = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern;
    for (const Format format : every_format) {
      for (const std::size_t value_bytes : {4, 8}) {
        SCOPED_TRACE(std::string(to_string(format)) + ", " + std::to_string(A.rows) + " x " +
                     std::to_string(A.columns));
        const FormatMemory memory = format_memory(Exec(), format, rows, {}, value_bytes);
        const MemoryMeter meter;
        const auto built = build_format(Exec(), format, rows, {}, value_bytes);
        const std::size_t places = std::visit([](const auto& any) { return any.places(); }, built.pattern);
        const std::size_t pattern = std::visit([](const auto& any) { return any.bytes(); }, built.pattern);
        if (format == Format::Staged) {
          EXPECT_GE(memory.places, places);
        } else {
          EXPECT_EQ(memory.places, places);
        }
        if (format == Format::BlockRowPartition || format == Format::SortedColumns || format == Format::Staged) {
          EXPECT_GE(memory.pattern, pattern);
        } else {
          EXPECT_EQ(memory.pattern, pattern);
        }
        if (format == Format::Csr) continue;
        EXPECT_LE(static_cast<std::size_t>(meter.peak()),
                  memory.pattern + memory.places * sizeof(Offset) + memory.scratch + rounding);
      }
    }
  }
}

/// Canonical rows are copied, others sorted.
TYPED_TEST(FormatMemoryTest, RowsAreMadeWithinALimitOrRefused) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto check = [](const HostPattern<Offset>& host, bool is_canonical) {
    const DevicePattern<Exec, Offset> A(host);
    const std::size_t bytes = build_csr_bytes<Offset>(Exec(), host.rows, host.nonzeros(), is_canonical);
    const MemoryMeter meter;
    EXPECT_EQ(build_csr(Exec(), A.view(), host.nonzeros(), bytes).values.is_identity(), is_canonical);
    EXPECT_LE(static_cast<std::size_t>(meter.peak()), bytes + rounding);
    EXPECT_GE(static_cast<std::size_t>(meter.peak()), bytes / 2);
    const MemoryMeter refused;
    EXPECT_THROW(build_csr(Exec(), A.view(), host.nonzeros(), bytes - 1), FormatTooLarge);
    EXPECT_EQ(refused.peak(), 0);
  };
  check(random_pattern<Offset>(400, 300, 0.1, 1), true);
  check(unsorted_pattern<Offset>(400, 300, 30, 1), false);
}

}  // namespace Tessera::Test
