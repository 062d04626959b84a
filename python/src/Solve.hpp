// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <AnyPlan.hpp>
#include <Array.hpp>
#include <functional>
#include <string>
#include <tessera/Mode.hpp>
#include <vector>

namespace Tessera::Python {

/// Computes `out` from `in`, blocks without gaps between their rows.
using BlockFunction = std::function<void(const Array& in, const Array& out)>;

/// An operator of a solver: a plan or a function.
struct SolverOperator {
  const AnyPlan* plan = nullptr;  ///< if null, `function` is called
  Mode mode = Mode::NoTranspose;
  BlockFunction function;  ///< empty if there is neither, for no preconditioner
};

struct SolverOptions {
  double tolerance = 1e-8;
  int max_iterations = 1000;
  int max_restarts = 3;
  double dependence = 0;
};

/// BlockCgResult, with its texts.
struct SolverResult {
  std::string stop, advice;
  bool has_converged = false;
  int iterations = 0, columns_alone = 0, lost_curvatures = 0, most_dependent = 0, restarts = 0;
  std::int64_t products = 0;
  std::vector<double> residuals;
};

/// Calls block_cg() where B and X are. Both are of float or double.
SolverResult solve(Stream stream, const SolverOperator& A, const SolverOperator& preconditioner, const Array& B,
                   const Array& X, const SolverOptions& options);

}  // namespace Tessera::Python
