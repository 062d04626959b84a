// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of kernels that emulation must detect: each ends the program with a message.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <launch/PerDevice.cuh>
#include <ptx/Mma.hpp>
#include <utility>

#ifdef TESSERA_ADDRESS_SANITIZER
// Off, because this check would map memory for the frames of thousands of fibers.
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }
#endif

namespace {

using Tessera::Impl::Emulation::Block;

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

/// Answers are those of the GPU that the caller knows to be current; otherwise CUDA is asked, which says 0 here.
TEST(PerDevice, TakesTheGpuThatIsKnown) {
  using Tessera::Impl::Cuda::KnownDevice;
  Tessera::Impl::Cuda::PerDevice number;
  const auto of_current = [&] { return number([](int device) { return device; }); };
  EXPECT_EQ(of_current(), 0);
  {
    const KnownDevice outer(3);
    EXPECT_EQ(of_current(), 3);
    {
      const KnownDevice inner(2);
      EXPECT_EQ(of_current(), 2);
    }
    EXPECT_EQ(of_current(), 3);
  }
  EXPECT_EQ(of_current(), 0);
}

TEST(EmulationDeathTest, GridsWithoutBlocks) {
  EXPECT_DEATH(Block::running().launch(0, 32, 64, [] {}), "a grid of no blocks");
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

TEST(Emulation, NumbersOf16Bits) {
  using namespace Tessera::Impl::Cuda;
  // Ties to even, carries into the exponent, the largest number and beyond, and subnormal numbers.
  const std::pair<float, unsigned> fp16[] = {
      {1.f, 0x3c00},        {-2.5f, 0xc100},       {1.f + 0x1p-11f, 0x3c00}, {1.f + 3 * 0x1p-11f, 0x3c02},
      {2047.9f, 0x6800},    {65504.f, 0x7bff},     {65519.f, 0x7bff},        {65520.f, 0x7c00},
      {-HUGE_VALF, 0xfc00}, {0x1p-14f, 0x0400},    {0x1p-24f, 0x0001},       {0x1p-25f, 0x0000},
      {0x1.8p-24f, 0x0002}, {0x1.ffcp-15f, 0x0400}};
  for (const auto& [value, bits] : fp16) EXPECT_EQ(to_fp16(value), bits) << value;
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    EXPECT_EQ(to_fp16(from_fp16(static_cast<std::uint16_t>(bits))), bits);
  }
  EXPECT_TRUE(std::isnan(from_fp16(to_fp16(std::nanf("")))));
  EXPECT_EQ(to_bf16(1.f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(to_bf16(1.f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(to_bf16(3.4e38f), 0x7f80);
}

}  // namespace
