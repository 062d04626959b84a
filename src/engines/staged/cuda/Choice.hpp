// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/cuda/Device.hpp>

#include "staged/StagedView.hpp"

namespace Tessera::Cuda {

/// What the choice of the shape of staged windows depends on.
struct StagedProblem {
  double rows = 0;            ///< rows of A
  double nonzeros = 0;        ///< entries of A
  double window_columns = 0;  ///< distinct columns in windows of 64 rows, summed over the windows
  double vector_columns = 0;  ///< expected columns of X
};

/// Chooses how a matrix of doubles is cut for staged_spmm() on a device. Results depend on the shape, to within
/// roundoff: choose it once for each matrix.
///
/// Windows have 64 rows in strips of 8. Pieces have the length with which all multiprocessors are predicted to be done
/// first: short ones keep all busy to the end, but cuts cost sums, and no column is carried over a cut. The values of a
/// chunk are limited so that two blocks of threads fit in a multiprocessor.
StagedShape choose_staged(const StagedProblem& problem, const Device& device = {});

/// The bytes of shared memory of a block of staged_spmm(). most_tile_bytes and most_value_bytes are those of the
/// StagedPattern.
std::size_t staged_shared_bytes(int most_tile_bytes, int most_value_bytes);

/// The bytes of shared memory of a block for chunks as choose_staged() limits them. On a GPU with less, staged windows
/// are not worth building.
std::size_t usual_staged_shared_bytes();

}  // namespace Tessera::Cuda
