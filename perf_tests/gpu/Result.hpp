// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "Candidate.hpp"
#include "Device.hpp"
#include "Timing.hpp"

namespace Tessera::Impl::Bench {

/// The result of a kernel on a matrix with a number of columns.
struct KernelResult {
  std::string kernel, precision;
  bool cusparse = false;
  bool right = false;          // checked, and within bounds
  bool deterministic = false;  // three runs gave the same bits
  std::string message;         // description of the error, or empty
  Times times;                 // only of correct kernels
  double prepare_ms = 0;
  std::size_t bytes = 0;  // bytes of the prepared matrix
};

/// The results of all kernels on a matrix with a number of columns and a type of X and Y.
struct ProblemResult {
  std::string matrix, order;
  int rows = 0, inner = 0;  // inner: columns of the matrix
  std::size_t nonzeros = 0;
  int columns = 0;  // columns of X
  bool is_double = false;
  Layout layout = Layout::Right;
  double floor_ms = 0;  // time to move CSR, X and Y once at the rate of a copy
  std::vector<KernelResult> kernels;
};

struct Results {
  Machine machine;
  std::vector<ProblemResult> problems;
};

}  // namespace Tessera::Impl::Bench
