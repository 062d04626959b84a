// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>

namespace Tessera {

/// Options of reading a file. None of them changes the result.
struct ReadOptions {
  /// Number of threads that parse; 0 means all that the process may use.
  int threads = 0;

  /// A function that the calling thread calls from time to time with the fraction done, which ascends to 1. An
  /// exception that it throws ends the reading and is passed to the caller.
  std::function<void(double fraction)> progress;

  /// Upper bound on the peak bytes of reading; 0 means the memory that the machine has available now. A file that needs
  /// more throws std::runtime_error before anything big is allocated. The bound excludes, for each thread, the entries
  /// of a chunk of text, and those of a row while it is sorted: up to four times the bytes of the row.
  std::size_t memory_limit = 0;

  /// The number of bytes of text that a thread parses at a time.
  std::size_t chunk_bytes = std::size_t{1} << 20;
};

}  // namespace Tessera
