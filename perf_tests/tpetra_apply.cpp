// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times Tpetra::CrsMatrix::apply against Tessera::CrsMatrix::apply, by mode and number of columns, and, if the matrix
// consists of dense blocks, Tpetra::BlockCrsMatrix::apply against Tessera::TpetraOperator ("apply_blocks"):
//   mpirun -n 2 tpetra_apply [MATRIX]... [--num_vecs 8 32] [--benchmark_filter=mode:N] [other options: --help]
//
// In each iteration the matrices take turns; a turn lasts until the slowest rank is done, and ends with a fence.
//   Time, GFLOP/s  Tessera; 2 operations per nonzero and column
//   baseline_ms    the time of Tpetra
//   trusting_ms    the time of a Tessera that does not check for new values, but must be notified of them
//   ratio          baseline_ms / Time
//   difference     the greatest difference in Y, relative to the greatest element; beyond rounding it fails
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_BlockCrsMatrix_Helpers.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <harness/Statistics.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>
#include <vector>

#include "../example/common/AllRanks.hpp"
#include "../example/common/DistributedMatrix.hpp"
#include "CommandLine.hpp"

using namespace Example;
using namespace Tessera::Impl::Benchmarks;
using namespace Tessera::Impl::Harness;

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Operator = Tpetra::Operator<double>;
using MultiVector = Tpetra::MultiVector<double>;

/// One matrix, multiplied in three ways.
struct Operators {
  std::string name;
  RCP<const Operator> tpetra, tessera, trusting;
  std::size_t nonzeros = 0;
};

Operators make_operators(const Tessera::HostCsr<double>& matrix, const RCP<const Communicator>& comm) {
  const auto crs = distribute(matrix, comm);
  return {"apply", crs, rcp(new Tessera::CrsMatrix(*crs)), rcp(new Tessera::CrsMatrix(*crs, {.trusts_values = true})),
          matrix.values.size()};
}

Operators make_block_operators(const Tessera::HostCsr<double>& matrix, int size, const RCP<const Communicator>& comm) {
  const auto blocks = Tpetra::convertToBlockCrsMatrix(*distribute(matrix, comm, size), size);
  return {"apply_blocks", blocks, rcp(new Tessera::TpetraOperator(blocks)),
          rcp(new Tessera::TpetraOperator(blocks, {.trusts_values = true})), matrix.values.size()};
}

/// Whether the matrix consists of dense blocks of size x size.
bool has_blocks(const Tessera::HostCsr<double>& A, int size) {
  if (A.rows % size != 0 || A.columns % size != 0) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    const std::size_t first = i - i % static_cast<std::size_t>(size);
    const std::size_t begin = A.row_offsets[i], end = A.row_offsets[i + 1];
    if (end - begin != A.row_offsets[first + 1] - A.row_offsets[first]) return false;
    for (std::size_t k = begin; k < end; ++k) {
      if (A.column_indices[k] != A.column_indices[A.row_offsets[first] + k - begin]) return false;
      const int in_block = static_cast<int>((k - begin) % static_cast<std::size_t>(size));
      if (A.column_indices[k] % size != in_block) return false;
    }
    if ((end - begin) % static_cast<std::size_t>(size) != 0) return false;
  }
  return true;
}

/// Returns the largest size of dense blocks, or 1 if there are none.
int block_size_of(const Tessera::HostCsr<double>& A) {
  int size = 8;
  while (size > 1 && !has_blocks(A, size)) --size;
  return size;
}

/// Returns the seconds until the slowest rank has its part of Y = op(A) X.
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

/// Returns the greatest difference of the elements of Y, relative to the greatest element. Overwrites Y.
double difference(const Operators& A, const MultiVector& X, MultiVector& Y, Teuchos::ETransp mode) {
  MultiVector Z(Y.getMap(), Y.getNumVectors());
  std::vector<double> greatest(Y.getNumVectors()), apart(Y.getNumVectors());
  A.tpetra->apply(X, Z, mode);
  Z.normInf(greatest);
  A.tessera->apply(X, Y, mode);
  Y.update(-1.0, Z, 1.0);
  Y.normInf(apart);
  double most = 0;
  for (std::size_t j = 0; j < apart.size(); ++j) most = greater(most, apart[j] == 0 ? 0 : apart[j] / greatest[j]);
  return most;
}

