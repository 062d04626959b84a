// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times Tpetra::CrsMatrix::apply beside that of Tessera::TpetraOperator, by mode and number of columns:
//   mpirun -n 2 tpetra_apply [MATRIX] [--benchmark_filter=apply/N] [other options of Google Benchmark]
// MATRIX is a file, Matrix Market or binary CSR, plain or gzip, or a generated matrix such as elasticity:24, the
// default.
//
// In each iteration the operators take turns; a turn lasts until the slowest rank has done, and ends with a fence.
// Unless told otherwise, every benchmark runs five times, and the median, least and greatest of these are reported:
//   Time, GFLOP/s   those of TpetraOperator; 2 operations a nonzero and column
//   crs_ms          the time of CrsMatrix
//   growing_ms      the time of TpetraOperator with Agreement::WhenGrowing
//   ratio           crs_ms / Time
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/tpetra/TpetraOperator.hpp>
#include <vector>

#include "../example/AllRanks.hpp"
#include "../example/DistributedMatrix.hpp"

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Matrix = Tpetra::CrsMatrix<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;

struct Operators {
  RCP<const Matrix> crs;
  RCP<Tessera::TpetraOperator<double>> tessera;
  RCP<Tessera::TpetraOperator<double>> growing;
};

Operators make_operators(const std::string& name) {
  const auto comm = Tpetra::getDefaultComm();
  Operators operators;
  operators.crs =
      Example::distribute(Example::on_all_ranks(*comm, [&] { return Example::read_or_generate(name); }), comm);
  operators.tessera = rcp(new Tessera::TpetraOperator<double>(operators.crs));
  Tessera::TpetraOperatorOptions options;
  options.agreement = Tessera::Agreement::WhenGrowing;
  operators.growing = rcp(new Tessera::TpetraOperator<double>(operators.crs, options));
  return operators;
}

/// Seconds until the slowest rank has its part of Y = op(A) X.
double time_apply(const Operator& A, const MultiVector& X, MultiVector& Y, Teuchos::ETransp mode) {
  const auto& comm = *X.getMap()->getComm();
  comm.barrier();
  const auto start = std::chrono::steady_clock::now();
  A.apply(X, Y, mode);
  Kokkos::fence();
  const double here = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double slowest = here;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MAX, here, Teuchos::outArg(slowest));
  return slowest;
}

void time_operators(benchmark::State& state, const Operators& A, Teuchos::ETransp mode, std::size_t columns) {
  const bool plain = mode == Teuchos::NO_TRANS;
  MultiVector X(plain ? A.crs->getDomainMap() : A.crs->getRangeMap(), columns);
  MultiVector Y(plain ? A.crs->getRangeMap() : A.crs->getDomainMap(), columns);
  X.randomize();
  for (const Operator* op : {static_cast<const Operator*>(A.crs.get()), static_cast<const Operator*>(A.tessera.get()),
                             static_cast<const Operator*>(A.growing.get())}) {
    op->apply(X, Y, mode);  // the first allocates
  }
  double crs = 0, tessera = 0, growing = 0;
  for (auto _ : state) {
    crs += time_apply(*A.crs, X, Y, mode);
    const double seconds = time_apply(*A.tessera, X, Y, mode);
    tessera += seconds;
    state.SetIterationTime(seconds);
    growing += time_apply(*A.growing, X, Y, mode);
  }
  const auto iterations = static_cast<double>(state.iterations());
  const double operations = 2.0 * static_cast<double>(A.crs->getGlobalNumEntries()) * static_cast<double>(columns);
  state.counters["GFLOP/s"] = 1e-9 * operations * iterations / tessera;
  state.counters["crs_ms"] = 1e3 * crs / iterations;
  state.counters["growing_ms"] = 1e3 * growing / iterations;
  state.counters["ratio"] = crs / tessera;
}

/// The same on all ranks, and about a fifth of a second at 2 GFLOP/s.
std::int64_t iterations(const Operators& A, std::size_t columns) {
  const double operations = 2.0 * static_cast<double>(A.crs->getGlobalNumEntries()) * static_cast<double>(columns);
  return static_cast<std::int64_t>(std::clamp(0.4e9 / std::max(operations, 1.0), 5.0, 1000.0));
}

void register_benchmarks(const Operators& A) {
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    for (const std::size_t columns : {1, 4, 16, 32}) {
      const std::string name = (mode == Teuchos::TRANS ? "apply/T/" : "apply/N/") + std::to_string(columns);
      auto* registered = benchmark::RegisterBenchmark(
          name.c_str(), [&A, mode, columns](benchmark::State& state) { time_operators(state, A, mode, columns); });
      registered->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(iterations(A, columns));
      registered->ComputeStatistics("min", [](const auto& t) { return *std::min_element(t.begin(), t.end()); });
      registered->ComputeStatistics("max", [](const auto& t) { return *std::max_element(t.begin(), t.end()); });
    }
  }
}

/// What ranks other than the first print.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// Google Benchmark's options: our defaults first, the user's in the middle, which win, and last what must hold so that
/// all ranks do the same and one of them writes files.
std::vector<char*> with_defaults(int argc, char* argv[], int rank) {
  static char repetitions[] = "--benchmark_repetitions=5";
  static char aggregates[] = "--benchmark_report_aggregates_only=true";
  static char no_interleaving[] = "--benchmark_enable_random_interleaving=false";
  std::vector<char*> arguments = {argv[0], repetitions, aggregates};
  std::copy_if(argv + 1, argv + argc, std::back_inserter(arguments), [&](const char* argument) {
    return rank == 0 || !std::string_view(argument).starts_with("--benchmark_out=");
  });
  arguments.push_back(no_interleaving);
  return arguments;
}

int run(int argc, char* argv[]) {
  const auto comm = Tpetra::getDefaultComm();
  auto arguments = with_defaults(argc, argv, comm->getRank());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  const std::string name = count > 1 ? arguments[1] : "elasticity:24";
  if (count > 2 || name.starts_with("-")) {
    throw Example::ErrorOnAllRanks(std::string(arguments[count - 1]) +
                                   ": expected one MATRIX, and options of Google Benchmark");
  }
  const Operators A = make_operators(name);
  benchmark::AddCustomContext("matrix", name);
  benchmark::AddCustomContext("rows", std::to_string(A.crs->getGlobalNumRows()));
  benchmark::AddCustomContext("nonzeros", std::to_string(A.crs->getGlobalNumEntries()));
  benchmark::AddCustomContext("ranks", std::to_string(comm->getSize()));
  benchmark::AddCustomContext("concurrency of a rank", std::to_string(Tpetra::Map<>::execution_space().concurrency()));
  register_benchmarks(A);
  SilentReporter silent;
  benchmark::RunSpecifiedBenchmarks(comm->getRank() == 0 ? nullptr : &silent);
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  try {
    return run(argc, argv);
  } catch (...) {
    return Example::report_error("tpetra_apply", *Tpetra::getDefaultComm());
  }
}
