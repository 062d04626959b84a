// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Array.hpp>

namespace Tessera::Python {

/// A call that uses Kokkos. While there is one, finish() leaves Kokkos as it is.
class InUse {
 public:
  /// Initializes Kokkos, unless somebody did, for a GPU if Kokkos has CUDA: the one of `device` or, on the host, the
  /// current one. Threads: TESSERA_NUM_THREADS, or Kokkos' default.
  ///
  /// \throws std::invalid_argument if Kokkos runs on another GPU
  /// \throws std::runtime_error in a process that was forked from one that had initialized Kokkos, or after finish()
  explicit InUse(const Device& device);
  ~InUse();
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
};

/// Frees all plans, and ends Kokkos if a call began it, unless another thread is in a call: its Kokkos ends with the
/// process. The program ends.
void finish() noexcept;

/// Tells that this process is a child of fork().
void note_fork() noexcept;

}  // namespace Tessera::Python
