// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <engines/KernelPolicy.hpp>
#include <iterator>

#include "CuSparse.hpp"
#include "EngineCandidates.hpp"
#include "Problem.hpp"

namespace Tessera::Impl::Bench {

namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point program_start = Clock::now();

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

bool device_is_lost() {
  cudaGetLastError();
  return cudaDeviceSynchronize() != cudaSuccess;
}

/// Checks three products with beta = 0, which must be bitwise equal, and one with alpha and beta.
template <class Scalar>
void verify(Problem<Scalar>& problem, Candidate<Scalar>& candidate, KernelResult& result) {
  const Tolerance tolerance = tolerance_of(result.precision);
  const Verdict first = problem.verify(candidate, {1, 0}, tolerance);
  result.deterministic = true;
  for (int again = 0; again < 2; ++again) {
    result.deterministic &= problem.verify(candidate, {1, 0}, tolerance).checksum == first.checksum;
  }
  const Verdict scaled = problem.verify(candidate, {1.5, 0.5}, tolerance);
  result.right = first.good() && scaled.good();
  if (!first.good()) result.message = "alpha = 1, beta = 0: " + first.text();
  if (!scaled.good())
    result.message += (result.message.empty() ? "" : "; ") + ("alpha = 1.5, beta = 0.5: " + scaled.text());
}

/// Returns false if the kernel does not support this problem.
template <class Scalar>
bool measure_kernel(const HostMatrix& A, int columns, Problem<Scalar>& problem, Candidate<Scalar>& candidate,
                    const Options& options, KernelResult& result) {
  try {
    const auto start = Clock::now();
    if (!candidate.prepare(problem.stream(), A, columns, options.layout)) return false;
    check(cudaDeviceSynchronize(), "prepare");
    result.prepare_ms = 1e3 * seconds_since(start);
    verify(problem, candidate, result);
    result.bytes = candidate.bytes();
    if (!result.right) return true;
    problem.reset(1);
    result.times = time_launches(
        [&] {
          problem.run(candidate, {1, 0});
        },
        problem.stream(), options.quick ? quick_timing : TimingPolicy{});
  } catch (const Impl::PolicyError& error) {
    throw Impl::PolicyError(candidate.name() + ": " + error.what());
  } catch (const std::exception& error) {
    result.right = false;
    result.message = error.what();
  }
  return true;
}

template <class Scalar>
Candidates<Scalar> wanted_candidates(const Options& options) {
  Candidates<Scalar> wanted;
  for (const std::string& engine : options.engines) {
    auto more = engine == "cusparse" ? make_cusparse_candidates<Scalar>()
                                     : make_engine_candidates<Scalar>(engine, options.policies);
    std::move(more.begin(), more.end(), std::back_inserter(wanted));
  }
  std::erase_if(wanted, [&](const auto& candidate) { return !options.wants(*candidate); });
  return wanted;
}

void report(const ProblemResult& problem, const KernelResult& kernel) {
  const bool strange = !kernel.right || (!kernel.deterministic && !kernel.cusparse);
  std::printf("  %-12s %-4d %-6s %-44s %9.4f ms (%.4f to %.4f), %.1f MB, prepared in %.1f ms%s%s\n",
              problem.matrix.c_str(), problem.columns, kernel.precision.c_str(), kernel.kernel.c_str(),
              kernel.times.median, kernel.times.least, kernel.times.most, kernel.bytes / 1e6, kernel.prepare_ms,
              strange ? (kernel.right ? ", not deterministic" : ", FAIL: ") : "", kernel.message.c_str());
  std::fflush(stdout);
}

double floor_ms(const HostMatrix& A, int columns, std::size_t scalar_bytes, double gb_per_s) {
  const double matrix = 4.0 * (A.rows + 1) + (4.0 + scalar_bytes) * A.values.size();
  const double multivectors = 1.0 * scalar_bytes * columns * (1.0 * A.rows + A.columns);
  return (matrix + multivectors) / gb_per_s / 1e6;
}

template <class Scalar>
void measure_problem(const NamedMatrix& named, const std::string& order, int columns, const Options& options,
                     Results& results) {
  const HostMatrix& A = named.matrix;
  Candidates<Scalar> wanted = wanted_candidates<Scalar>(options);
  if (wanted.empty()) return;
  results.problems.push_back({named.name,
                              order,
                              A.rows,
                              A.columns,
                              A.values.size(),
                              columns,
                              sizeof(Scalar) == 8,
                              options.layout,
                              floor_ms(A, columns, sizeof(Scalar), results.machine.copy_gb_per_s),
                              {}});
  ProblemResult& result = results.problems.back();
  Problem<Scalar> problem(A, columns, options.layout);
  Candidates<Scalar> candidates = std::move(wanted);  // destroyed before the stream
  for (auto& candidate : candidates) {
    if (seconds_since(program_start) > options.seconds) break;
    KernelResult kernel;
    kernel.kernel = candidate->name();
    kernel.precision = candidate->precision();
    kernel.cusparse = kernel.kernel.starts_with("cusparse");
    if (!measure_kernel(A, columns, problem, *candidate, options, kernel)) {
      candidate.reset();
      continue;
    }
    report(result, kernel);
    result.kernels.push_back(kernel);
    if (device_is_lost()) {
      static_cast<void>(candidate.release());  // Kokkos aborts if memory cannot be freed
      throw DeviceLost("LOST " + kernel.kernel + ": " + named.name + ", " + std::to_string(columns) +
                       " columns: " + kernel.message);
    }
    candidate.reset();  // one prepared matrix at a time
  }
}

}  // namespace

void measure(const NamedMatrix& matrix, const std::string& order, const Options& options, Results& results) {
  for (const int columns : options.columns) {
    measure_problem<double>(matrix, order, columns, options, results);
    measure_problem<float>(matrix, order, columns, options, results);
    if (seconds_since(program_start) > options.seconds) return;
  }
}

}  // namespace Tessera::Impl::Bench
