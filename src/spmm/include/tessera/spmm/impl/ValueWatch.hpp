// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/WatchedArray.hpp>
#include <tessera/parallel/Array.hpp>

namespace Tessera::Impl {

/// Tells kernels whether an array has changed since it was last looked at. Nothing comes back to the host, nobody
/// waits, and a CUDA graph may hold it all. Arrays are compared by a fingerprint (WatchedArray.hpp).
template <class ExecutionSpace>
class ValueWatch {
 public:
  /// Looks at an array. Kernels that run on `exec` afterwards find the answer at changed(). The first look finds a
  /// change.
  ///
  /// \param data [in] aligned to 4 bytes
  ///
  /// Cost: one pass over the array. The first call makes the watch ready.
  void look(const ExecutionSpace& exec, const void* data, std::size_t bytes);

  /// Takes the memory that it needs, unless it has it. Cost: an allocation of a few bytes; waits for `exec`.
  void make_ready(const ExecutionSpace& exec);

  /// Whether it has its memory, which the first look takes at the latest.
  bool is_ready() const { return state_.extent(0) > 0; }
  std::size_t bytes() const { return state_.extent(0) * sizeof(State); }

  /// Makes the next look find a change. Does not wait.
  void forget(const ExecutionSpace& exec);

  /// Where the answer of the last look is, in memory of the device: 0 if the array is the same. Needs a look() before.
  const std::uint32_t* changed() const { return &state_.data()->array.has_changed; }

 private:
  struct State {
    WatchedArray array;
    std::uint64_t sum;  // of a look
  };
  Array<State*, typename ExecutionSpace::memory_space> state_;  // one
};

}  // namespace Tessera::Impl
