// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels must not do ends the program, with a word on what it was.
#include <gtest/gtest.h>

#include <cstddef>

#ifdef TESSERA_ADDRESS_SANITIZER
// It would map memory for the frames of each of many thousand fibers.
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }
#endif

namespace {

using Tessera::Emulation::Block;

template <class Kernel>
void run(unsigned threads, const Kernel& kernel) {
  Block::running().launch(1, threads, 64, kernel);
}

TEST(Emulation, LanesExchangeValues) {
  int sum = 0;
  run(64, [&] {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int other = __shfl_sync(~0u, lane, lane + 1, 8);
    sum += other == lane / 8 * 8 + (lane + 1) % 8;
    __syncthreads();
    sum += __reduce_max_sync(~0u, lane) == 31;
  });
  EXPECT_EQ(sum, 2 * 64);
}

TEST(EmulationDeathTest, LanesThatDiverge) {
  EXPECT_DEATH(run(32, [] { threadIdx.x == 3 ? __syncwarp() : (void)__shfl_sync(~0u, 1, 0); }),
               "__syncwarp and __shfl_sync|__shfl_sync and __syncwarp");
}

TEST(EmulationDeathTest, LanesThatAreLeftAlone) {
  EXPECT_DEATH(run(32,
                   [] {
                     if (threadIdx.x > 0) __syncwarp();
                   }),
               "never comes");
}

TEST(EmulationDeathTest, AccessesThatAreMisalignedOrOutside) {
  void* memory = nullptr;
  cudaMalloc(&memory, 24);
  const auto* words = static_cast<const std::byte*>(memory);
  EXPECT_DEATH(run(32, [&] { __ldg(reinterpret_cast<const double2*>(words + 8)); }), "misaligned");
  EXPECT_DEATH(run(32, [&] { __ldg(reinterpret_cast<const double2*>(words + 16)); }), "beyond");
  cudaFree(memory);
}

}  // namespace
