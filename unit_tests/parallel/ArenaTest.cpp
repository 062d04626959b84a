// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/parallel/Arena.hpp>

#include "MemoryMeter.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class ArenaTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Arena = Impl::Arena<typename Exec::memory_space>;

  struct Arrays {
    Impl::Array<char*, typename Exec::memory_space> none, letters;
    Impl::Array<std::uint64_t*, typename Exec::memory_space> numbers;
    explicit Arrays(Arena& arena) {
      arena.take(letters, 3);
      arena.take(none, 0);
      arena.take(numbers, 1000);
    }
  };
};
TYPED_TEST_SUITE(ArenaTest, OffsetCases);

TYPED_TEST(ArenaTest, ArraysAreApart) {
  typename TestFixture::Arena measure;
  const typename TestFixture::Arrays empty(measure);
  EXPECT_EQ(empty.numbers.extent(0), 0u);

  typename TestFixture::Arena arena(typename TestFixture::Exec(), "arena", measure.bytes());
  const typename TestFixture::Arrays arrays(arena);
  EXPECT_EQ(arena.bytes(), measure.bytes());
  EXPECT_EQ(arrays.none.extent(0), 0u);
  Kokkos::deep_copy(arrays.numbers, std::uint64_t(7));
  Kokkos::deep_copy(arrays.letters, 'x');
  EXPECT_EQ(to_host(arrays.letters), std::vector<char>(3, 'x'));
  EXPECT_EQ(to_host(arrays.numbers), std::vector<std::uint64_t>(1000, 7));
}

/// A format needs no memory besides its arrays.
TYPED_TEST(ArenaTest, ArraysThatFollowLeaveNoGaps) {
  using Memory = typename TestFixture::Exec::memory_space;
  Impl::Array<std::uint64_t*, Memory> wide;
  Impl::Array<std::uint16_t* [3], Memory> rows;
  Impl::Array<char*, Memory> letters;
  const MemoryMeter memory;
  Impl::take_at_once<Memory>(typename TestFixture::Exec(), "arrays", [&](auto& arena) {
    arena.take(wide, 3);
    arena.take_behind(rows, 5);
    arena.take_behind(letters, 7);
  });
  EXPECT_EQ(memory.now(), 3 * 8 + 5 * 3 * 2 + 7);
  EXPECT_EQ(rows.extent(0), 5u);
  EXPECT_EQ(static_cast<const void*>(rows.data()), wide.data() + 3);
  EXPECT_EQ(static_cast<const void*>(letters.data()), rows.data() + 15);
  Impl::take_at_once<Memory>(typename TestFixture::Exec(), "arrays", [&](auto& arena) {
    arena.take(letters, 3);
    arena.take_behind(wide, 0);
    arena.take_behind(rows, 1);
  });
  EXPECT_EQ(wide.data(), nullptr) << "an empty array keeps nothing of the block";
  EXPECT_EQ(memory.now(), 4 + 6) << "numbers are aligned";
}

TYPED_TEST(ArenaTest, TablesAreCopiedToOneBlock) {
  using Memory = typename TestFixture::Exec::memory_space;
  const std::vector<std::uint64_t> numbers{1, 2, 3};
  const std::vector<int> none;
  const std::vector<char> letters{'a', 'b'};
  Impl::Array<std::uint64_t*, Memory> numbers_there;
  Impl::Array<int*, Memory> none_there;
  Impl::Array<char*, Memory> letters_there;
  const MemoryMeter memory;
  Impl::copy_at_once(typename TestFixture::Exec(), "tables", Impl::TableCopy{numbers, numbers_there},
                     Impl::TableCopy{none, none_there}, Impl::TableCopy{letters, letters_there});
  EXPECT_EQ(memory.now(), 26);
  EXPECT_EQ(to_host(numbers_there), numbers);
  EXPECT_EQ(none_there.extent(0), 0u);
  EXPECT_EQ(to_host(letters_there), letters);
}

TYPED_TEST(ArenaTest, MoreThanItHasIsRejected) {
  typename TestFixture::Arena arena(typename TestFixture::Exec(), "arena", 1000);
  try {
    static_cast<void>(typename TestFixture::Arrays{arena});
    FAIL() << "expected an exception";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("of arena are taken; expected at most 1000"), std::string::npos)
        << error.what();
  }
}

}  // namespace Tessera::Impl::Test
