// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <numeric>

/// The copies and barriers of src/cuda/ptx/AsyncCopy.cuh that kernels use. Each copy is made as late as possible: when
/// the thread waits for its group, or arrives at a barrier afterwards. A kernel that forgets to wait reads NaN.
namespace Tessera::Impl::Cuda {

inline void copy_async_16_filled(void* shared, const void* global, int valid) {
  auto& block = Emulation::Block::running();
  if (!block.is_shared(shared, 16)) Emulation::fail("cp.async beyond shared memory");
  if (reinterpret_cast<std::uintptr_t>(shared) % 16 != 0) Emulation::fail("cp.async to a misaligned address");
  if (valid < 0 || valid > 16) Emulation::fail("cp.async of less than 0 or more than 16 bytes");
  if (valid > 0) Emulation::Memory::device().check(global, static_cast<std::size_t>(valid), 16, "cp.async");
  block.thread().copies.push_back({shared, global, valid, 16});
}
inline void copy_async_16(void* shared, const void* global) { copy_async_16_filled(shared, global, 16); }
inline void copy_async_16(void* shared, const void* global, bool valid) {
  copy_async_16_filled(shared, global, valid ? 16 : 0);
}
inline void copy_async_cached_filled(void* shared, const void* global, int valid) {
  copy_async_16_filled(shared, global, valid);
}
/// Makes the oldest `count` copies of the thread.
inline void do_copies(std::size_t count) {
  auto& copies = Emulation::Block::running().thread().copies;
  for (std::size_t i = 0; i < count; ++i) {
    std::memset(copies[i].to, 0, static_cast<std::size_t>(copies[i].filled));
    std::memcpy(copies[i].to, copies[i].from, static_cast<std::size_t>(copies[i].bytes));
  }
  copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(count));
}

inline void commit_copies() {
  Emulation::Thread& thread = Emulation::Block::running().thread();
  const std::size_t committed = std::accumulate(thread.groups.begin(), thread.groups.end(), std::size_t(0));
  thread.groups.push_back(thread.copies.size() - committed);
}

template <int pending>
void wait_copies() {
  auto& groups = Emulation::Block::running().thread().groups;
  while (groups.size() > pending) {
    do_copies(groups.front());
    groups.erase(groups.begin());
  }
}

template <int bytes>
void copy_async_cached(void* shared, const void* global) {
  auto& block = Emulation::Block::running();
  if (!block.is_shared(shared, bytes)) Emulation::fail("cp.async beyond shared memory");
  if (reinterpret_cast<std::uintptr_t>(shared) % bytes != 0) Emulation::fail("cp.async to a misaligned address");
  Emulation::Memory::device().check(global, bytes, bytes, "cp.async");
  block.thread().copies.push_back({shared, global, bytes, bytes});
}

/// The 64 bits of an mbarrier.
struct EmulatedBarrier {
  std::int16_t pending, expected;
  unsigned phase;

  static EmulatedBarrier& at(std::uint64_t* memory) {
    if (!Emulation::Block::running().is_shared(memory, sizeof(EmulatedBarrier))) Emulation::fail("a stray mbarrier");
    return *reinterpret_cast<EmulatedBarrier*>(memory);
  }
};

/// The bulk copies that a barrier waits for. They are made after all threads have arrived and all copies have begun.
struct EmulatedBulkCopies {
  int expected = 0, begun = 0;  // bytes
  std::vector<Emulation::PendingCopy> copies;

  static EmulatedBulkCopies& of(std::uint64_t* barrier) {
    static std::map<std::uint64_t*, EmulatedBulkCopies> all;
    return all[barrier];
  }
};

inline void mbarrier_init(std::uint64_t* barrier, int arrivals) {
  EmulatedBarrier::at(barrier) = {static_cast<std::int16_t>(arrivals), static_cast<std::int16_t>(arrivals), 0};
  EmulatedBulkCopies::of(barrier) = {};
}
inline void fence_mbarrier_init() {}

inline void end_phase_if_complete(std::uint64_t* barrier) {
  EmulatedBarrier& state = EmulatedBarrier::at(barrier);
  EmulatedBulkCopies& bulk = EmulatedBulkCopies::of(barrier);
  if (state.pending > 0 || bulk.expected != bulk.begun) return;
  for (const Emulation::PendingCopy& copy : bulk.copies) {
    std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
  }
  bulk = {};
  state.pending = state.expected;
  ++state.phase;
}

inline void mbarrier_arrive(std::uint64_t* barrier) {
  EmulatedBarrier& state = EmulatedBarrier::at(barrier);
  if (state.expected <= 0) Emulation::fail("an mbarrier that was not initialised");
  if (--state.pending < 0) Emulation::fail("an arrival at an mbarrier that nobody waits for");
  end_phase_if_complete(barrier);
}

inline void mbarrier_arrive_expect(std::uint64_t* barrier, int bytes) {
  EmulatedBulkCopies::of(barrier).expected += bytes;
  mbarrier_arrive(barrier);
}

inline void bulk_copy(void* shared, const void* global, int bytes, std::uint64_t* barrier) {
  if (bytes <= 0 || bytes % 16 != 0) Emulation::fail("a bulk copy of no multiple of 16 bytes");
  if (!Emulation::Block::running().is_shared(shared, static_cast<std::size_t>(bytes))) {
    Emulation::fail("a bulk copy beyond shared memory");
  }
  if (reinterpret_cast<std::uintptr_t>(shared) % 16 != 0) Emulation::fail("a bulk copy to a misaligned address");
  Emulation::Memory::device().check(global, static_cast<std::size_t>(bytes), 16, "a bulk copy");
  EmulatedBulkCopies& bulk = EmulatedBulkCopies::of(barrier);
  bulk.copies.push_back({shared, global, bytes, bytes});
  bulk.begun += bytes;
  end_phase_if_complete(barrier);
}

inline void mbarrier_arrive_after_copies(std::uint64_t* barrier) {
  do_copies(Emulation::Block::running().thread().copies.size());
  mbarrier_arrive(barrier);
}

inline void mbarrier_wait(std::uint64_t* barrier, int parity) {
  const EmulatedBarrier& state = EmulatedBarrier::at(barrier);
  if (static_cast<int>(state.phase % 2) != parity) return;
  Emulation::Block::running().wait_for_change(state.phase, state.phase);
}

}  // namespace Tessera::Impl::Cuda
