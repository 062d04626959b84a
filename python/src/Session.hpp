// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Array.hpp>

namespace Tessera::Python {

/// A call that uses Kokkos. finish() waits for it, and holds Python's lock: a call that waits for the lock is either no
/// InUse any more or InPython.
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

/// A part of a call that calls functions of Python.
class InPython {
 public:
  InPython() noexcept;
  ~InPython();
  InPython(const InPython&) = delete;
  InPython& operator=(const InPython&) = delete;
};

/// Frees all plans, and ends Kokkos if a call began it. The program ends. Calls of other threads have five seconds to
/// end; if one does not, or is in Python, plans and Kokkos stay as they are.
void finish() noexcept;

/// Tells that this process is a child of fork().
void note_fork() noexcept;

/// Whether a call had used Kokkos in the process that this one was forked from. No plan may be freed here: GPUs do not
/// serve a forked process, and threads did not come along.
bool is_forked() noexcept;

}  // namespace Tessera::Python
