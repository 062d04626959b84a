// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/cuda/Stream.hpp>

#include "voltrix/WordsView.hpp"

/// @file
/// Converts BMat to the words of its paper. All pointers are device memory. `tiles` is the number of tiles of the
/// matrix, the last element of window_offsets. The functions throw std::runtime_error if the launch fails.
namespace Tessera::Impl::Cuda {

/// Makes the words of all tiles. Cost: one pass over the masks.
void make_bmat_words(Stream stream, const BmatPattern& A, std::size_t tiles, std::uint32_t* tile_words);

/// Copies values into the order of the words.
///
/// \param wanted [in] null, or device memory: if it holds 0 when the kernel runs, nothing is done
/// Cost: reads the masks and the values, and writes the values, once.
template <class Scalar>
void order_by_bmat_words(Stream stream, const BmatPattern& A, std::size_t tiles, const Scalar* values, Scalar* ordered,
                         const std::uint32_t* wanted = nullptr);

}  // namespace Tessera::Impl::Cuda
