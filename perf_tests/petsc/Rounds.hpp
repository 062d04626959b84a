// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_Comm.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <harness/Statistics.hpp>
#include <string>
#include <vector>

#include "../../example/common/TimedOperator.hpp"

/// Solvers of several libraries that take turns.
namespace Rounds {

/// One solution.
struct Solution {
  std::string end;        ///< why the solver ended
  double iterations = 0;  ///< of the block; of a column on average, if columns are solved one by one
  double seconds = 0;     ///< without the copies of B and X
  double residual = 0;    ///< the greatest of all columns, relative, computed from scratch
  bool is_right = false;  ///< whether the solver and the residuals say so
};

/// A solver.
struct Way {
  std::string name;
  std::function<void()> set_up;     ///< makes the operator of this way
  std::function<Solution()> solve;  ///< makes a new solver and solves
};

/// Returns the seconds until the slowest rank has done the work.
template <class Work>
double seconds_of(const Teuchos::Comm<int>& comm, const Work& work) {
  comm.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  Kokkos::fence("Rounds: the work");
  return Example::slowest(comm, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

/// Sets up and solves once in each way, then `rounds` times in turns. Rank 0 prints a table: the time of set-up and
/// first solution together, the median, least and greatest time of the rounds, and the median of an iteration. Returns
/// whether all solutions are right.
inline bool run(const Teuchos::Comm<int>& comm, const std::vector<Way>& ways, int rounds) {
  std::vector<Solution> last(ways.size());
  std::vector<double> first(ways.size());
  std::vector<std::vector<double>> seconds(ways.size());
  bool is_right = true;
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (round == 0) first[i] = seconds_of(comm, ways[i].set_up);
      last[i] = ways[i].solve();
      is_right = is_right && last[i].is_right;
      if (round == 0) {
        first[i] += last[i].seconds;
      } else {
        seconds[i].push_back(last[i].seconds);
      }
    }
  }
  if (comm.getRank() != 0) return is_right;
  std::printf("%-34s %10s %-22s %17s %8s %8s   %18s %12s\n", "solver", "iterations", "end", "greatest residual",
              "first s", "median s", "[least, greatest]", "ms/iteration");
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto time = Tessera::Impl::Harness::spread_of(seconds[i]);
    std::printf("%-34s %10.4g %-22s %17.2e %8.3f %8.3f   [%7.3f, %7.3f] %12.3f%s\n", ways[i].name.c_str(),
                last[i].iterations, last[i].end.c_str(), last[i].residual, first[i], time.median, time.least, time.most,
                1e3 * time.median / last[i].iterations, last[i].is_right ? "" : "  NOT SOLVED");
  }
  return is_right;
}

}  // namespace Rounds
