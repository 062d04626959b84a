// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays: ownership, accounting of their memory, and failing allocations.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/MemoryLimit.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "FailingAllocator.hpp"
#include "MemoryMeter.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class ArrayTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Memory = typename Exec::memory_space;
  using Numbers = Impl::Array<std::uint64_t*, Memory>;
  using Scope = Impl::BuildScope<Exec>;

  static Numbers numbers(std::size_t size) { return Impl::allocate<Numbers>(Exec(), "numbers", size); }
  static auto account(std::size_t limit) { return std::make_shared<Impl::MemoryAccount>(limit); }

  // A separate function, because nvcc rejects kernels in the bodies of tests.
  static void add_indices(const Exec& exec, const Numbers& numbers) {
    Kokkos::parallel_for(
        "ArrayTest", Impl::IndexPolicy<Exec>(exec, 0, numbers.extent(0)),
        KOKKOS_LAMBDA(std::size_t i) { numbers(i) += i; });
  }
  static std::uint64_t sum(const Exec& exec, const Numbers& numbers) {
    std::uint64_t result = 0;
    Kokkos::parallel_reduce(
        "ArrayTest", Impl::IndexPolicy<Exec>(exec, 0, numbers.extent(0)),
        KOKKOS_LAMBDA(std::size_t i, std::uint64_t & of_all) { of_all += numbers(i); }, result);
    return result;
  }
};
TYPED_TEST_SUITE(ArrayTest, OffsetCases);

/// Results of kernels are copied to the host when these have ended, whatever the size and the position in the array.
TYPED_TEST(ArrayTest, ResultsComeToTheHost) {
  const typename TestFixture::Exec exec;
  for (const std::size_t size : {1, 2, 511, 512, 513, 100000}) {
    const auto array = Impl::allocate_zeros<typename TestFixture::Numbers>(exec, "numbers", size);
    this->add_indices(exec, array);
    EXPECT_EQ(Impl::read_element(exec, array.data() + size - 1), size - 1);
    this->add_indices(exec, array);
    const auto host = Impl::host_copy(exec, array);
    ASSERT_EQ(host.size(), size);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(host[i], 2 * i) << size;
    const auto part = Impl::host_copy(exec, Impl::part_of(array, {size / 2, size}));
    ASSERT_EQ(part.size(), size - size / 2);
    EXPECT_EQ(part.front(), 2 * (size / 2));
  }
  EXPECT_TRUE(Impl::host_copy(exec, typename TestFixture::Numbers()).empty());
}

TYPED_TEST(ArrayTest, MemoryEndsWithTheLastOwner) {
  const MemoryMeter memory;
  auto first = this->numbers(1000);
  EXPECT_EQ(memory.now(), 8000);
  {
    auto copy = first;
    const auto part = Impl::part_of(copy, {10, 20});
    EXPECT_EQ(part.data(), first.data() + 10);
    EXPECT_EQ(part.extent(0), 10u);
    first = {};
    auto moved = std::move(copy);
    moved = std::exchange(moved, {});
    EXPECT_EQ(memory.now(), 8000);
    moved = {};
    EXPECT_EQ(memory.now(), 8000) << "a part is left";
  }
  EXPECT_EQ(memory.now(), 0);
  EXPECT_EQ(memory.peak(), 8000);
  EXPECT_EQ(this->numbers(0).data(), nullptr);
  using Rows = Impl::Array<int* [3], typename TestFixture::Memory>;
  const auto rows = Impl::allocate<Rows>(typename TestFixture::Exec(), "rows", 5);
  EXPECT_EQ(rows.extent(0), 5u);
  EXPECT_EQ(memory.now(), 60);
}

TYPED_TEST(ArrayTest, KernelsCaptureIt) {
  const typename TestFixture::Exec exec;
  auto numbers = Impl::allocate_zeros<typename TestFixture::Numbers>(exec, "numbers", 1000);
  const MemoryMeter memory;
  {
    const auto captured = std::exchange(numbers, {});
    this->add_indices(exec, captured);
    EXPECT_EQ(this->sum(exec, captured), 499500u);
  }
  EXPECT_EQ(memory.now(), -8000) << "the kernels keep nothing";
}

