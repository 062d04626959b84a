// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/BmatView.hpp>
#include <tessera/cuda/Stream.hpp>

/// BMat as condensed windows of two strips (CondensedPattern): its tiles have the same columns; the bits of a tile are
/// in another order, and with them its values.
namespace Tessera::Cuda {

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
