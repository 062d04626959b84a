// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page-locked memory for results of a GPU. Empty if Kokkos has no CUDA.
#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <gtest/gtest.h>

#include <optional>
#include <tessera/parallel/Arrays.hpp>
#include <thread>
#include <vector>

namespace Tessera::Impl::Test {

TEST(PinnedRecordTest, BlocksAreUsedAgain) {
  const Kokkos::Cuda exec;
  std::optional<PinnedRecord> first(exec), second(exec);
  first.reset();
  second.reset();
  const std::size_t idle = PinnedRecord::idle_blocks();
  EXPECT_GE(idle, 2u);
  for (int i = 0; i < 10; ++i) {
    const PinnedRecord again(exec);
    EXPECT_EQ(PinnedRecord::idle_blocks(), idle - 1);
  }
  EXPECT_EQ(PinnedRecord::idle_blocks(), idle);
}

/// Several threads read results of their own streams at the same time.
TEST(PinnedRecordTest, EachThreadGetsItsOwnResults) {
  constexpr int threads = 4, rounds = 200;
  const auto instances = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1, 1, 1, 1);
  std::vector<int> wrong(threads);
  std::vector<Array<int*, Kokkos::CudaSpace>> arrays;
  for (int t = 0; t < threads; ++t)
    arrays.push_back(device_copy(instances[std::size_t(t)], "numbers", std::vector<int>(100, t)));
  const auto read = [&](std::size_t t) {
    for (int i = 0; i < rounds; ++i)
      for (const int number : host_copy(instances[t], arrays[t])) wrong[t] += number != int(t);
  };
  std::vector<std::thread> readers;
  for (std::size_t t = 0; t < threads; ++t) readers.emplace_back(read, t);
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, std::vector<int>(threads));
}

}  // namespace Tessera::Impl::Test

#endif
