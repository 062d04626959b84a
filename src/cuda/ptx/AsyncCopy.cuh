// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

// Copies from global to shared memory that run while the thread continues.
//
// cp.async (compute capability 8.0): each thread copies 4, 8 or 16 bytes and waits for groups of its own copies. Other
// threads see the data after a barrier (__syncwarp or __syncthreads) that follows the wait.
//
// cp.async.bulk (compute capability 9.0): one thread copies any multiple of 16 bytes, both addresses multiples of 16.
// When it ends, the copy counts its bytes on an mbarrier in shared memory. Any thread may wait on the mbarrier:
//
//   one thread:  mbarrier_init(barrier, 1); fence_mbarrier_init();           then a barrier of the block or warp
//   producer:    mbarrier_arrive_expect(barrier, bytes); bulk_copy(..., barrier) once or more, `bytes` in total
//   consumers:   mbarrier_wait(barrier, parity)                              parity 0 at first, then 1, 0, ...
//
// On an architecture that lacks an instruction, the function that uses it stops the kernel (trap).

#ifdef TESSERA_CUDA_EMULATED
#include <ptx/AsyncCopy.hpp>  // of unit_tests/cuda/emulation
#else

namespace Tessera::Impl::Cuda {

/// Returns the address within the shared memory window of the block, which instructions expect.
__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Copies 16 bytes, bypassing L1. Both addresses are multiples of 16.
__device__ inline void copy_async_16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)), "l"(global) : "memory");
}

/// Copies the first `valid` (0 to 16) of 16 bytes, and sets the others to zero.
__device__ inline void copy_async_16_filled(void* shared, const void* global, int valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global), "r"(valid)
               : "memory");
}

/// Copies 16 bytes if `valid`; otherwise it reads nothing and writes 16 zero bytes.
__device__ inline void copy_async_16(void* shared, const void* global, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global),
               "r"(valid ? 16 : 0)
               : "memory");
}

/// Copies 4, 8 or 16 bytes through L1. Both addresses are multiples of that number.
template <int bytes>
__device__ inline void copy_async_cached(void* shared, const void* global) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(shared)), "l"(global), "n"(bytes)
               : "memory");
}

/// Copies the first `valid` (0 to 16) of 16 bytes through L1, and sets the others to zero.
__device__ inline void copy_async_cached_filled(void* shared, const void* global, int valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global), "r"(valid)
               : "memory");
}

/// Ends a group of this thread's copies.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most the latest `pending` groups of this thread's copies are unfinished.
template <int pending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// Initialises a barrier. Each of its phases ends after `arrivals` arrivals, when all expected bytes have arrived.
__device__ inline void mbarrier_init(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/// Makes initialised barriers visible to bulk copies.
__device__ inline void fence_mbarrier_init() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  __trap();
#endif
}

/// Arrives, and adds this many bytes to those that the phase expects.
__device__ inline void mbarrier_arrive_expect(std::uint64_t* barrier, int bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#else
  __trap();
#endif
}

/// Arrives. This thread no longer needs the memory that the barrier guards.
__device__ inline void mbarrier_arrive(std::uint64_t* barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier))
               : "memory");
}

/// Arrives when all copies that this thread has started by copy_async are complete. The arrival is one of those with
/// which the barrier was initialised. Compute capability 8.0.
__device__ inline void mbarrier_arrive_after_copies(std::uint64_t* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// Waits until the phase with this parity has ended. Returns at once if it has ended and the next one is running.
__device__ inline void mbarrier_wait(std::uint64_t* barrier, int parity) {
#if __CUDA_ARCH__ >= 900
  int done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
  }
#else
  int done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
  }
#endif
}

/// Copies `bytes` bytes (a positive multiple of 16) and counts them on the barrier.
__device__ inline void bulk_copy(void* shared, const void* global, int bytes, std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(shared)),
               "l"(global), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
#else
  __trap();
#endif
}

}  // namespace Tessera::Impl::Cuda

#endif

namespace Tessera::Impl::Cuda {

/// The barriers of a ring of buffers, which producers fill and consumers empty. They are at the start of the block's
/// shared memory. A phase of each barrier ends with every turn of the ring.
///
/// A consumer warp frees a buffer when its lanes have synchronised and Policy::freeing_lanes of them have arrived. One
/// lane is enough, because __syncwarp() orders the reads of all lanes before its arrival. racecheck does not see that
/// order, and reports the other lanes. In tests with racecheck, all lanes arrive.
template <int buffers>
struct RingBarriers {
  std::byte* memory;

  /// Returns the barrier that completes when the data of a buffer has arrived.
  __device__ std::uint64_t* full(int buffer) const { return reinterpret_cast<std::uint64_t*>(memory) + buffer; }
  /// Returns the barrier that completes when no consumer needs the data of a buffer any more.
  __device__ std::uint64_t* empty(int buffer) const { return full(buffers + buffer); }
};

/// The position of a producer or consumer in the ring.
template <int buffers>
struct RingPlace {
  int buffer = 0;
  int parity = 0;

  __device__ __forceinline__ void advance() {
    if (++buffer == buffers) {
      buffer = 0;
      parity ^= 1;
    }
  }
  __device__ __forceinline__ int before() const { return buffer == 0 ? buffers - 1 : buffer - 1; }
};

}  // namespace Tessera::Impl::Cuda
