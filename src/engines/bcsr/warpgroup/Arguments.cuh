// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "Policy.hpp"
#include "condensed/cuda/Schedule.hpp"
#include "launch/WindowArguments.hpp"
#include "ptx/AsyncCopy.cuh"

namespace Tessera::Impl::Cuda {

/// The arguments of the kernel. `product` has the caller's X and values, for sums that are computed entry by entry.
template <class Operand>
struct WarpgroupArguments : WindowArguments<BcsrPattern, CondensedSchedule, float, float> {
  const BlockStep* steps = nullptr;  ///< the steps of all panels
  const std::byte* lines = nullptr;  ///< the values, as arrange_lines() writes them
  const Operand* x = nullptr;        ///< rows of X that can be copied 16 bytes at a time
  Ordinal x_columns = 0;             ///< number of columns of x, with padding
};

/// The ring of strips in shared memory: for both rows of blocks of the panel their lines (big parts of split values
/// first), then rows of X.
template <class Policy>
struct WarpgroupBuffers : RingBarriers<Policy::buffers> {
  using Operand = typename Policy::Operand;

  /// Returns the lines of a row of blocks. `part` is 1 for the small parts of split values.
  __device__ __forceinline__ std::byte* lines(int buffer, int row_of_blocks, int part = 0) const {
    return this->memory + atom_bytes + buffer * Policy::buffer_bytes +
           (part * panel_blocks + row_of_blocks) * Policy::strip_bytes;
  }
  __device__ __forceinline__ Operand* x(int buffer) const {
    return reinterpret_cast<Operand*>(lines(buffer, 0, Policy::parts));
  }
};

}  // namespace Tessera::Impl::Cuda
