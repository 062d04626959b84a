// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FailingAllocator.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <utility>
#ifdef TESSERA_CUDA_MEMORY_FAILS
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#endif

namespace {

using Tessera::Impl::Test::Failing;

std::atomic<long> allocated{0}, live{0};
std::atomic<long> left{0};  // allocations up to and including the one that fails; 0: none fails
std::atomic<bool> has_failed{false}, arrays_alone{false};

bool is_next_to_fail() {
  if (left == 0) return false;
  const bool is_last = --left == 0;
  if (is_last) has_failed = true;
  return is_last;
}

bool must_fail(std::size_t size, std::size_t alignment) {
  const bool is_view = alignment > alignof(std::max_align_t), is_array = is_view || size > 320;
  const bool may_fail = Tessera::Impl::Test::only_views_fail ? is_view : is_array || !arrays_alone;
  return may_fail && is_next_to_fail();
}

/// Allocates memory. Returns null on failure.
void* find_memory(std::size_t size, std::size_t alignment) noexcept {
  ++allocated;
  if (must_fail(size, alignment)) return nullptr;
  void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory != nullptr) ++live;
  return memory;
}

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = find_memory(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void deallocate(void* memory) {
  if (memory != nullptr) --live;
  std::free(memory);
}

}  // namespace

// The array forms of new and delete call these.
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, std::size_t(alignment)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return find_memory(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return find_memory(size, std::size_t(alignment));
}
void operator delete(void* memory) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { deallocate(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { deallocate(memory); }

// nvcc's device pass defines functions of these names itself.
#if defined(TESSERA_CUDA_MEMORY_FAILS) && !defined(__CUDA_ARCH__)

// These definitions replace the functions of the shared CUDA runtime with which Kokkos allocates all Views. A simulated
// failure sets no error in the runtime; Kokkos clears the error of a real failure.
namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Allocates with the runtime's function `name`, unless this allocation must fail. Empty allocations do not fail:
/// Kokkos makes one for each team kernel, and hangs after five failures.
template <class... Arguments>
cudaError_t take(const char* name, void** memory, size_t size, Arguments... arguments) {
  using Function = cudaError_t (*)(void**, size_t, Arguments...);
  ++allocated;
  if (size > 0 && is_next_to_fail()) return cudaErrorMemoryAllocation;
  const cudaError_t status = real<Function>(name)(memory, size, arguments...);
  if (status == cudaSuccess && *memory != nullptr) ++live;
  return status;
}

/// Whether the next allocation fails, too. Needed because Tessera repeats an allocation that failed.
bool fails_again = false;

template <class... Arguments>
cudaError_t give_back(const char* name, void* memory, Arguments... arguments) {
  using Function = cudaError_t (*)(void*, Arguments...);
  if (memory != nullptr) --live;
  return real<Function>(name)(memory, arguments...);
}

}  // namespace

extern "C" {
cudaError_t CUDARTAPI cudaMalloc(void** memory, size_t size) { return take("cudaMalloc", memory, size); }
cudaError_t CUDARTAPI cudaMallocAsync(void** memory, size_t size, cudaStream_t stream) {
  return take("cudaMallocAsync", memory, size, stream);
}
cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void** memory, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  if (std::exchange(fails_again, false)) return cudaErrorMemoryAllocation;
  const cudaError_t status = take("cudaMallocFromPoolAsync", memory, size, pool, stream);
  fails_again = status == cudaErrorMemoryAllocation && has_failed;
  return status;
}
cudaError_t CUDARTAPI cudaMallocManaged(void** memory, size_t size, unsigned flags) {
  return take("cudaMallocManaged", memory, size, flags);
}
cudaError_t CUDARTAPI cudaHostAlloc(void** memory, size_t size, unsigned flags) {
  return take("cudaHostAlloc", memory, size, flags);
}
cudaError_t CUDARTAPI cudaFree(void* memory) { return give_back("cudaFree", memory); }
cudaError_t CUDARTAPI cudaFreeAsync(void* memory, cudaStream_t stream) {
  return give_back("cudaFreeAsync", memory, stream);
}
cudaError_t CUDARTAPI cudaFreeHost(void* memory) { return give_back("cudaFreeHost", memory); }
}

#endif

namespace Tessera::Impl::Test {

bool device_memory_may_fail() {
#ifdef TESSERA_CUDA_MEMORY_FAILS
  return true;
#else
  return false;
#endif
}

void fail_allocation(long n, Failing kind) {
  left = n;
  has_failed = false;
  arrays_alone = kind == Failing::Arrays;
}
bool allocation_has_failed() { return has_failed; }
long allocations() { return allocated; }
long live_allocations() { return live; }

}  // namespace Tessera::Impl::Test
