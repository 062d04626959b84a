// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>

namespace Tessera {

/// How a file is read. No option changes the result.
struct ReadOptions {
  /// Number of threads that parse; 0 stands for all that the process may use.
  int threads = 0;

  /// A function that the calling thread calls now and then with the fraction done, which ascends to 1. An exception
  /// that it throws ends the reading and reaches the caller.
  std::function<void(double fraction)> progress;

  /// The most bytes that reading may take at its peak; 0 stands for the memory that the machine has available now. A
  /// file that needs more throws std::runtime_error before anything big is allocated. Not counted are, for each thread,
  /// the entries of a chunk of text, and those of a row while it is sorted, which take up to four times what the row
  /// takes.
  std::size_t memory_limit = 0;

  /// Number of bytes of text that a thread parses at a time.
  std::size_t chunk_bytes = std::size_t{1} << 20;
};

}  // namespace Tessera
