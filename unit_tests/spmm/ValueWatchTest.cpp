// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The watch reports a change exactly if the arrays changed.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/spmm/impl/ValueWatch.hpp>

#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class ValueWatchTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Bytes = Kokkos::View<unsigned char*, typename Exec::memory_space>;

  bool finds_change(const Bytes& bytes, std::size_t first, std::size_t count) {
    const Exec exec;
    watch.look(exec, bytes.data() + first, count);
    std::uint32_t changed = 2;
    Kokkos::View<std::uint32_t, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&changed);
    using Answer =
        Kokkos::View<const std::uint32_t, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec, host, Answer(watch.changed()));
    exec.fence();
    EXPECT_LE(changed, 1u);
    return changed == 1;
  }

  Impl::ValueWatch<Exec> watch;
};
TYPED_TEST_SUITE(ValueWatchTest, OffsetCases);

TYPED_TEST(ValueWatchTest, FindsEachBit) {
  using Bytes = typename TestFixture::Bytes;
  for (const std::size_t first : {0, 4, 8}) {
    for (const std::size_t count : {4, 8, 12, 16, 20, 36, 4096, 4108}) {
      const Bytes bytes("bytes", first + count);
      this->watch.forget(typename TestFixture::Exec());
      EXPECT_TRUE(this->finds_change(bytes, first, count)) << "the first look";
      EXPECT_FALSE(this->finds_change(bytes, first, count)) << "the second look";
      for (const std::size_t place : {std::size_t(0), count / 2, count - 1}) {
        for (const int bit : {0, 7}) {
          Kokkos::deep_copy(Kokkos::subview(bytes, first + place), 1 << bit);
          EXPECT_TRUE(this->finds_change(bytes, first, count)) << count << " bytes, byte " << place << ", bit " << bit;
          EXPECT_FALSE(this->finds_change(bytes, first, count)) << count << " bytes, byte " << place << ", bit " << bit;
        }
      }
    }
  }
}

TYPED_TEST(ValueWatchTest, FindsAnyChangeAfterForgetting) {
  const typename TestFixture::Bytes bytes("bytes", 64);
  this->watch.forget(typename TestFixture::Exec());  // before the first check
  EXPECT_TRUE(this->finds_change(bytes, 0, 64));
  EXPECT_FALSE(this->finds_change(bytes, 0, 64));
  this->watch.forget(typename TestFixture::Exec());
  EXPECT_TRUE(this->finds_change(bytes, 0, 64));
  EXPECT_FALSE(this->finds_change(bytes, 0, 64));
}

/// A single 2 moves among ones, which neither a sum nor a sum with positions may notice.
TYPED_TEST(ValueWatchTest, FindsWhatChangedPlaces) {
  using Exec = typename TestFixture::Exec;
  const Kokkos::View<double*, typename Exec::memory_space> values("values", 4096);
  const typename TestFixture::Bytes bytes(reinterpret_cast<unsigned char*>(values.data()), 8 * 4096);
  Kokkos::deep_copy(values, 1.0);
  EXPECT_TRUE(this->finds_change(bytes, 0, 8 * 4096));
  std::size_t last = 0;
  for (const std::size_t place : {1, 2, 3, 2048, 2049, 4094, 4095}) {  // moves the 2
    Kokkos::deep_copy(Kokkos::subview(values, last), 1.0);
    Kokkos::deep_copy(Kokkos::subview(values, place), 2.0);
    EXPECT_TRUE(this->finds_change(bytes, 0, 8 * 4096)) << "from " << last << " to " << place;
    last = place;
  }
}

}  // namespace Tessera::Impl::Test
