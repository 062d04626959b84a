// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/cuda/Stream.hpp>

namespace Tessera::Cuda {

/// Keys with a word each, in arrays 0; arrays 1 are memory for a second copy.
template <class Word>
struct SortArrays {
  std::uint64_t* keys[2];  ///< the keys, in any order, and memory for as many
  Word* words[2];          ///< a word for each key, and memory for as many
  std::size_t size;        ///< number of keys
};

/// Bytes of memory, besides the arrays, that a sort of so many keys takes at most.
/// \throws std::runtime_error if CUDA refuses to tell
template <class Word>
std::size_t radix_sort_scratch_bytes(std::size_t size);

/// Sorts keys by their bits [first_bit, last_bit) in ascending order, and moves the words along; stable. It is the sort
/// of CUB, which is part of the CUDA Toolkit: a pass for each 8 bits, which reads and writes keys and words once. It
/// does not wait for the stream, unless the calling thread has an error of CUDA that nobody has asked for.
///
/// \param scratch [in] device memory of radix_sort_scratch_bytes()
/// \return the arrays that hold the result: 0 or 1
/// \throws std::runtime_error if CUDA refuses, or such an error is left and no thread can be started
template <class Word>
int radix_sort(Stream stream, const SortArrays<Word>& arrays, int first_bit, int last_bit, void* scratch);

}  // namespace Tessera::Cuda
