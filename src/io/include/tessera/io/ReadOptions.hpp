// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>

namespace Tessera {

/// How a file is read. No option changes the result.
struct ReadOptions {
  /// Threads that parse; 0 means all that the process may use.
  int threads = 0;

  /// Called now and then from the calling thread with the fraction done, which ascends to 1. What it throws ends the
  /// reading and reaches the caller.
  std::function<void(double fraction)> progress;

  /// Bytes that reading may take at its peak; 0 means the memory that the machine has available now. A file that
  /// needs more is rejected with std::runtime_error before anything big is allocated.
  std::size_t memory_limit = 0;

  /// Bytes of text that a thread parses at a time.
  std::size_t chunk_bytes = std::size_t{1} << 20;
};

}  // namespace Tessera
