// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Curve.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace Tessera::Impl::Harness {

namespace {

/// Returns the seconds of a product between the latest two counts.
double latest_product(const std::vector<double>& seconds, const std::vector<int>& counts) {
  const std::size_t last = seconds.size() - 1;
  return last == 0 ? seconds[0] / counts[0] : (seconds[last] - seconds[last - 1]) / (counts[last] - counts[last - 1]);
}

/// Returns the statistics of each count that all repetitions reached.
Curve summary(const Way& way, const std::vector<int>& counts, const std::vector<std::vector<double>>& repetitions) {
  Curve curve{way.library, way.name, {}, {}};
  for (std::size_t place = 0; place < counts.size(); ++place) {
    std::vector<double> samples;
    for (const std::vector<double>& seconds : repetitions)
      if (place < seconds.size()) samples.push_back(seconds[place]);
    if (samples.size() < repetitions.size()) break;
    curve.products.push_back(counts[place]);
    curve.seconds.push_back(spread_of(samples));
  }
  return curve;
}

}  // namespace

std::vector<int> counts_up_to(int most) {
  std::vector<int> counts;
  for (std::int64_t power = 1; power <= most; power *= 10)
    for (const std::int64_t step : {1, 2, 5})
      if (step * power <= most) counts.push_back(static_cast<int>(step * power));
  return counts;
}

std::vector<double> run_curve(const Way& way, const std::vector<int>& counts, double limit_seconds,
                              const FencedClock& clock) {
  std::vector<double> seconds;
  if (way.before) way.before();
  const double start = clock();
  const std::function<void()> multiply = way.set_up();
  int done = 0;
  for (const int count : counts) {
    if (seconds.size() >= 2 && seconds.back() + (count - done) * latest_product(seconds, counts) > limit_seconds) break;
    for (; done < count; ++done) multiply();
    seconds.push_back(clock() - start);
  }
  return seconds;
}

double seconds_at(const std::vector<double>& seconds, const std::vector<int>& counts, std::size_t place) {
  if (place < seconds.size()) return seconds[place];
  return seconds.back() + (counts[place] - counts[seconds.size() - 1]) * latest_product(seconds, counts);
}

std::vector<std::size_t> promising(const std::vector<Way>& ways, const std::vector<std::vector<double>>& seconds,
                                   const std::vector<int>& counts) {
  constexpr double margin = 1.1;
  std::vector<std::size_t> chosen;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    for (std::size_t place = 0; place < counts.size(); ++place) {
      double least = std::numeric_limits<double>::max();
      for (std::size_t other = 0; other < ways.size(); ++other)
        if (ways[other].library == ways[way].library)
          least = std::min(least, seconds_at(seconds[other], counts, place));
      if (seconds_at(seconds[way], counts, place) > margin * least) continue;
      chosen.push_back(way);
      break;
    }
  }
  return chosen;
}

std::vector<Curve> curves_in_turns(const std::vector<Way>& ways, const std::vector<int>& counts, int repetitions,
                                   double budget_seconds, const FencedClock& clock) {
  if (ways.empty()) return {};
  const double start = clock();
  std::vector<std::vector<double>> first;
  for (const Way& way : ways)
    first.push_back(run_curve(way, counts, budget_seconds / 4 / static_cast<double>(ways.size()), clock));
  const std::vector<std::size_t> measured = promising(ways, first, counts);
  const double limit =
      (budget_seconds - (clock() - start)) / (static_cast<double>(measured.size()) * static_cast<double>(repetitions));
  std::vector<std::vector<std::vector<double>>> seconds(measured.size());
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (std::size_t i = 0; i < measured.size(); ++i)
      seconds[i].push_back(run_curve(ways[measured[i]], counts, limit, clock));
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < measured.size(); ++i) curves.push_back(summary(ways[measured[i]], counts, seconds[i]));
  return curves;
}

}  // namespace Tessera::Impl::Harness
