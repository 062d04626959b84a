// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/StagedView.hpp>
#include <tessera/cuda/Device.hpp>

namespace Tessera::Cuda {

/// What the shape of staged windows depends on.
struct StagedProblem {
  double rows = 0;
  double nonzeros = 0;
  double window_columns = 0;  ///< distinct columns in windows of 64 rows, summed over the windows
  double vector_columns = 0;  ///< of X, as expected
  int value_bytes = 8;        ///< of a value of A
  int scalar_bytes = 8;       ///< of an element of X: 4 or 8
};

/// How a matrix is best cut for staged_spmm on a device. Results depend on it, to within roundoff: choose once a
/// matrix.
///
/// Windows of 64 rows in strips of 8: strips of 16 lost or equalled them wherever they were measured. Pieces as long as
/// they may be while there are enough of them for all multiprocessors: cuts cost sums, and columns that cannot be
/// carried over them. A chunk's values are limited so that two blocks fit in a multiprocessor.
///
/// Throws std::invalid_argument for other scalar_bytes, or a value_bytes other than 4 or 8.
StagedShape choose_staged(const StagedProblem& problem, const Device& device = {});

/// Shared memory of a block of staged_spmm, in bytes. most_tile_bytes, most_value_bytes: as in StagedPattern;
/// scalar_bytes: of an element of X, 4 or 8.
std::size_t staged_shared_bytes(int most_tile_bytes, int most_value_bytes, int scalar_bytes);

/// The same of chunks of doubles as choose_staged limits them: what a GPU should have to be worth building for.
std::size_t usual_staged_shared_bytes();

/// How many blocks of staged_spmm a multiprocessor of an H200 holds, as far as shared memory is concerned: 2 is what
/// the kernels are made for, with 1 they are slower, with 0 they cannot run.
int staged_resident_blocks(int most_tile_bytes, int most_value_bytes, int scalar_bytes);

}  // namespace Tessera::Cuda
