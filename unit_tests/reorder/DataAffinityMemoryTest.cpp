// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that data_affinity() allocates, and the times that the host waits, as Kokkos Tools report them.
#include <algorithm>
#include <string>
#include <string_view>
#include <tessera/io/Generators.hpp>
#include <tessera/reorder/DataAffinity.hpp>

#include "MemoryMeter.hpp"
#include "RowOrderCases.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

template <class T>
class DataAffinityMemoryTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Offset = typename T::Offset;

  static HostPattern<Offset> road(int rows) {
    const HostCsr<double> A = generate_road(rows, 1);
    HostPattern<Offset> result;
    result.columns = A.columns;
    for (std::size_t row = 0; row < std::size_t(rows); ++row) {
      for (auto k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k)
        result.column_indices.push_back(A.column_indices[k]);
      result.end_row();
    }
    return result;
  }

  struct Counts {
    std::ptrdiff_t rounds, allocations, waits;
  };
  static Counts counts(const DevicePattern<Exec, Offset>& A) {
    const ToolEvents events;
    data_affinity(Exec(), A.view());
    const auto rounds = std::count(events.kernels().begin(), events.kernels().end(), "Tessera::propose");
    return {rounds, std::ptrdiff_t(events.allocations("Tessera::")), std::ptrdiff_t(events.fences("Tessera::"))};
  }
};
TYPED_TEST_SUITE(DataAffinityMemoryTest, OffsetCases);

/// Each round reuses the memory of the first, and copies to the host once.
TYPED_TEST(DataAffinityMemoryTest, RoundsAllocateNothing) {
  const DevicePattern<typename TestFixture::Exec, typename TestFixture::Offset> few(this->road(100)),
      many(this->road(50000));
  const auto of_few = this->counts(few), of_many = this->counts(many);
  ASSERT_LT(of_few.rounds + 2, of_many.rounds);
  EXPECT_EQ(of_few.allocations, of_many.allocations);
  EXPECT_LE(of_many.allocations, 5);
  EXPECT_LE(of_many.waits - of_few.waits, of_many.rounds - of_few.rounds);
}

}  // namespace Tessera::Impl::Test
