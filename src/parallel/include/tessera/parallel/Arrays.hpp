// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/Array.hpp>
#include <tessera/parallel/ArrayMemory.hpp>
#include <tessera/parallel/MemoryAccount.hpp>
#include <tessera/parallel/PinnedRecord.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// Helpers for code that builds arrays.
namespace Tessera::Impl {

/// A policy for items that cost about the same, such as entries or rows.
template <class ExecutionSpace>
using IndexPolicy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>;

/// A policy for windows of rows, whose numbers of entries may differ widely.
template <class ExecutionSpace>
using WindowPolicy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Ordinal>>;

/// The memory of an allocation, owned by the Arrays in it.
template <class Memory>
class OwnedMemory final : public ArrayOwner {
 public:
  template <class ExecutionSpace>
  OwnedMemory(const ExecutionSpace& exec, const std::string& label, std::size_t bytes)
      : charge_(label, ArrayMemory<Memory>::taken_bytes(exec, bytes)), memory_(exec, label, bytes) {}

  void* data() const { return memory_.data(); }

 private:
  MemoryCharge charge_;  // first, so it is destroyed last: the charge is returned after the memory is freed
  ArrayMemory<Memory> memory_;
};

/// Bytes of an element of an Array, or of a row if the Array has rank 2.
template <class ArrayType>
inline constexpr std::size_t bytes_of_element = sizeof(typename ArrayType::value_type) *
                                                (ArrayType::rank() == 2 ? ArrayType::static_extent(1) : 1);

/// Allocates an uninitialized Array. All memory of plans is allocated here.
///
/// \throws FormatTooLarge if the account of this thread's build has too little left (MemoryAccount.hpp)
/// \throws std::bad_alloc or std::runtime_error if memory runs out
template <class ArrayType, class ExecutionSpace>
ArrayType allocate(const ExecutionSpace& exec, const std::string& label, std::size_t size) {
  using Memory = typename ArrayType::memory_space;
  using Unowned = typename ArrayType::Unowned;
  if (size == 0) return {};
  constexpr std::size_t element = bytes_of_element<ArrayType>;
  if (size > std::numeric_limits<std::size_t>::max() / element) throw std::bad_array_new_length();
  auto* const owner = new OwnedMemory<Memory>(exec, label, size * element);
  return {Unowned(static_cast<typename ArrayType::pointer_type>(owner->data()), size), owner};
}

/// Allocates an Array of zeros.
template <class ArrayType, class ExecutionSpace>
ArrayType allocate_zeros(const ExecutionSpace& exec, const std::string& label, std::size_t size) {
  const auto array = allocate<ArrayType>(exec, label, size);
  using Bytes = Kokkos::View<unsigned char*, typename ArrayType::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const std::size_t bytes = array.span() * sizeof(typename ArrayType::value_type);
  if (bytes > 0) Kokkos::deep_copy(exec, Bytes(reinterpret_cast<unsigned char*>(array.data()), bytes), 0);
  return array;
}

/// Returns the elements [begin, end) of an Array, which share its memory.
template <class T, class Memory>
Array<T*, Memory> part_of(const Array<T*, Memory>& array, std::pair<std::size_t, std::size_t> range) {
  return array.share(array.data() + range.first, range.second - range.first);
}

/// Copies elements of the memory of `exec` to the host. Waits for `exec`.
template <class ExecutionSpace, class T>
void copy_to_host(const ExecutionSpace& exec, const T* source, std::size_t size, T* target) {
  using Memory = typename ExecutionSpace::memory_space;
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
    if (size * sizeof(T) <= PinnedRecord::size) return PinnedRecord(exec).fetch(exec, source, size * sizeof(T), target);
  }
#endif
  if constexpr (std::is_same_v<Memory, Kokkos::HostSpace>) {
    exec.fence("Tessera::copy_to_host");
    std::copy_n(source, size, target);
  } else {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(exec, Kokkos::View<T*, Kokkos::HostSpace, Unmanaged>(target, size),
                      Kokkos::View<const T*, Memory, Unmanaged>(source, size));
    exec.fence("Tessera::copy_to_host");
  }
}

/// Copies one element of the memory of `exec` to the host. Waits for `exec`.
template <class ExecutionSpace, class T>
T read_element(const ExecutionSpace& exec, const T* address) {
  T value{};
  copy_to_host(exec, address, 1, &value);
  return value;
}

/// Copies a small table to the host. Waits for `exec`.
template <class ViewType, class ExecutionSpace>
auto host_copy(const ExecutionSpace& exec, const ViewType& device) {
  using Element = typename ViewType::non_const_value_type;
  std::vector<Element> host(device.extent(0));
  if (!host.empty()) copy_to_host<ExecutionSpace, Element>(exec, device.data(), host.size(), host.data());
  return host;
}

/// Copies a small table of the host to the memory of `exec`. Waits for `exec`.
template <class ExecutionSpace, class T>
Array<T*, typename ExecutionSpace::memory_space> device_copy(const ExecutionSpace& exec, const std::string& label,
                                                             const std::vector<T>& host) {
  const auto device = allocate<Array<T*, typename ExecutionSpace::memory_space>>(exec, label, host.size());
  if (host.empty()) return device;
  Kokkos::deep_copy(
      exec, device,
      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(host.data(), host.size()));
  exec.fence("Tessera::device_copy");
  return device;
}

/// Replaces the counts in offsets(1), offsets(2), ... by their prefix sums, in place; offsets(0) becomes 0.
template <class ExecutionSpace, class Offsets>
static void counts_to_offsets(const ExecutionSpace& exec, const Offsets& offsets) {
  using Number = typename Offsets::value_type;
  Kokkos::parallel_scan(
      "Tessera::counts_to_offsets", IndexPolicy<ExecutionSpace>(exec, 0, offsets.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, Number & sum, bool final) {
        sum += i == 0 ? Number(0) : offsets(i);
        if (final) offsets(i) = sum;
      });
}

}  // namespace Tessera::Impl
