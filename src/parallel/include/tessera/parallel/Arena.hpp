// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tessera/parallel/Arrays.hpp>

namespace Tessera::Impl {

/// Memory that is allocated at once and handed out as arrays, which share it: a step takes many arrays from one block.
template <class Memory>
class Arena {
 public:
  /// An arena without memory: its arrays are empty, and bytes() tells what one with memory needs.
  Arena() = default;

  template <class ExecutionSpace>
  Arena(const ExecutionSpace& exec, const std::string& label, std::size_t bytes)
      : label_(label), memory_(allocate<Array<std::byte*, Memory>>(exec, label, bytes)) {}

  /// Makes `array` one of `size` elements, which are not initialized.
  /// \throws std::logic_error if too little memory is left
  template <class T>
  void take(Array<T*, Memory>& array, std::size_t size) {
    const std::size_t begin = bytes_;
    bytes_ += (size * sizeof(T) + alignment - 1) / alignment * alignment;
    if (label_.empty()) return;
    if (bytes_ > memory_.extent(0))
      throw std::logic_error("Tessera::Arena: " + std::to_string(bytes_) + " bytes of " + label_ +
                             " are taken; expected at most " + std::to_string(memory_.extent(0)));
    array = memory_.share(reinterpret_cast<T*>(memory_.data() + begin), size);
  }

  /// The bytes of all arrays that were taken.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t alignment = 128;  // the cache line of GPUs

  std::string label_;
  Array<std::byte*, Memory> memory_;
  std::size_t bytes_ = 0;
};

/// Allocates one block for all arrays that take(arena) takes. It is called twice: the first time to measure them.
template <class Memory, class ExecutionSpace, class Take>
void take_at_once(const ExecutionSpace& exec, const std::string& label, const Take& take) {
  Arena<Memory> measure;
  take(measure);
  Arena<Memory> arena(exec, label, measure.bytes());
  take(arena);
}

}  // namespace Tessera::Impl
