// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../ptx/Launch.cuh"
#include "Elements.cuh"
#include "Pieces.cuh"
#include "Policy.hpp"
#include "RowSums.cuh"
#include "Segments.cuh"

namespace Tessera::Cuda {

/// Groups, then pieces, times chunks of columns: a block of threads each. Agent multiplies groups.
template <class Agent, class Policy, bool aligned, class Offset, class MatrixScalar, class Scalar>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks) sorted_columns_product_kernel(
    const __grid_constant__ SortedColumnsArguments<Offset, MatrixScalar, Scalar> arguments) {
  const unsigned chunk = blockIdx.x % arguments.chunks;
  const auto unit = static_cast<Offset>(blockIdx.x / arguments.chunks);
  if (unit < arguments.schedule.groups) {
    Agent(arguments, chunk).multiply_group(unit);
  } else {
    SortedColumnsPieces<Policy, aligned, Offset, MatrixScalar, Scalar>::multiply(
        arguments, unit - arguments.schedule.groups, chunk);
  }
}

/// Long rows, a block of threads each, then the others, some for a block; times chunks of columns.
template <class Policy, bool aligned, class Offset, class MatrixScalar, class Scalar>
__global__ void __launch_bounds__(Policy::row_threads)
    sorted_columns_sum_kernel(const __grid_constant__ SortedColumnsArguments<Offset, MatrixScalar, Scalar> arguments) {
  using Agent = SortedColumnsRowSums<Policy, aligned, Offset, MatrixScalar, Scalar>;
  wait_for_previous_kernels();
  const Agent agent(arguments, blockIdx.x % arguments.chunks);
  const auto unit = static_cast<Ordinal>(blockIdx.x / arguments.chunks);
  if (unit < arguments.schedule.long_row_count) {
    agent.sum_long_row(arguments.schedule.long_rows[unit]);
  } else {
    agent.sum_rows((unit - arguments.schedule.long_row_count) * Agent::rows_of_block);
  }
}

}  // namespace Tessera::Cuda
