// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>

namespace Tessera::Cuda {

/// How blocks multiply staged windows: numbers in a type, for nvcc 13 does not pass a struct of them to a kernel.
///
/// columns     of X that a block stages at a time: multiples of 128 bytes
/// slots       of a chunk: rows of X that are staged together; 16 or a multiple of 32 for each producer
/// buffers     chunks in shared memory: two that are multiplied, the others on their way; at least 3
/// strips      of a window: warps that multiply, one each
/// producers   warps that copy
/// min_blocks  that a multiprocessor must hold at a time: limits the registers
template <int columns_, int slots_, int buffers_, int strips_, int producers_, int min_blocks_>
struct StagedPolicy {
  static_assert(slots_ % (16 * producers_) == 0 && buffers_ >= 3);

  static constexpr int columns = columns_;
  static constexpr int slots = slots_;
  static constexpr int buffers = buffers_;
  static constexpr int strips = strips_;
  static constexpr int producers = producers_;
  static constexpr int threads = 32 * (strips + producers);
  static constexpr int min_blocks = min_blocks_;
};

/// That of staged_spmm, for windows of 64 rows in strips of 8 and of 128 rows in strips of 16.
template <class Scalar>
using DefaultStagedPolicy = StagedPolicy<256 / sizeof(Scalar), 64, 4, 8, 4, 2>;

/// What is multiplied, as far as the compiler must know. blocks: of 8 rows, that a strip has.
template <Precision precision_, int blocks_>
struct StagedKind {
  static constexpr Precision precision = precision_;
  static constexpr int blocks = blocks_;
  static constexpr int strip_rows = 8 * blocks;
};

}  // namespace Tessera::Cuda
