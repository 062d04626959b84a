// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Fiber.hpp"
#include "Vectors.hpp"

namespace Tessera::Impl::Emulation {

/// Reports an error that a GPU would crash on or ignore, and ends the program.
[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "emulated kernel: %s (block %u, %u; thread %u, %u)\n", what.c_str(), blockIdx.x, blockIdx.y,
               threadIdx.x, threadIdx.y);
  std::abort();
}

/// A barrier for all threads of a group.
struct Rendezvous {
  unsigned meetings = 0;
  unsigned arrived = 0;
  const char* operation = nullptr;
};

struct Warp {
  static constexpr unsigned size = 32;
  static constexpr std::size_t value_bytes = 64;

  Rendezvous rendezvous;
  /// Values that the lanes exchange at this meeting and at the next one.
  alignas(16) std::byte values[2][size][value_bytes];
};

/// A copy that has begun and is not finished.
struct PendingCopy {
  void* to;
  const void* from;
  int bytes;   // to copy
  int filled;  // including zeros that fill up
};

struct Thread {
  Fiber fiber;
  uint3 index;
  unsigned number = 0;  // index in its thread block
  bool is_done = false;
  bool has_waited = false;  // for the kernels before
  // The thread waits until *counter is not `seen`; nullptr: it does not wait.
  const unsigned* counter = nullptr;
  unsigned seen = 0;
  std::vector<PendingCopy> copies;
  std::vector<std::size_t> groups;  // number of copies in each committed group, oldest first

  bool is_ready() const { return !is_done && (counter == nullptr || *counter != seen); }
};

/// The thread block that runs. Its threads are fibers; one runs at a time, until it waits for others.
class Block {
 public:
  /// The only object of the program, so threads and stacks are reused.
  static Block& running() {
    static Block block;
    return block;
  }

  /// If set, the last thread that is ready runs next; otherwise threads take turns. The last warps are producers, so
  /// they then run as far ahead of consumers as barriers allow.
  void prefer_last_threads(bool prefers) { prefers_last_threads_ = prefers; }

  /// Whether each thread of the next kernels must wait for earlier kernels.
  void expect_waits(bool expects) { expects_waits_ = expects; }

  /// Runs a kernel, one thread block after another. Shared memory starts as NaN.
  void launch(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& kernel) {
    if (block.x * block.y % Warp::size != 0) fail("a block of part of a warp");
    if (grid.x * grid.y == 0) fail("a grid of no blocks");  // rejected by a GPU, too
    gridDim = grid, blockDim = block;
    kernel_ = &kernel;
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, 0};
        shared_memory_.assign((shared_bytes + sizeof(uint4) - 1) / sizeof(uint4), {~0u, ~0u, ~0u, ~0u});
        shared_memory_.shrink_to_fit();
        run_block();
      }
    }
  }

  void* shared_memory() { return shared_memory_.data(); }
  bool is_shared(const void* pointer, std::size_t bytes) const {
    const auto* first = reinterpret_cast<const std::byte*>(shared_memory_.data());
    const auto* begin = static_cast<const std::byte*>(pointer);
    return begin >= first && begin + bytes <= first + shared_memory_.size() * sizeof(uint4);
  }

  Thread& thread() { return *thread_; }
  unsigned lane() const { return thread_->number % Warp::size; }

  /// Runs other threads until the counter is not `seen`.
  void wait_for_change(const unsigned& counter, unsigned seen) {
    thread_->counter = &counter, thread_->seen = seen;
    if (!thread_->is_ready()) run_others();
    thread_->counter = nullptr;
  }

  void meet_block() { meet(rendezvous_, thread_count(), "__syncthreads"); }
  void meet_warp(const char* operation) { meet(warp().rendezvous, Warp::size, operation); }

  /// Passes a value to the other lanes of the warp, and returns the values of all 32. They are valid until the lanes
  /// have met twice.
  template <class T>
  const T* exchange(const char* operation, const T& value) {
    static_assert(sizeof(T) <= Warp::value_bytes);
    auto& values = warp().values[warp().rendezvous.meetings % 2];
    // Values are adjacent, as an array of T.
    std::memcpy(&values[0][0] + lane() * sizeof(T), &value, sizeof(T));
    meet_warp(operation);
    return reinterpret_cast<const T*>(&values[0][0]);
  }

 private:
  static unsigned thread_count() { return blockDim.x * blockDim.y; }
  Warp& warp() { return warps_[thread_->number / Warp::size]; }

  void run_block() {
    while (threads_.size() < thread_count()) threads_.push_back(std::make_unique<Thread>());
    warps_.assign(thread_count() / Warp::size, Warp());
    rendezvous_ = {};
    for (unsigned t = 0; t < thread_count(); ++t) {
      Thread& thread = *threads_[t];
      thread.index = {t % blockDim.x, t / blockDim.x, 0};
      thread.number = t;
      thread.is_done = false;
      thread.has_waited = false;
      thread.counter = nullptr;
      thread.copies.clear();
      thread.groups.clear();
      thread.fiber.start(run_thread);
    }
    enter(*threads_[0]);
    launcher_.switch_to(thread_->fiber);
  }

  void enter(Thread& thread) {
    thread_ = &thread;
    threadIdx = thread.index;
  }

  static void run_thread() {
    Block& block = running();
    Fiber ignored;
    Fiber::entered(block.launcher_is_known_ ? ignored : block.launcher_);
    block.launcher_is_known_ = true;
    (*block.kernel_)();
    if (!block.thread_->copies.empty()) fail("a thread that ends before its copies are done");
    if (block.expects_waits_ && !block.thread_->has_waited)
      fail("a thread that ends without a wait for earlier kernels");
    block.thread_->is_done = true;
    block.run_others();
  }

  // Runs other threads, and returns when the calling thread is ready again.
  void run_others() {
    Thread& self = *thread_;
    for (unsigned i = 1; i <= thread_count(); ++i) {
      Thread& other = *threads_[prefers_last_threads_ ? thread_count() - i : (self.number + i) % thread_count()];
      if (!other.is_ready()) continue;
      enter(other);
      return self.fiber.switch_to(other.fiber);
    }
    for (unsigned t = 0; t < thread_count(); ++t) {
      if (!threads_[t]->is_done) fail("threads wait for what never comes");
    }
    self.fiber.switch_to(launcher_);
  }

  void meet(Rendezvous& place, unsigned expected, const char* operation) {
    if (place.arrived == 0) place.operation = operation;
    if (std::strcmp(place.operation, operation) != 0) {
      fail(std::string("threads that should do the same do ") + place.operation + " and " + operation);
    }
    const unsigned meeting = place.meetings;
    if (++place.arrived == expected) {
      place.arrived = 0;
      ++place.meetings;
    } else {
      wait_for_change(place.meetings, meeting);
    }
  }

  const std::function<void()>* kernel_ = nullptr;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Warp> warps_;
  Rendezvous rendezvous_;
  std::vector<uint4> shared_memory_;
  Thread* thread_ = nullptr;
  Fiber launcher_;
  bool launcher_is_known_ = false;
  bool prefers_last_threads_ = false;
  bool expects_waits_ = false;
};

/// While the object lives, threads of kernels must wait for earlier kernels.
class ExpectWaits {
 public:
  ExpectWaits() { Block::running().expect_waits(true); }
  ~ExpectWaits() { Block::running().expect_waits(false); }
  ExpectWaits(const ExpectWaits&) = delete;
  ExpectWaits& operator=(const ExpectWaits&) = delete;
};

}  // namespace Tessera::Impl::Emulation