void time_operators(benchmark::State& state, const Operators& A, Teuchos::ETransp mode, std::size_t columns) {
  const bool plain = mode == Teuchos::NO_TRANS;
  MultiVector X(plain ? A.tpetra->getDomainMap() : A.tpetra->getRangeMap(), columns);
  MultiVector Y(plain ? A.tpetra->getRangeMap() : A.tpetra->getDomainMap(), columns);
  X.randomize();
  for (const auto& each : {A.tpetra, A.tessera, A.trusting}) each->apply(X, Y, mode);  // the first call allocates
  double tpetra = 0, tessera = 0, trusting = 0;
  for (auto _ : state) {
    tpetra += time_apply(*A.tpetra, X, Y, mode);
    const double seconds = time_apply(*A.tessera, X, Y, mode);
    tessera += seconds;
    state.SetIterationTime(seconds);
    trusting += time_apply(*A.trusting, X, Y, mode);
  }
  const double apart = difference(A, X, Y, mode);
  if (!(apart < 1e-11)) state.SkipWithError("the products differ");
  const auto iterations = static_cast<double>(state.iterations());
  const double operations = 2.0 * static_cast<double>(A.nonzeros) * static_cast<double>(columns);
  state.counters["GFLOP/s"] = 1e-9 * operations * iterations / tessera;
  state.counters["baseline_ms"] = 1e3 * tpetra / iterations;
  state.counters["trusting_ms"] = 1e3 * trusting / iterations;
  state.counters["ratio"] = tpetra / tessera;
  state.counters["difference"] = apart;
}

/// The iterations, equal on all ranks: about a fifth of a second at 2 GFLOP/s.
int iterations(const Operators& A, int columns) {
  const double operations = 2.0 * static_cast<double>(A.nonzeros) * columns;
  return static_cast<int>(std::clamp(0.4e9 / std::max(operations, 1.0), 5.0, 100.0));
}

void register_benchmarks(const std::string& matrix, const Operators& A, const std::vector<int>& all_columns) {
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS}) {
    if (mode == Teuchos::TRANS && !A.tpetra->hasTransposeApply()) continue;
    for (const int columns : all_columns) {
      const auto name = benchmark_name(
          A.name, matrix, {{"mode", mode == Teuchos::TRANS ? "T" : "N"}, {"columns", std::to_string(columns)}});
      add_benchmark(name, iterations(A, columns), [=](benchmark::State& state) {
        time_operators(state, A, mode, static_cast<std::size_t>(columns));
      });
    }
  }
}

/// The output of ranks other than the first.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// Returns Google Benchmark's arguments on this rank. Benchmarks run in the same order on all ranks, and one rank
/// writes files.
void for_this_rank(CommandLine& command_line, int rank) {
  auto& others = command_line.others;
  if (rank != 0) std::erase_if(others, [](const auto& other) { return other.starts_with("--benchmark_out="); });
  others.push_back("--benchmark_enable_random_interleaving=false");
}

/// Calls parse() on all ranks, the first of which prints.
std::optional<CommandLine> parse_on_all_ranks(int argc, char* argv[]) {
  const Settings defaults = {.matrices = {"elasticity:24"}, .columns = {1, 4, 16, 32}};
  try {
    return parse(argc, argv, "Times Tpetra::CrsMatrix::apply beside that of Tessera::CrsMatrix.", defaults, true);
  } catch (const std::invalid_argument& error) {
    throw ErrorOnAllRanks(error.what());
  }
}

int run(int argc, char* argv[]) {
  const auto comm = Tpetra::getDefaultComm();
  auto command_line = parse_on_all_ranks(argc, argv);
  if (!command_line) return EXIT_SUCCESS;
  for_this_rank(*command_line, comm->getRank());
  try {
    initialize_benchmarks(argv[0], *command_line);
  } catch (const std::invalid_argument& error) {
    throw ErrorOnAllRanks(error.what());
  }
  for (const std::string& name : command_line->settings.matrices) {
    const auto matrix = on_all_ranks(*comm, [&] { return Tessera::read_or_generate(name); });
    register_benchmarks(name, make_operators(matrix, comm), command_line->settings.columns);
    const int size = block_size_of(matrix);
    if (size == 1) continue;
    register_benchmarks(name, make_block_operators(matrix, size, comm), command_line->settings.columns);
  }
  benchmark::AddCustomContext("ranks", std::to_string(comm->getSize()));
  SilentReporter silent;
  return run_registered_benchmarks(*command_line, comm->getRank() == 0 ? nullptr : &silent);
}

}  // namespace

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  try {
    return run(argc, argv);
  } catch (...) {
    return report_error("tpetra_apply", *Tpetra::getDefaultComm());
  }
}
