// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "AdversarialPatterns.hpp"
#include "ExampleMatrix.hpp"
#include "voltrix/SerialWords.hpp"

namespace Tessera::Impl::Test {
namespace {

/// Returns the words of condensed windows of two strips.
std::vector<std::uint32_t> words_of(const HostCondensed& A) {
  std::vector<std::uint32_t> words;
  for (std::size_t word = 0; word < 4 * A.tiles(); ++word)
    words.push_back(bmat_word(&A.tile_masks[word / 4 * 2], static_cast<int>(word % 4)));
  return words;
}

/// Returns the entry at each place, in the order of the words.
std::vector<int> slots_by_words(const HostCondensed& A, const std::vector<std::uint32_t>& words) {
  std::vector<int> slots;
  for (std::size_t word = 0; word < words.size(); ++word) {
    const std::size_t tile = word / 4;
    for (int bit = 0; bit < 32; ++bit) {
      if ((words[word] >> bit & 1u) == 0) continue;
      const int place = place_of_bmat_bit(&A.tile_masks[2 * tile], static_cast<int>(word % 4), bit);
      slots.push_back(A.slots[static_cast<std::size_t>(A.tile_offsets[tile] + place)]);
    }
  }
  return slots;
}

TEST(BmatWordsTest, AreThePictureInTheDocstring) {
  const auto A = serial_condensed(example_matrix<int>(), 2);
  const std::vector<std::uint32_t> words = words_of(A);
  EXPECT_EQ(words, (std::vector<std::uint32_t>{0x08885033u, 0x00000200u, 0x84100040u, 0x80086066u, 0x01020000u,
                                               0x10100000u, 0, 0}));
  EXPECT_EQ(example_values(slots_by_words(A, words)), "abcdfghjltekmopqrsuvwyinxz");
}

TEST(BmatWordsTest, AreThoseOfTheSerialBuild) {
  for (const auto& matrix : adversarial_patterns<int>()) {
    SCOPED_TRACE(std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns));
    const auto A = serial_condensed(matrix, 2);
    const auto expected = serial_bmat_words(matrix);
    EXPECT_EQ(words_of(A), expected.tile_words);
    EXPECT_EQ(slots_by_words(A, expected.tile_words), expected.slots);
  }
}

}  // namespace
}  // namespace Tessera::Impl::Test
