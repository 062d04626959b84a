// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CheckMode.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

#include "Matrices.hpp"
#include "Problem.hpp"

namespace Tessera::Bench {

namespace {

constexpr int most_candidates = 1000;
constexpr int most_lines = 20;            // of failures of a candidate
constexpr double most_idle_seconds = 90;  // a product that takes longer does not end

/// Columns of X.
std::vector<int> column_counts(bool quick) {
  return quick ? std::vector<int>{1, 33, 128} : std::vector<int>{1, 8, 31, 32, 33, 64, 128, 200, 512};
}

constexpr LineLayout layouts[] = {{"packed", 0, 0}, {"8 apart", 8, 0}, {"3 apart", 3, 0}, {"misaligned", 0, 1}};
constexpr Factors factors[] = {{1, 0}, {1.5, 0.5}, {-1, 1}};

/// What parent and child share: how far the child is, and what it found.
struct Shared {
  struct Tally {
    char name[120], precision[8];  // of a candidate that was prepared
    int cases, failures, lines;
    int told;  // the last group, from 1, of which a failure was printed
    bool lost;
  };
  std::atomic<long> steps;     // ascends as work is done
  std::atomic<int> group;      // now being checked: a matrix with a number of columns and a type
  std::atomic<int> candidate;  // now running; -1 between candidates
  std::atomic<bool> finished;
  Tally tallies[2][most_candidates];  // float, double
};

struct Place {
  std::string text;  // of the case
  Shared::Tally* tally;
  std::string kernel;
  int group;
};

void fail(const Place& place, const std::string& what) {
  ++place.tally->failures;
  const bool is_news = place.tally->told != place.group + 1;  // one matrix and number of columns, one line
  place.tally->told = place.group + 1;
  if (is_news && place.tally->lines++ < most_lines) {
    std::printf("FAIL %s: %s: %s\n", place.kernel.c_str(), place.text.c_str(), what.c_str());
    std::fflush(stdout);
  }
}

/// The products of a problem with a candidate: all factors, and the first twice, which must give the same bits.
template <class Scalar>
void check_problem(Problem<Scalar>& problem, Candidate<Scalar>& candidate, Place place) {
  const Tolerance tolerance = tolerance_of(candidate.precision());
  const std::string text = place.text;
  std::uint64_t checksum = 0;
  const auto one = [&](Factors f) {
    place.text = text + ", alpha " + std::to_string(f.alpha) + ", beta " + std::to_string(f.beta);
    ++place.tally->cases;
    const Verdict verdict = problem.verify(candidate, f, tolerance);
    if (!verdict.good()) fail(place, verdict.text());
    return verdict.checksum;
  };
  for (const Factors& f : factors) {
    const std::uint64_t sum = one(f);
    if (f.beta == 0) checksum = sum;
  }
  if (one(factors[0]) != checksum) fail(place, "not deterministic");
}

template <class Scalar>
struct Contender {
  std::unique_ptr<Candidate<Scalar>> candidate;
  int index;
  bool applicable = false;
};

/// Candidates that are wanted, are not lost, and can be prepared.
template <class Scalar>
std::vector<Contender<Scalar>> prepare_all(const Options& options, const NamedMatrix& named, int columns,
                                           Shared& shared) {
  std::vector<Contender<Scalar>> contenders;
  int index = -1;
  for (auto& candidate : make_candidates<Scalar>()) {
    if (++index >= most_candidates) throw std::runtime_error("too many candidates");
    Shared::Tally& tally = shared.tallies[sizeof(Scalar) == 8][index];
    if (!options.wants_precision(candidate->precision()) || !options.wants_kernel(candidate->name()) || tally.lost ||
        (candidate->is_ablation() && !options.ablations) || !candidate->use(options.layout)) {
      continue;
    }
    const Place place{named.name + ", N = " + std::to_string(columns) + ", prepare", &tally, candidate->name(),
                      shared.group};
    std::snprintf(tally.name, sizeof(tally.name), "%s", candidate->name().c_str());
    std::snprintf(tally.precision, sizeof(tally.precision), "%s", candidate->precision().c_str());
    shared.candidate = index;
    ++shared.steps;
    try {
      const bool applicable = candidate->prepare(named.matrix, columns);
      check(cudaDeviceSynchronize(), "prepare");
      if (applicable) contenders.push_back({std::move(candidate), index, true});
    } catch (const std::exception& error) {
      fail(place, error.what());
      if (cudaGetLastError(), cudaDeviceSynchronize() != cudaSuccess) _exit(3);
    }
  }
  shared.candidate = -1;
  return contenders;
}

template <class Scalar>
void check_layout(const std::vector<Contender<Scalar>>& contenders, const NamedMatrix& named, int columns,
                  const LineLayout& layout, bool special, Shared& shared) {
  Problem<Scalar> problem(named.matrix, columns, layout, special);
  for (const Contender<Scalar>& contender : contenders) {
    const Place place{
        named.name + ", N = " + std::to_string(columns) + ", " + layout.name + (special ? ", Inf and NaN in X" : ""),
        &shared.tallies[sizeof(Scalar) == 8][contender.index], contender.candidate->name(), shared.group};
    shared.candidate = contender.index;
    ++shared.steps;
    try {
      check_problem(problem, *contender.candidate, place);
    } catch (const std::exception& error) {
      fail(place, error.what());
      if (cudaGetLastError(), cudaDeviceSynchronize() != cudaSuccess) _exit(3);
    }
  }
  shared.candidate = -1;
}

template <class Scalar>
void check_group(const Options& options, const NamedMatrix& named, int columns, Shared& shared) {
  const auto contenders = prepare_all<Scalar>(options, named, columns, shared);
  if (contenders.empty()) return;
  for (LineLayout layout : layouts) {
    layout.layout = options.layout;
    check_layout(contenders, named, columns, layout, false, shared);
    if (layout.gap == 0) check_layout(contenders, named, columns, layout, true, shared);
  }
}

/// The groups from shared.group on.
void run_child(const Options& options, Shared& shared) {
  describe_machine();  // throws where there is no GPU
  const std::vector<NamedMatrix> matrices = small_matrices();
  const std::vector<int> all_columns = column_counts(options.quick);
  const int counts = static_cast<int>(all_columns.size()), groups = static_cast<int>(matrices.size()) * counts * 2;
  for (int group = shared.group; group < groups; ++group) {
    shared.group = group;
    const NamedMatrix& named = matrices[group / 2 / counts];
    const int columns = all_columns[group / 2 % counts];
    if (group % 2 == 0) {
      check_group<double>(options, named, columns, shared);
    } else {
      check_group<float>(options, named, columns, shared);
    }
  }
  shared.finished = true;
}

/// Waits for the child to end, and ends it when it makes no progress. True: it was ended.
bool wait_for(pid_t child, const Shared& shared) {
  using Clock = std::chrono::steady_clock;
  long steps = shared.steps;
  auto progress = Clock::now();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (shared.steps != steps) {
      steps = shared.steps;
      progress = Clock::now();
    } else if (std::chrono::duration<double>(Clock::now() - progress).count() > most_idle_seconds) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return true;
    }
  }
  return false;
}

