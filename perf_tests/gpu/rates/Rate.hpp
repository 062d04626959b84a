// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace Tessera::Bench {

/// What a loop that does nothing else reaches.
struct Rate {
  std::string what;     // "gather: bulk copies", "mma: fp64 m16n8k8"
  int row_bytes = 0;    // of gathers
  int x_megabytes = 0;  // of gathers: MiB of X
  double rate = 0;      // 1e12 bytes or floating-point operations a second
};

/// Gathers of random rows of X: 128 to 2048 bytes a row, X of 1 to 512 MiB, through registers, by asynchronous copies
/// and by bulk copies. The 1e12 bytes a second that arrive, indices not counted.
std::vector<Rate> gather_rates(bool quick);

/// Products of fragments and fused multiply-adds in registers, all multiprocessors busy. An m x n x k product counts as
/// 2 m n k operations.
std::vector<Rate> arithmetic_rates(bool quick);

/// Multiplies random matrices by each product of fragments, as src/cuda/ptx/Mma.cuh describes who holds what, and
/// compares with the host. A line for each shape that is wrong; none: all are right.
std::vector<std::string> check_fragments();

}  // namespace Tessera::Bench
