// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace Tessera::Impl::Bench {

/// The rate of a loop that does nothing else.
struct Rate {
  std::string what;     // "gather: bulk copies", "mma: fp64 m16n8k8"
  int row_bytes = 0;    // bytes of a gathered row
  int x_megabytes = 0;  // MiB of X in gathers
  double rate = 0;      // 1e12 bytes or floating-point operations per second
};

/// Gathers random rows of X: 128 to 2048 bytes per row, X of 1 to 512 MiB, through registers, by asynchronous copies
/// and by bulk copies. Rates are 1e12 bytes received per second, without indices.
std::vector<Rate> gather_rates(bool quick);

/// Computes products of fragments and fused multiply-adds in registers on all multiprocessors. An m x n x k product
/// counts as 2 m n k operations.
std::vector<Rate> arithmetic_rates(bool quick);

/// Multiplies random matrices with each product of fragments, laid out as in src/cuda/ptx/Mma.cuh, and compares with
/// the host. Returns a line for each wrong shape.
std::vector<std::string> check_fragments();

}  // namespace Tessera::Impl::Bench
