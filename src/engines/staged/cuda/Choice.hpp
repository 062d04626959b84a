// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/cuda/Device.hpp>

#include "staged/StagedView.hpp"

namespace Tessera::Impl::Cuda {

/// Input of the choice of the shape of staged windows.
struct StagedProblem {
  double rows = 0;            ///< rows of A
  double nonzeros = 0;        ///< entries of A
  double window_columns = 0;  ///< distinct columns in windows of 64 rows, summed over the windows
  double vector_columns = 0;  ///< expected columns of X
};

/// Chooses how a matrix of doubles is cut for staged_spmm() on a device. The shape changes results within rounding
/// errors, so choose it once per matrix.
///
/// Windows have 64 rows in strips of 8. Pieces have the length with which all multiprocessors are predicted to finish
/// first: short pieces keep all of them busy to the end, but each cut costs the addition of sums, and no column is
/// carried across a cut. The values of a chunk are limited so that two thread blocks fit in a multiprocessor.
StagedShape choose_staged(const StagedProblem& problem, const Device& device = {});

/// Returns the bytes of shared memory of a block of staged_spmm(), given most_tile_bytes and most_value_bytes of the
/// StagedPattern.
std::size_t staged_shared_bytes(int most_tile_bytes, int most_value_bytes);

/// Returns the bytes of shared memory of a block for chunks within the limits of choose_staged(). On a GPU with less
/// shared memory, staged windows are not worth building.
std::size_t usual_staged_shared_bytes();

}  // namespace Tessera::Impl::Cuda
