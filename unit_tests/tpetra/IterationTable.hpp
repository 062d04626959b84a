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

/// Iterations with multivectors and with BlockVectors, side by side.
///
/// Each problem is solved with its unknowns in several orders: the numbers of iterations that multivectors take then
/// tell what rounding errors are worth.
namespace Tessera::Test {

/// What a solver came to.
struct Outcome {
  bool converged = false;
  int iterations = 0;
  double residual = 0;
};

/// The outcomes of one problem in several orders. A run that does not converge takes as many iterations as are allowed.
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
  /// The greatest of those that converged.
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

/// What a test compares.
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

/// Whether all cases are asked for, which takes an hour, or a part.
inline bool all_are_asked_for() {
  const char* value = std::getenv("TESSERA_ITERATIONS");
  return value != nullptr && std::string(value) == "full";
}

/// The file of a matrix of TESSERA_DATA_DIR; empty if there is none.
inline std::filesystem::path collected(const std::string& name) {
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  if (folder == nullptr || *folder == '\0') return {};
  for (const char* ending : {".mtx", ".mtx.gz"}) {
    const auto path = std::filesystem::path(folder) / (name + ending);
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

/// "shell:GRID", "jumps:GRID", or a matrix of TESSERA_DATA_DIR. Without rows if there is no such file, or if it takes
/// too long: unless all cases are asked for, one or two ranks solve those.
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

/// Solves A X = B, or what else solve(A, unknowns, with_blocks) does, with both, in several orders of the unknowns.
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
        // A solver that gives up has not converged. It does so on all ranks.
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

/// BlockVectors converge at least as often, and take no more iterations than multivectors do in the worst order: half
/// of the runs but for 1 %, all but for 10 % or as many as the multivectors' own runs are apart. Residuals are as
/// small: the recurrences that solvers believe drift by rounding.
inline void expect_no_more_iterations(const Comparison& found, double tolerance) {
  const Runs &theirs = found.multivectors, &ours = found.blocks;
  const int most = theirs.greatest(), spread = most - theirs.least();
  EXPECT_GE(ours.converged(), theirs.converged());
  EXPECT_LE(ours.median(), most + std::max(1, most / 100));
  EXPECT_LE(ours.greatest(), most + std::max({1, most / 10, spread}));
  EXPECT_LE(ours.residual(), std::max(20 * tolerance, 2 * theirs.residual()));
}

}  // namespace Tessera::Test
