// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tessera/parallel/Arrays.hpp>
#include <vector>

namespace Tessera::Impl {

/// One allocation. A step takes many arrays from it, and these share its ownership.
template <class Memory>
class Arena {
 public:
  /// Makes an arena without memory. Its arrays are empty, and bytes() returns the number of bytes that they would need.
  Arena() = default;

  template <class ExecutionSpace>
  Arena(const ExecutionSpace& exec, const std::string& label, std::size_t bytes)
      : label_(label), memory_(allocate<Array<std::byte*, Memory>>(exec, label, bytes)) {}

  /// Makes `array` an array of `size` uninitialized elements, aligned to a cache line of GPUs.
  /// \throws std::logic_error if the arena has too little memory left
  template <class ArrayType>
  void take(ArrayType& array, std::size_t size) {
    take_aligned(array, size, 128);
  }

  /// Like take(), but aligned only as the type requires. If arrays are taken in descending order of element size, there
  /// are no gaps, and a format needs no more bytes than its arrays.
  template <class ArrayType>
  void take_behind(ArrayType& array, std::size_t size) {
    take_aligned(array, size, alignof(typename ArrayType::value_type));
  }

  /// Bytes of all arrays taken so far.
  std::size_t bytes() const { return bytes_; }

 private:
  template <class ArrayType>
  void take_aligned(ArrayType& array, std::size_t size, std::size_t alignment) {
    const std::size_t begin = (bytes_ + alignment - 1) / alignment * alignment;
    if (size > 0) bytes_ = begin + size * bytes_of_element<ArrayType>;
    if (label_.empty()) return;
    if (bytes_ > memory_.extent(0))
      throw std::logic_error("Tessera::Arena: " + std::to_string(bytes_) + " bytes of " + label_ +
                             " are taken; expected at most " + std::to_string(memory_.extent(0)));
    using Pointer = typename ArrayType::pointer_type;
    array = ArrayType();
    if (size > 0) array = memory_.template share<ArrayType>(reinterpret_cast<Pointer>(memory_.data() + begin), size);
  }

  std::string label_;
  Array<std::byte*, Memory> memory_;
  std::size_t bytes_ = 0;
};

/// Allocates one block for all arrays that take(arena) takes. Calls `take` twice; the first call measures the arrays.
template <class Memory, class ExecutionSpace, class Take>
void take_at_once(const ExecutionSpace& exec, const std::string& label, const Take& take) {
  Arena<Memory> measure;
  take(measure);
  Arena<Memory> arena(exec, label, measure.bytes());
  take(arena);
}

/// A table on the host, and the device array that becomes its copy.
template <class T, class Memory>
struct TableCopy {
  const std::vector<T>& host;
  Array<T*, Memory>& device;
};
template <class T, class Memory>  // not all compilers of C++20 deduce the arguments
TableCopy(const std::vector<T>&, Array<T*, Memory>&)->TableCopy<T, Memory>;

/// Copies tables of the host to arrays in one block, without gaps if element sizes do not ascend. Waits for `exec`.
template <class ExecutionSpace, class... T>
void copy_at_once(const ExecutionSpace& exec, const std::string& label,
                  const TableCopy<T, typename ExecutionSpace::memory_space>&... tables) {
  using Memory = typename ExecutionSpace::memory_space;
  take_at_once<Memory>(exec, label,
                       [&](Arena<Memory>& arena) { (arena.take_behind(tables.device, tables.host.size()), ...); });
  const auto copy = [&]<class E>(const TableCopy<E, Memory>& table) {
    using HostTable = Kokkos::View<const E*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    if (!table.host.empty()) Kokkos::deep_copy(exec, table.device, HostTable(table.host.data(), table.host.size()));
  };
  (copy(tables), ...);
  exec.fence("Tessera::copy_at_once");
}

}  // namespace Tessera::Impl
