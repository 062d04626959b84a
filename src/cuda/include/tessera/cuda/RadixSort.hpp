// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/cuda/Stream.hpp>

namespace Tessera::Impl::Cuda {

/// Keys and a word for each key, in arrays 0. Arrays 1 are memory for a second copy.
template <class Word>
struct SortArrays {
  std::uint64_t* keys[2];  ///< the keys, in any order, and memory of the same size
  Word* words[2];          ///< a word for each key, and memory of the same size
  std::size_t size;        ///< number of keys
};

/// Returns an upper bound on the bytes of memory that a sort of `size` keys needs in addition to the arrays.
/// \throws std::runtime_error if a call of CUDA fails
template <class Word>
std::size_t radix_sort_scratch_bytes(std::size_t size);

/// Sorts keys by their bits [first_bit, last_bit) in ascending order, and moves the words with them; stable. It is the
/// sort of CUB, which is part of the CUDA Toolkit: each pass sorts by 8 bits, and reads and writes keys and words once.
/// The call waits for the stream only if the calling thread has a CUDA error that was not queried.
///
/// \param scratch [in] device memory of radix_sort_scratch_bytes()
/// \return 0 or 1: the arrays that have the result
/// \throws std::runtime_error if a call of CUDA fails, or if such an error exists and no thread can be started
template <class Word>
int radix_sort(Stream stream, const SortArrays<Word>& arrays, int first_bit, int last_bit, void* scratch);

}  // namespace Tessera::Impl::Cuda
