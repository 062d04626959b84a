// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tessera/common/Complex.hpp>
#include <tessera/cuda/FollowValues.hpp>
#include <vector>

#include "DeviceMemory.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Impl;
using Test::OnDevice;

/// An array of words on the device, with the state of its last check.
class Watched {
 public:
  explicit Watched(std::size_t words)
      : words_(std::vector<std::uint32_t>(words + 4, 7)), state_({Impl::WatchedArray{}}) {}

  void set(std::size_t word, std::uint32_t value) {
    Test::check(cudaMemcpy(words_.data() + word, &value, sizeof value, cudaMemcpyHostToDevice), "setting a word");
  }
  /// Checks `words` words from `first` on, and returns whether they have changed since the last check.
  bool has_changed(std::size_t first, std::size_t words) {
    Cuda::look_at_values(nullptr, words_.data() + first, 4 * words, state_.data());
    const Impl::WatchedArray state = state_.to_host()[0];
    EXPECT_EQ(state.sum, 0u) << "the next look begins with this sum";
    EXPECT_EQ(state.parts, 0u);
    last = state.fingerprint;
    return state.has_changed != 0;
  }

  std::uint64_t last = 0;

 private:
  OnDevice<std::uint32_t> words_;
  OnDevice<Impl::WatchedArray> state_;
};

/// Returns the fingerprint, computed on the host.
template <class Chunk>
std::uint64_t fingerprint(const std::vector<std::uint32_t>& words) {
  const Impl::ChunkedArray<Chunk> array(words.data(), 4 * words.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < array.size(); ++i) sum += array.contribution(i);
  return sum;
}

// Numbers of words close to a chunk, a warp, a thread block and one round of a thread block; on a GPU also many blocks.
TEST(FollowValues, LooksFindEachChange) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const std::size_t words : {1, 2, 3, 4, 5, 127, 1023, 1024, 1025, 4095, 4096, 4100, 20000}) {
    Watched watched(words);
    std::uint32_t value = 7;  // initial value of all words
    EXPECT_TRUE(watched.has_changed(0, words)) << "the first look at " << words;
    EXPECT_FALSE(watched.has_changed(0, words)) << words;
    for (const std::size_t word : {std::size_t(0), words / 2, words - 1}) {
      watched.set(word, ++value);
      EXPECT_TRUE(watched.has_changed(0, words)) << words << ", word " << word;
      EXPECT_FALSE(watched.has_changed(0, words)) << words << ", word " << word;
    }
    watched.set(words, 1);
    EXPECT_FALSE(watched.has_changed(0, words)) << "the word behind " << words;
  }
}

TEST(FollowValues, AlignedOrNotTheFingerprintIsTheHosts) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const std::size_t words : {4, 7, 5000}) {
    Watched watched(words);
    const std::vector<std::uint32_t> host(words, 7);
    watched.has_changed(0, words);
    EXPECT_EQ(watched.last, fingerprint<Impl::WholeChunk>(host)) << words;
    watched.has_changed(1, words);
    EXPECT_EQ(watched.last, fingerprint<Impl::SmallChunk>(host)) << words;
  }
}

/// Slots 2i and 2i + 1 store entry i, and every third slot is empty. The caller's entries are in reverse order.
template <class Offset, class Scalar>
void check_gather(std::size_t places) {
  std::vector<Offset> slots(places / 2 + 1), place_entries(places);
  std::vector<Scalar> source(slots.size()), before(places, Scalar(-1)), expected(places);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i] = static_cast<Offset>(slots.size() - 1 - i);
    source[i] = Scalar(static_cast<float>(i) + 1);
  }
  for (std::size_t i = 0; i < places; ++i) {
    const bool is_empty = i % 3 == 2;
    place_entries[i] = is_empty ? Impl::GatherValue<Scalar>::no_source : static_cast<Offset>(i / 2);
    expected[i] = is_empty ? Scalar(0) : source[static_cast<std::size_t>(slots[i / 2])];
  }
  const OnDevice<Offset> d_slots(slots), d_places(place_entries);
  const OnDevice<Scalar> d_source(source), d_target(before);
  const OnDevice<std::uint32_t> answers({0, 1});
  const Impl::GatherValue<Scalar> gather{d_slots.data(), nullptr, d_places.data(), d_source.data(), d_target.data()};
  Cuda::gather_wanted_values(nullptr, gather, places, answers.data());
  EXPECT_TRUE(d_target.to_host() == before) << "nothing was wanted";
  Cuda::gather_wanted_values(nullptr, gather, places, answers.data() + 1);
  EXPECT_TRUE(d_target.to_host() == expected) << places << " places";
}

TEST(FollowValues, GathersWhatIsWanted) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const std::size_t places : {1, 2, 255, 256, 257, 3000}) {
    check_gather<int, double>(places);
    check_gather<int, float>(places);
    check_gather<int, Complex<double>>(places);
    check_gather<int, Complex<float>>(places);
  }
}

TEST(FollowValues, SumsDuplicates) {
  TESSERA_SKIP_WITHOUT_GPU();
  const OnDevice<int> slots({2, 0, 3, 1}), runs({0, 1, 4});
  const OnDevice<double> source({1, 10, 100, 1000}), target({0, 0});
  const OnDevice<std::uint32_t> wanted({1});
  Cuda::gather_wanted_values(
      nullptr, Impl::GatherValue<double>{slots.data(), runs.data(), nullptr, source.data(), target.data()}, 2,
      wanted.data());
  EXPECT_EQ(target.to_host(), (std::vector<double>{100, 1011}));
}

}  // namespace
