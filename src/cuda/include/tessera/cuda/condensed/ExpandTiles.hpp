// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/condensed/View.hpp>

namespace Tessera::Cuda {

/// Dense values of a condensed matrix from its compact ones (see CondensedPattern).
///
/// tiles: of the whole matrix, as many as window_offsets ends with; compact, dense: device memory, dense with room for
/// 64 * strips * tiles values. Throws std::runtime_error if the launch fails, std::length_error for more than 2^33
/// tiles. Cost: reads the pattern and writes the dense values, once.
template <class Offset, class Scalar>
void expand_tiles(Stream stream, const CondensedPattern<Offset>& A, std::size_t tiles, const Scalar* compact,
                  Scalar* dense);

}  // namespace Tessera::Cuda
