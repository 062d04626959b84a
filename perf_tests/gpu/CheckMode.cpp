// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckMode.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "Matrices.hpp"
#include "Measure.hpp"
#include "Problem.hpp"

namespace Tessera::Bench {

namespace {

constexpr int most_lines = 20;  // of failures of a candidate
constexpr std::chrono::seconds longest_product{90};

/// Columns of X.
std::vector<int> column_counts(bool quick) {
  return quick ? std::vector<int>{1, 33, 128} : std::vector<int>{1, 8, 31, 32, 33, 64, 128, 200, 512};
}

constexpr LineLayout layouts[] = {{"packed", 0, 0}, {"8 apart", 8, 0}, {"3 apart", 3, 0}, {"misaligned", 0, 1}};
constexpr Factors factors[] = {{1, 0}, {1.5, 0.5}, {-1, 1}};

/// Ends the program where a candidate takes too long.
class Watchdog {
 public:
  Watchdog() : thread_([this](std::stop_token stop) { watch(stop); }) {}

  void begin(const std::string& kernel) {
    const std::scoped_lock lock(mutex_);
    kernel_ = kernel;
    begun_ = true;
    changed_.notify_all();
  }

 private:
  void watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      begun_ = false;
      if (changed_.wait_for(lock, stop, longest_product, [&] { return begun_; }) || stop.stop_requested()) continue;
      if (kernel_.empty()) continue;
      std::printf("LOST %s: does not end\n", kernel_.c_str());
      std::fflush(stdout);
      _exit(3);
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string kernel_;
  bool begun_ = false;
  std::jthread thread_;
};

/// What was found of a candidate.
struct Tally {
  int cases = 0, failures = 0, lines = 0;
  std::string told;  // the last matrix and number of columns of which a failure was printed
};

class Checker {
 public:
  explicit Checker(const Options& options) : options_(options) {}

  template <class Scalar>
  void check_all(const NamedMatrix& named, int columns) {
    group_ = named.name + ", N = " + std::to_string(columns);
    Candidates<Scalar> candidates;
    for (auto& candidate : make_candidates<Scalar>()) {
      if (!options_.wants(*candidate)) continue;
      bool applicable = false;
      guarded_by_context(*candidate, "prepare", [&] { applicable = candidate->prepare(named.matrix, columns); });
      if (applicable) candidates.push_back(std::move(candidate));
    }
    if (candidates.empty()) return;
    for (LineLayout layout : layouts) {
      layout.layout = options_.layout;
      for (const bool special : {false, true}) {
        if (special && layout.gap != 0) continue;
        Problem<Scalar> problem(named.matrix, columns, layout, special);
        const std::string where = std::string(layout.name) + (special ? ", Inf and NaN in X" : "");
        for (auto& candidate : candidates)
          guarded_by_context(*candidate, where, [&] { check_problem(problem, *candidate, where); });
      }
    }
  }

  /// A line for each candidate. Returns how many failed.
  int report() const {
    int failed = 0;
    for (const auto& [key, tally] : tallies_) {
      failed += tally.failures > 0;
      std::printf("%s %-6s %s: %d of %d cases failed\n", tally.failures > 0 ? "BAD " : "good", key.first.c_str(),
                  key.second.c_str(), tally.failures, tally.cases);
    }
    return failed;
  }

 private:
  /// Runs a part of the checks of a candidate: what that throws is a failure, unless the device is lost.
  template <class Scalar, class Work>
  void guarded_by_context(Candidate<Scalar>& candidate, const std::string& where, const Work& work) {
    watchdog_.begin(candidate.name());
    try {
      work();
      check(cudaDeviceSynchronize(), where);
    } catch (const std::exception& error) {
      fail(candidate, where, error.what());
      if (cudaGetLastError(), cudaDeviceSynchronize() != cudaSuccess)
        throw DeviceLost("LOST " + candidate.name() + ": " + group_ + ", " + where + ": " + error.what());
    }
    watchdog_.begin("");
  }

  /// The products of a problem: all factors, and the first twice, which must give the same bits.
  template <class Scalar>
  void check_problem(Problem<Scalar>& problem, Candidate<Scalar>& candidate, const std::string& where) {
    const Tolerance tolerance = tolerance_of(candidate.precision());
    const auto checksum_of = [&](Factors f) {
      ++tally_of(candidate).cases;
      const Verdict verdict = problem.verify(candidate, f, tolerance);
      if (!verdict.good())
        fail(candidate, where + ", alpha " + std::to_string(f.alpha) + ", beta " + std::to_string(f.beta),
             verdict.text());
      return verdict.checksum;
    };
    const std::uint64_t first = checksum_of(factors[0]);
    for (std::size_t f = 1; f < std::size(factors); ++f) checksum_of(factors[f]);
    if (checksum_of(factors[0]) != first) fail(candidate, where, "not deterministic");
  }

  template <class Scalar>
  Tally& tally_of(const Candidate<Scalar>& candidate) {
    return tallies_[{candidate.precision(), candidate.name()}];
  }

  template <class Scalar>
  void fail(const Candidate<Scalar>& candidate, const std::string& where, const std::string& what) {
    Tally& tally = tally_of(candidate);
    ++tally.failures;
    if (std::exchange(tally.told, group_) == group_ || tally.lines++ >= most_lines) return;
    std::printf("FAIL %s: %s, %s: %s\n", candidate.name().c_str(), group_.c_str(), where.c_str(), what.c_str());
    std::fflush(stdout);
  }

  const Options& options_;
  std::string group_;                                             // the matrix and the number of columns at hand
  std::map<std::pair<std::string, std::string>, Tally> tallies_;  // by precision and name
  Watchdog watchdog_;
};

}  // namespace

int check_candidates(const Options& options) {
  describe_machine();  // throws where there is no GPU
  Checker checker(options);
  for (const NamedMatrix& named : small_matrices()) {
    for (const int columns : column_counts(options.quick)) {
      checker.check_all<double>(named, columns);
      checker.check_all<float>(named, columns);
    }
  }
  return checker.report();
}

}  // namespace Tessera::Bench
