// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU memory pool: memory freed on a stream is not reused before that stream's work is done, and memory that the
// pool keeps remains available to others. Empty if Kokkos has no CUDA.
#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tessera/MemoryLimit.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <utility>

namespace Tessera::Impl::Test {

class CudaMemoryTest : public ::testing::Test {
 public:
  using Bytes = Impl::Array<std::byte*, Kokkos::CudaSpace>;
  using Numbers = Impl::Array<std::uint64_t*, Kokkos::CudaSpace>;
  using Scope = Impl::BuildScope<Kokkos::Cuda>;

  class Stream {
   public:
    Stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
    ~Stream() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    Kokkos::Cuda instance() const { return Kokkos::Cuda(stream_); }

   private:
    cudaStream_t stream_ = nullptr;
  };

  static auto account() { return std::make_shared<Impl::MemoryAccount>(no_memory_limit); }
  static Numbers numbers(const Kokkos::Cuda& exec) { return Impl::allocate<Numbers>(exec, "numbers", size); }
  static std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
  }

  /// Sets all elements to a number after about 0.1 s.
  static void write_late(const Kokkos::Cuda& exec, const Numbers& array, std::uint64_t number) {
    Kokkos::parallel_for(
        "CudaMemoryTest::late", Impl::IndexPolicy<Kokkos::Cuda>(exec, 0, size), KOKKOS_LAMBDA(std::size_t i) {
          KOKKOS_IF_ON_DEVICE((const long long start = clock64(); while (clock64() - start < 100000000LL){}))
          array(i) = number;
        });
  }
  /// Returns the number of elements that differ from `number`.
  static std::size_t others(const Kokkos::Cuda& exec, const Numbers& array, std::uint64_t number) {
    std::size_t count = 0;
    Kokkos::parallel_reduce(
        "CudaMemoryTest::others", Impl::IndexPolicy<Kokkos::Cuda>(exec, 0, size),
        KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) { sum += array(i) != number; }, count);
    return count;
  }

  static constexpr std::size_t size = 1024;
};

TEST_F(CudaMemoryTest, WhatABuildFreesIsReusedInTheOrderOfItsStream) {
  const Stream first, second;
  const Kokkos::Cuda building = first.instance(), other = second.instance();
  numbers(building);  // fills the pool
  const Scope scope(building, account());
  auto freed = numbers(building);
  write_late(building, freed, 1);
  freed = {};
  const auto next = numbers(building);
  Kokkos::deep_copy(building, next, 2);
  const auto elsewhere = numbers(other);
  Kokkos::deep_copy(other, elsewhere, 3);
  building.fence();
  EXPECT_EQ(others(building, next, 2), 0u);
  EXPECT_EQ(others(other, elsewhere, 3), 0u);
}

/// Freeing waits for all streams, because a plan may be used on other streams than it was made on.
TEST_F(CudaMemoryTest, WhatIsFreedElsewhereWaitsForAllStreams) {
  const Stream first, second;
  const Kokkos::Cuda making = first.instance(), using_it = second.instance();
  auto array = numbers(making);
  making.fence();
  write_late(using_it, array, 1);
  array = {};
  EXPECT_EQ(cudaStreamQuery(using_it.cuda_stream()), cudaSuccess) << "its work has ended";
}

TEST_F(CudaMemoryTest, OutlivesItsStream) {
  Numbers array;
  {
    const Stream stream;
    const Kokkos::Cuda exec = stream.instance();
    const Scope scope(exec, account());
    array = numbers(exec);
    Kokkos::deep_copy(exec, array, 5);
    exec.fence();
  }
  EXPECT_EQ(others(Kokkos::Cuda(), array, 5), 0u);
  array = {};
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

/// Allocates arrays as large as the GPU allows, one after another, in different sizes.
TEST_F(CudaMemoryTest, WhatThePoolKeepsGoesWhereMemoryRunsShort) {
  const Kokkos::Cuda exec;
  const Scope scope(exec, account());
  const std::size_t most = free_bytes() + Impl::CudaMemory::idle_bytes(exec);
  for (const std::size_t tenths : {8u, 4u, 9u}) {
    const auto array = Impl::allocate<Bytes>(exec, "large", most / 10 * tenths);
    EXPECT_NE(array.data(), nullptr);
  }
  EXPECT_THROW(Impl::allocate<Bytes>(exec, "too large", 2 * most), std::runtime_error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the failure is told once";
}

TEST_F(CudaMemoryTest, OthersGetWhatABuildLeaves) {
  const Kokkos::Cuda exec;
  const auto total = exec.cuda_device_prop().totalGlobalMem;
  const auto most_idle = total / 16 + (std::size_t(64) << 20);  // the pool grows in large steps
  const std::size_t large = free_bytes() / 10 * 8;
  {
    const Scope scope(exec, account());
    Impl::allocate<Bytes>(exec, "large", large);
    exec.fence();
  }
  EXPECT_LE(Impl::CudaMemory::idle_bytes(exec), most_idle);
  { const auto of_a_plan = Impl::allocate<Bytes>(exec, "large", large); }
  EXPECT_LE(Impl::CudaMemory::idle_bytes(exec), most_idle);
  void* others = nullptr;
  EXPECT_EQ(cudaMalloc(&others, large), cudaSuccess);
  EXPECT_EQ(cudaFree(others), cudaSuccess);
}

}  // namespace Tessera::Impl::Test

#endif
