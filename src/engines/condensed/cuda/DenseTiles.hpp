// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/cuda/Stream.hpp>

#include "condensed/cuda/View.hpp"

/// @file
/// Expands the compact values of condensed windows (CondensedPattern) to whole tiles.
///
/// `wanted` is null or a pointer to device memory. If that memory holds 0 when the kernel runs, nothing is done.
namespace Tessera::Impl::Cuda {

/// Makes the dense values of a condensed matrix from its compact ones.
///
/// `tiles` is the number of tiles of the matrix, the last element of window_offsets. compact and dense are device
/// memory; dense has room for 64 * strips * tiles values. Throws std::runtime_error if the launch fails. Cost: reads
/// the pattern and writes the dense values, once.
template <class Scalar>
void expand_tiles(Stream stream, const CondensedPattern& A, std::size_t tiles, const Scalar* compact, Scalar* dense,
                  const std::uint32_t* wanted = nullptr);

/// Does the same for blocks of 16-bit numbers. Values are rounded as by round_values().
///
/// \param precision  Fp16 or Bf16; others throw std::invalid_argument
template <class Scalar>
void expand_rounded_tiles(Stream stream, Precision precision, const CondensedPattern& A, std::size_t tiles,
                          const Scalar* compact, std::uint16_t* rounded, const std::uint32_t* wanted = nullptr);

}  // namespace Tessera::Impl::Cuda
