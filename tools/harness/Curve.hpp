// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "Statistics.hpp"

/// Curves: the cumulative time of a set-up and n products, by n.
namespace Tessera::Impl::Harness {

/// A way to multiply by a matrix that is new to it.
struct Way {
  std::string library;
  std::string name;  ///< which algorithm of the library; empty if it has one
  /// Does what the way does once for a matrix. Returns the product, which owns the result of the set-up. The set-up
  /// counts as time of the curve, the destruction of the product does not.
  std::function<std::function<void()>()> set_up;
  /// Brings caches into the state that every way begins with, before the clock starts; may be empty.
  std::function<void()> before = {};
};

/// A way and its times. seconds[i] is the time of a set-up and products[i] products; only numbers of products that
/// every repetition reached.
struct Curve {
  std::string library, name;
  std::vector<int> products;
  std::vector<Spread> seconds;
};

/// Waits for all work that was started, and reads a clock in seconds.
using FencedClock = std::function<double()>;

/// Returns 1, 2, 5, 10, 20, ... up to `most`.
std::vector<int> counts_up_to(int most);

/// Sets up and multiplies once: really all of the products, without fences except at the counts. Returns the
/// seconds since the beginning at each count.
///
/// \param counts        [in] numbers of products, ascending
/// \param limit_seconds [in] no further count is begun if it would end later, judged by the latest products. The first
///                           two counts are always measured
std::vector<double> run_curve(const Way& way, const std::vector<int>& counts, double limit_seconds,
                              const FencedClock& clock);

/// Returns the seconds at count counts[place] of a curve that run_curve() began. Beyond its end, products are assumed
/// to take as long as the latest ones.
double seconds_at(const std::vector<double>& seconds, const std::vector<int>& counts, std::size_t place);

/// Returns the ways that could be the fastest of their library at some count: those within a tenth of the fastest.
///
/// \param seconds [in] a curve of each way, as seconds_at() takes them
std::vector<std::size_t> promising(const std::vector<Way>& ways, const std::vector<std::vector<double>>& seconds,
                                   const std::vector<int>& counts);

/// Measures ways in turns, for about `budget_seconds`. A curve of each, which a quarter of the budget limits and which
/// does not count, shows which ways are promising. Only these are measured, `repetitions` times.
///
/// \param ways [in] each has multiplied before: kernels are loaded
std::vector<Curve> curves_in_turns(const std::vector<Way>& ways, const std::vector<int>& counts, int repetitions,
                                   double budget_seconds, const FencedClock& clock);

}  // namespace Tessera::Impl::Harness
