// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/BmatView.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/condensed/View.hpp>

/// Whole tiles for condensed windows: from their compact values, and from BMat, which is condensed windows of two
/// strips with the bits of a tile in another order, and with them its values.
namespace Tessera::Cuda {

/// Dense values of a condensed matrix from its compact ones (see CondensedPattern).
///
/// tiles: of the whole matrix, as many as window_offsets ends with; compact, dense: device memory, dense with room for
/// 64 * strips * tiles values. Throws std::runtime_error if the launch fails, std::length_error for more than 2^33
/// tiles. Cost: reads the pattern and writes the dense values, once.
template <class Offset, class Scalar>
void expand_tiles(Stream stream, const CondensedPattern<Offset>& A, std::size_t tiles, const Scalar* compact,
                  Scalar* dense);

/// For tile t, tile_masks[2 t] of its upper and tile_masks[2 t + 1] of its lower 8 rows, and in tile_offsets[t + 1] the
/// number of its entries, from which a scan makes the offsets.
///
/// tiles: of the whole matrix, as many as window_offsets ends with; all pointers are device memory. Throws
/// std::runtime_error if the launch fails. Cost: one pass over the tiles.
template <class Offset>
void condense_bmat(Stream stream, const BmatPattern<Offset>& A, std::size_t tiles, std::uint64_t* tile_masks,
                   Offset* tile_offsets);

/// Dense values of the condensed windows from BMat's compact ones.
///
/// tile_offsets: tiles + 1; dense: 128 elements a tile. Throws as condense_bmat. Cost: reads the pattern and the
/// values, writes the dense values.
template <class Offset, class Scalar>
void expand_bmat(Stream stream, const BmatPattern<Offset>& A, std::size_t tiles, const Offset* tile_offsets,
                 const Scalar* compact, Scalar* dense);

}  // namespace Tessera::Cuda
