// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FailingAllocator.hpp"

#include <Kokkos_Macros.hpp>
#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace {

using Tessera::Test::Failing;

std::atomic<long> allocated{0}, live{0};
std::atomic<long> left{0};  // before one fails, itself included; 0: none fails
std::atomic<bool> has_failed{false}, arrays_alone{false};

/// nvcc keeps what a KOKKOS_LAMBDA captures in memory of its own, which copies of it take anew: also in constructors of
/// Kokkos (that of a functor's reducer) that promise not to throw, which ends the program. There memory of Views alone
/// may fail.
#ifdef KOKKOS_ENABLE_CUDA
constexpr bool closures_allocate = true;
#else
constexpr bool closures_allocate = false;
#endif

bool must_fail(std::size_t size, std::size_t alignment) {
  const bool is_view = alignment > alignof(std::max_align_t), is_array = is_view || size > 160;
  const bool may_fail = closures_allocate ? is_view : is_array || !arrays_alone;
  if (left == 0 || !may_fail) return false;
  const bool is_last = --left == 0;
  if (is_last) has_failed = true;
  return is_last;
}

/// Null where there is none.
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

// Those of arrays call these.
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

namespace Tessera::Test {

void fail_allocation(long n, Failing kind) {
  left = n;
  has_failed = false;
  arrays_alone = kind == Failing::Arrays;
}
bool allocation_has_failed() { return has_failed; }
long allocations() { return allocated; }
long live_allocations() { return live; }

}  // namespace Tessera::Test
