// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

#include "Block.hpp"

namespace Tessera::Impl::Emulation {

/// Emulated device memory: host memory with known bounds. It is filled with NaN and ends exactly at the requested size,
/// so the address sanitizer detects ordinary accesses beyond it.
class Memory {
 public:
  static Memory& device() {
    static Memory memory;
    return memory;
  }

  void* allocate(std::size_t bytes) {
    void* pointer = nullptr;
    if (bytes > most_bytes) return nullptr;
    if (posix_memalign(&pointer, alignment, bytes) != 0) return nullptr;
    std::memset(pointer, 0xff, bytes);
    sizes_[reinterpret_cast<std::uintptr_t>(pointer)] = bytes;
    return pointer;
  }

  void release(void* pointer) {
    sizes_.erase(reinterpret_cast<std::uintptr_t>(pointer));
    std::free(pointer);
  }

  /// Fails unless these bytes are in one allocation and the address is a multiple of `wanted_alignment`.
  void check(const void* pointer, std::size_t bytes, std::size_t wanted_alignment, const char* access) const {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address % wanted_alignment != 0) fail(std::string(access) + " at a misaligned address");
    auto next = sizes_.upper_bound(address);
    if (next == sizes_.begin() || address + bytes > std::prev(next)->first + std::prev(next)->second) {
      fail(std::string(access) + " beyond the memory that was allocated");
    }
  }

 private:
  static constexpr std::size_t alignment = 256;
  static constexpr std::size_t most_bytes = std::size_t(1) << 40;
  std::map<std::uintptr_t, std::size_t> sizes_;
};

}  // namespace Tessera::Impl::Emulation