/// Runs children until one has seen all groups. NOTE: the parent calls nothing of CUDA, whose state a child cannot use.
void run_children(const Options& options, Shared& shared) {
  while (!shared.finished) {
    shared.candidate = -1;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    if (child == 0) {
      int status = 0;
      try {
        run_child(options, shared);
      } catch (const std::exception& error) {
        std::printf("FAIL the harness itself: %s\n", error.what());
        status = 2;
      }
      std::fflush(stdout);
      _exit(status);
    }
    const bool hung = wait_for(child, shared);
    if (shared.finished) break;
    if (shared.candidate < 0) throw std::runtime_error("the checks ended early, and no candidate was running");
    Shared::Tally& tally = shared.tallies[shared.group % 2 == 0][shared.candidate];
    tally.lost = true;
    ++tally.failures;
    std::printf("FAIL %s: %s; going on without it\n", tally.name,
                hung ? "did not end" : "the device's context was lost");
  }
}

int report(const Shared& shared) {
  int failed = 0;
  for (const bool is_double : {true, false}) {
    for (const Shared::Tally& tally : shared.tallies[is_double]) {
      if (tally.name[0] == 0) continue;
      failed += tally.failures > 0;
      std::printf("%s %-6s %s: %d of %d cases failed\n",
                  tally.lost           ? "LOST"
                  : tally.failures > 0 ? "BAD "
                                       : "good",
                  tally.precision, tally.name, tally.failures, tally.cases);
    }
  }
  return failed;
}

}  // namespace

int check_candidates(const Options& options) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error(std::string("mmap: ") + std::strerror(errno));
  Shared& shared = *new (memory) Shared{};
  run_children(options, shared);
  return report(shared);
}

}  // namespace Tessera::Bench
