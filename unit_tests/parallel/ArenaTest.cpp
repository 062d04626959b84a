// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/parallel/Arena.hpp>

#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Test {

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

TYPED_TEST(ArenaTest, MoreThanItHasIsRefused) {
  typename TestFixture::Arena arena(typename TestFixture::Exec(), "arena", 1000);
  try {
    static_cast<void>(typename TestFixture::Arrays{arena});
    FAIL() << "expected an exception";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("of arena are taken; expected at most 1000"), std::string::npos)
        << error.what();
  }
}

}  // namespace Tessera::Test
