// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <tessera/io/ReadMatrix.hpp>
#include <vector>

#include "HardProblems.hpp"

/// Compares the iterations with multivectors and with BlockVectors.
///
/// Each problem is solved with its unknowns in several orders. The spread of the multivectors' iterations over these
/// orders measures the effect of rounding errors.
namespace Tessera::Impl::Test {

/// The result of a solver.
struct Outcome {
  bool converged = false;
  int iterations = 0;
  double residual = 0;
};

/// The outcomes of one problem in several orders. A run that does not converge counts as the maximum of iterations.
class Runs {
 public:
  void add(const Outcome& outcome, int most_iterations) {
    iterations_.push_back(outcome.converged ? outcome.iterations : most_iterations);
    std::sort(iterations_.begin(), iterations_.end());
    if (!outcome.converged) return;
    ++converged_;
    residual_ = std::max(residual_, outcome.residual);
  }
  int least() const { return iterations_.front(); }
  int median() const { return iterations_[(iterations_.size() - 1) / 2]; }
  int greatest() const { return iterations_.back(); }
  int converged() const { return converged_; }
  /// The greatest residual of the converged runs.
  double residual() const { return residual_; }
  std::string text() const {
    char line[80];
    std::snprintf(line, sizeof line, "%5d %5d %5d  %d of %zu  %.1e", least(), median(), greatest(), converged_,
                  iterations_.size(), residual_);
    return line;
  }

 private:
  std::vector<int> iterations_;
  int converged_ = 0;
  double residual_ = 0;
};

/// The parameters of one comparison.
struct IterationCase {
  std::string problem, solver, orthogonalization;
  int columns;
  bool is_preconditioned = true;

  std::string name() const {
    std::string text = problem + "_" + solver + orthogonalization + "_" + std::to_string(columns) +
                       (is_preconditioned ? "_jacobi" : "");
    for (char& letter : text)
      if (letter == ':') letter = '_';
    return text;
  }
};

/// Whether to run all cases (which takes an hour) instead of some.
inline bool all_are_asked_for() {
  const char* value = std::getenv("TESSERA_ITERATIONS");
  return value != nullptr && std::string(value) == "full";
}

/// The file of a matrix in TESSERA_DATA_DIR; empty if it does not exist.
inline std::filesystem::path collected(const std::string& name) {
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  if (folder == nullptr || *folder == '\0') return {};
  for (const char* ending : {".mtx", ".mtx.gz"}) {
    const auto path = std::filesystem::path(folder) / (name + ending);
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

/// Returns "shell:GRID", "jumps:GRID", or a matrix of TESSERA_DATA_DIR. Returns no rows if the file does not exist.
/// Unless all cases run, it also returns no rows of a file on more than two ranks, because that takes too long.
inline HostCsr<double> hard_problem(const std::string& name) {
  const auto number = [&] { return std::stoi(name.substr(name.find(':') + 1)); };
  if (name.rfind("shell:", 0) == 0) return generate_shell(number(), 1e-3);
  if (name.rfind("jumps:", 0) == 0) return generate_jumps(number(), 1e8);
  const auto path = collected(name);
  if (path.empty() || (ranks() > 2 && !all_are_asked_for())) return {};
  return read_matrix<double>(path);
}

inline void PrintTo(const IterationCase& test, std::ostream* stream) { *stream << test.name(); }

struct Comparison {
  Runs multivectors, blocks;
};

/// Solves a problem by solve(A, unknowns, with_blocks), with and without blocks, in several orders of the unknowns.
inline Comparison compare(
    const HostCsr<double>& matrix, int most_iterations,
    const std::function<Outcome(const RCP<Matrix>& A, const std::vector<int>& unknowns, bool with_blocks)>& solve) {
  Comparison result;
  for (int order = 0; order < 3; ++order) {
    const auto unknowns = ordering(matrix.rows, order);
    const auto A = distribute(reordered(matrix, unknowns), Spread::Uniform);
    for (const bool with_blocks : {false, true}) {
      Outcome outcome;
      try {
        outcome = solve(A, unknowns, with_blocks);
      } catch (const std::exception&) {
        // A solver that gives up has not converged. It gives up on all ranks.
      }
      (with_blocks ? result.blocks : result.multivectors).add(outcome, most_iterations);
    }
  }
  return result;
}

inline void print_head() {
  if (rank() > 0) return;
  std::printf("%-44s ranks  iterations with multivectors     with BlockVectors\n%-44s", "", "");
  for (int side = 0; side < 2; ++side) std::printf(" %s least median most conv. residual", side == 0 ? "     " : "|");
  std::printf("\n");
}

inline void print_row(const IterationCase& test, const Comparison& found) {
  if (rank() > 0) return;
  std::printf("%-44s %5d %s | %s\n", test.name().c_str(), ranks(), found.multivectors.text().c_str(),
              found.blocks.text().c_str());
  std::fflush(stdout);
}

/// Expects BlockVectors to converge at least as often as multivectors. Upper bounds on iterations are those of
/// multivectors in their worst order: plus 1 % for the median, and plus 10 % or the multivectors' spread for the
/// maximum. Residuals must be equally small: solvers trust recurrences, and rounding errors make these drift.
inline void expect_no_more_iterations(const Comparison& found, double tolerance) {
  const Runs &theirs = found.multivectors, &ours = found.blocks;
  const int most = theirs.greatest(), spread = most - theirs.least();
  EXPECT_GE(ours.converged(), theirs.converged());
  EXPECT_LE(ours.median(), most + std::max(1, most / 100));
  EXPECT_LE(ours.greatest(), most + std::max({1, most / 10, spread}));
  EXPECT_LE(ours.residual(), std::max(20 * tolerance, 2 * theirs.residual()));
}

}  // namespace Tessera::Impl::Test
