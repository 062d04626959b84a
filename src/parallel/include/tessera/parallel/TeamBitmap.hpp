// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/parallel/Teams.hpp>

namespace Tessera::Impl {

/// A set of numbers in the scratch memory of a team, as a bitmap. All threads of the team call all functions but
/// mark(), rank() and number().
template <class Exec>
struct TeamBitmap {
  using Member = typename Teams<Exec>::member_type;

  int words = 0;                   ///< the set can have the numbers 0, ..., 32 words - 1
  std::uint32_t* marks = nullptr;  ///< a bit for each number
  int* before = nullptr;           ///< see count()

  TeamBitmap() = default;
  /// Allocates scratch memory for up to `most_words` words.
  KOKKOS_FUNCTION TeamBitmap(const Member& team, int most_words)
      : words(most_words),
        marks(team_array<std::uint32_t>(team, most_words)),
        before(team_array<int>(team, most_words)) {}

  /// Returns the bytes of scratch memory that a bitmap needs.
  static std::size_t bytes(int most_words) {
    return std::size_t(most_words) * (sizeof(std::uint32_t) + sizeof(int)) + 64;
  }

  /// Makes the set empty. It has `size` words from now on.
  KOKKOS_FUNCTION void clear(const Member& team, int size) {
    words = size;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, words), [&](int word) { marks[word] = 0; });
    team.team_barrier();
  }

  /// Adds a number. Returns whether it was not yet in the set.
  KOKKOS_FUNCTION bool mark(int number) const {
    const std::uint32_t bit = std::uint32_t(1) << number % 32;
    return (add_bits<Exec>(&marks[number / 32], bit) & bit) == 0;
  }

  /// Computes the numbers of marks before each word, with one thread of the team. Returns the number of all marks.
  KOKKOS_FUNCTION int count(const Member& team) const {
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, words), [&](int word, int& sum, bool final) {
        if (final) before[word] = sum;
        sum += popcount(marks[word]);
      });
    });
    team.team_barrier();
    return words == 0 ? 0 : before[words - 1] + popcount(marks[words - 1]);
  }

  /// Returns how many less numbers are in the set. It must have been counted.
  KOKKOS_FUNCTION int rank(int number) const {
    return before[number / 32] + popcount(marks[number / 32] & ((std::uint32_t(1) << number % 32) - 1));
  }

  /// Returns the number in the set that has this rank. The set must have been counted.
  KOKKOS_FUNCTION int number(int rank) const {
    int word = 0;  // the last word that has at most `rank` marks before it
    for (int end = words; end - word > 1;) {
      const int middle = word + (end - word) / 2;
      if (before[middle] <= rank) {
        word = middle;
      } else {
        end = middle;
      }
    }
    std::uint32_t bits = marks[word];
    for (int left = rank - before[word]; left > 0; --left) bits &= bits - 1;
    return 32 * word + lowest_bit(bits);
  }
};

}  // namespace Tessera::Impl