TYPED_TEST(ArrayTest, AnAccountPaysWithinItsLimit) {
  const typename TestFixture::Exec exec;
  const auto account = this->account(10000);
  const MemoryMeter memory;
  typename TestFixture::Numbers kept;
  {
    const typename TestFixture::Scope scope(exec, account);
    kept = this->numbers(500);
    EXPECT_EQ(account->held(), 4096u);
    try {
      this->numbers(800);
      FAIL() << "expected an exception";
    } catch (const FormatTooLarge& rejection) {
      EXPECT_NE(
          std::string(rejection.what()).find("the array numbers takes 6400 bytes beside 4096, memory_limit allows"),
          std::string::npos)
          << rejection.what();
    }
    EXPECT_EQ(account->held(), 4096u);
    EXPECT_THROW(this->numbers(SIZE_MAX / 8), FormatTooLarge);
    this->numbers(700);
    EXPECT_EQ(account->left(), 10000u - 4096u);
  }
  EXPECT_EQ(account->peak(), 4096u + 5632u);
  EXPECT_LE(memory.peak(), 9600);
  this->numbers(10000);  // outside any build
  EXPECT_EQ(account->peak(), 4096u + 5632u);
  kept = {};
  EXPECT_EQ(account->held(), 0u);
}

/// Each thread counts the memory of its own build. An array shared by two builds is counted once.
TYPED_TEST(ArrayTest, ThreadsBuildSideBySide) {
  using Exec = typename TestFixture::Exec;
  const auto shared = this->numbers(100);
  std::array<std::shared_ptr<Impl::MemoryAccount>, 4> accounts;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < accounts.size(); ++t) {
    accounts[t] = this->account(no_memory_limit);
    threads.emplace_back([&, t] {
      const Exec exec;
      const typename TestFixture::Scope scope(exec, accounts[t]);
      for (int i = 0; i < 1000; ++i) {
        const auto copy = shared;
        const auto own = this->numbers(64 * (t + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < accounts.size(); ++t) {
    EXPECT_EQ(accounts[t]->held(), 0u);
    EXPECT_EQ(accounts[t]->peak(), 512 * (t + 1));
  }
}

TYPED_TEST(ArrayTest, NothingIsLostWhereMemoryRunsOut) {
  const typename TestFixture::Exec exec;
  const auto account = this->account(no_memory_limit);
  const typename TestFixture::Scope scope(exec, account);
  this->numbers(1000);
  typename TestFixture::Numbers numbers;
  const long failures = fail_each_allocation(
      Failing::Arrays, [&] { numbers = this->numbers(1000); },
      [&] {
        EXPECT_EQ(numbers.extent(0), 0u);
        EXPECT_EQ(account->held(), 0u);
      });
  EXPECT_GE(failures, 1);
  EXPECT_EQ(numbers.extent(0), 1000u);
}

/// The arena for devices without pools, on host memory.
class CachedArenaTest : public ::testing::Test {
 public:
  using Arena = Impl::CachedArena<Kokkos::HostSpace>;
  const Kokkos::DefaultHostExecutionSpace exec{};
  Arena arena;
};

TEST_F(CachedArenaTest, FreedBlocksServeTheirQueueAndThenAll) {
  void* const block = arena.take(exec, 5000);
  const char other_queue = 0;
  arena.give_back(block, 5000, &other_queue);
  EXPECT_EQ(arena.free_bytes(), 5120u);
  void* const another = arena.take(exec, 5100);
  EXPECT_NE(another, block);
  arena.share(&other_queue, [] {});
  EXPECT_EQ(arena.take(exec, 4700), block) << "the same class of sizes";
  EXPECT_EQ(arena.free_bytes(), 0u);
  arena.give_back(block, 4700, Impl::queue_of(exec));
  EXPECT_EQ(arena.take(exec, 5000), block);
  arena.give_back(block, 5000, Arena::idle);
  arena.give_back(another, 5100, Arena::idle);
  EXPECT_EQ(arena.free_bytes(), 10240u);
  const long before = live_allocations();
  arena.trim();
  EXPECT_EQ(arena.free_bytes(), 0u);
  EXPECT_LE(live_allocations(), before - 2);
}

TEST_F(CachedArenaTest, BlocksThatAreFreedWhileItWaitsStayTheirQueues) {
  const char queue = 0;
  void* const before = arena.take(exec, 5000);
  void* const meanwhile = arena.take(exec, 9000);
  arena.give_back(before, 5000, &queue);
  arena.share(&queue, [&] {
    EXPECT_EQ(arena.free_bytes(), 0u) << "nobody gets it before its work has ended";
    arena.give_back(meanwhile, 9000, &queue);
  });
  void* const another = arena.take(exec, 9000);
  EXPECT_NE(another, meanwhile);
  EXPECT_EQ(arena.take(exec, 5000), before);
  arena.give_back(before, 5000, Arena::idle);
  arena.give_back(another, 9000, Arena::idle);
  arena.trim();
}

TEST_F(CachedArenaTest, BlocksAreAtMostAnEighthLargerThanAskedFor) {
  for (const std::size_t bytes : {1u, 512u, 513u, 4097u, 8191u, 1000000u, 123456789u}) {
    const std::size_t block = Arena::block_bytes(bytes);
    EXPECT_GE(block, bytes);
    EXPECT_LE(block, std::max<std::size_t>(bytes + 511, bytes + bytes / 8)) << bytes;
    EXPECT_EQ(Arena::block_bytes(block), block);
  }
}

/// Emulates the memory of a device without pools on the host.
struct OtherMemory {
  static constexpr const char* name() { return "OtherMemory"; }
  template <class Exec>
  void* allocate(const Exec&, const char*, std::size_t bytes) const {
    taken += bytes;
    return ::operator new(bytes);
  }
  void deallocate(const char*, void* block, std::size_t bytes) const {
    taken -= bytes;
    ::operator delete(block);
  }
  static inline std::size_t taken = 0;
};

TEST_F(CachedArenaTest, AnAccountPaysForWholeBlocks) {
  using Owned = Impl::OwnedMemory<OtherMemory>;
  const auto account = std::make_shared<Impl::MemoryAccount>(200000);
  const Impl::BuildScope<Kokkos::DefaultHostExecutionSpace> scope(exec, account);
  const auto first = std::make_unique<Owned>(exec, "first", 100000);
  EXPECT_EQ(account->held(), Impl::CachedArena<OtherMemory>::block_bytes(100000));
  EXPECT_EQ(account->held(), OtherMemory::taken);
  EXPECT_GT(OtherMemory::taken, 100000u + 512u);
  EXPECT_THROW(Owned(exec, "second", 200000 - account->held() - 1000), FormatTooLarge);
  EXPECT_THROW(Owned(exec, "third", SIZE_MAX - 8), FormatTooLarge);
  EXPECT_EQ(account->held(), OtherMemory::taken);
}

TEST_F(CachedArenaTest, EachDeviceHasItsOwn) {
  using Arenas = Impl::CachedArena<OtherMemory>;
  Arenas& first = Arenas::of_device(7, SIZE_MAX);
  Arenas& second = Arenas::of_device(8, SIZE_MAX);
  EXPECT_NE(&first, &second);
  EXPECT_EQ(&first, &Arenas::of_device(7, SIZE_MAX));
  EXPECT_EQ(&Arenas::of(exec), &Arenas::of_device(Impl::device_of_instance(exec), SIZE_MAX));
  void* const block = first.take(exec, 5000);
  first.give_back(block, 5000, Arenas::idle);
  void* const another = second.take(exec, 5000);
  EXPECT_NE(another, block) << "memory of another device";
  EXPECT_EQ(first.free_bytes(), 5120u);
  second.give_back(another, 5000, Arenas::idle);
  first.trim();
  second.trim();
}

TEST_F(CachedArenaTest, KeepsNoMoreThanItsShare) {
  Arena small(10000);
  void* const blocks[] = {small.take(exec, 5000), small.take(exec, 4500), small.take(exec, 400)};
  const char queue = 0;
  small.give_back(blocks[0], 5000, &queue);
  small.give_back(blocks[1], 4500, &queue);
  EXPECT_EQ(small.free_bytes(), 5120u + 4608u) << "a build may use it again";
  small.give_back(blocks[2], 400, Arena::idle);
  small.share(&queue, [] {});
  EXPECT_LE(small.free_bytes(), 10000u);
  EXPECT_GE(small.free_bytes(), 4608u);
  small.give_back(small.take(exec, 20000), 20000, Arena::idle);
  EXPECT_LE(small.free_bytes(), 10000u);
  small.trim();
  using Others = Impl::CachedArena<OtherMemory>;
  Others none(0);
  const std::size_t before = OtherMemory::taken;
  void* const block = none.take(exec, 5000);
  EXPECT_GE(OtherMemory::taken, before + 5000);
  none.give_back(block, 5000, Others::idle);
  EXPECT_EQ(OtherMemory::taken, before) << "what it does not keep is freed";
}

/// A failed allocation is repeated once, after the arena has freed what it keeps.
TEST_F(CachedArenaTest, WhatItKeepsGoesBackWhereMemoryRunsShort) {
  arena.give_back(arena.take(exec, 5000), 5000, Impl::queue_of(exec));
  fail_allocation(1, Failing::Arrays);
  void* const block = arena.take(exec, 100000);
  const bool has_failed = allocation_has_failed();
  fail_allocation(0);
  EXPECT_TRUE(has_failed);
  EXPECT_EQ(arena.free_bytes(), 0u);
  arena.give_back(block, 100000, Arena::idle);
  arena.trim();
}

}  // namespace Tessera::Impl::Test
