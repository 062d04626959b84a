// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/WatchedArray.hpp>
#include <tessera/parallel/Array.hpp>

namespace Tessera::Impl {

/// Detects whether an array has changed since the last check. Kernels read the answer: nothing is copied to the host,
/// nothing waits, and a CUDA graph can capture a check. Arrays are compared by a fingerprint (WatchedArray.hpp).
template <class ExecutionSpace>
class ValueWatch {
 public:
  /// Checks an array. Later kernels on `exec` can read the answer at changed(). The first check reports a change.
  ///
  /// \param data [in] aligned to 4 bytes
  ///
  /// Cost: one pass over the array. The first call also allocates the memory of the watch.
  void look(const ExecutionSpace& exec, const void* data, std::size_t bytes);

  /// Allocates the memory of the watch, unless it is allocated. Cost: an allocation of a few bytes; waits for `exec`.
  void make_ready(const ExecutionSpace& exec);

  /// Returns whether the memory of the watch is allocated. The first look() allocates it if necessary.
  bool is_ready() const { return state_.extent(0) > 0; }
  std::size_t bytes() const { return state_.extent(0) * sizeof(State); }

  /// Makes the next look() report a change. Does not wait.
  void forget(const ExecutionSpace& exec);

  /// Returns the device address of look()'s last answer, which is 0 for an unchanged array. Call look() first.
  const std::uint32_t* changed() const { return &state_.data()->array.has_changed; }

 private:
  struct State {
    WatchedArray array;
    std::uint64_t sum;  // sum of the current check
  };
  Array<State*, typename ExecutionSpace::memory_space> state_;  // a single element
};

}  // namespace Tessera::Impl
