// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times the algebra of tall blocks of doubles (tessera/dense/DenseAlgebra.hpp) against KokkosBlas with column-major
// blocks, the layout of Tpetra:
//   dense_algebra [--rows 1000000] [--num_vecs 4 16 64] [other options: --help]
// In each iteration the two take turns; a turn is ten successive calls and a fence.
//   Time         a call of Tessera
//   baseline_ms  a call of KokkosBlas
//   ratio        baseline_ms / Time
//   of_copy      bandwidth of the bytes that must be read and written, relative to the bandwidth of a copy
#include <benchmark/benchmark.h>

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrm1.hpp>
#include <KokkosBlas1_scal.hpp>
#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <tessera/dense/Orthonormalize.hpp>
#include <utility>
#include <vector>

#include "CommandLine.hpp"
#include "Context.hpp"
#include "Turns.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

using Rows = Vectors<Kokkos::LayoutRight>;
using Columns = Vectors<Kokkos::LayoutLeft>;
using Call = std::function<void()>;

Tessera::Impl::TallBlock<double> block(const Rows& X) {
  return {X.data(), int(X.extent(0)), int(X.extent(1)), std::ptrdiff_t(X.extent(1)), nullptr};
}
Tessera::Impl::TallBlock<const double> read(const Rows& X) { return block(X); }

/// Operands of all operations.
struct Operands {
  Space exec;
  Tessera::Impl::DenseWorkspace<Space> workspace;
  int columns;
  Rows X, Y, Z;
  Columns their_X, their_Y, their_Z, their_small;
  Kokkos::View<double*, Space> their_sums;
  std::vector<double> small, sums;

  Operands(int rows, int count)
      : columns(count),
        X("X", rows, count),
        Y("Y", rows, count),
        Z("Z", rows, count),
        their_X("X", rows, count),
        their_Y("Y", rows, count),
        their_Z("Z", rows, count),
        their_small("small", count, count),
        their_sums("sums", count),
        small(std::size_t(count) * std::size_t(count)),
        sums(std::size_t(count)) {
    scatter_values(X);
    scatter_values(Y);
    scatter_values(their_X);
    scatter_values(their_Y);
    // Repeated products with this matrix neither grow nor decay.
    for (int j = 0; j < count; ++j) small[std::size_t(j) * std::size_t(count) + std::size_t(j)] = 1;
    Kokkos::parallel_for("unit", Kokkos::RangePolicy<Space>(0, count), UnitDiagonal{their_small});
    exec.fence();
  }

  /// A struct, because nvcc allows no lambda in a constructor.
  struct UnitDiagonal {
    Columns matrix;
    KOKKOS_FUNCTION void operator()(int j) const { matrix(j, j) = 1; }
  };

  Tessera::Impl::SmallMatrix<double> matrix() { return {small.data(), columns, columns, columns}; }
  Tessera::Impl::SmallMatrix<const double> unit() { return matrix(); }
  void wait_for_sums() {
    Kokkos::deep_copy(Kokkos::View<double*, Kokkos::HostSpace>(sums.data(), sums.size()), their_sums);
  }
};

/// One operation: the number of blocks that it reads or writes, flops per element, and the calls.
struct Operation {
  const char* name;
  int passes;
  double flops;
  std::function<std::pair<Call, Call>(Operands&)> calls;
};

Call gram(Operands& o, const Rows& X) {
  return [&o, X] {
    const Tessera::Impl::TallBlock<const double> blocks[] = {read(X)};
    Tessera::Impl::inner_products<Space, double>(o.exec, o.workspace, blocks, read(o.X), o.matrix());
  };
}
Call their_gram(Operands& o, const Columns& X) {
  return [&o, X] {
    KokkosBlas::gemm(o.exec, "T", "N", 1.0, X, o.their_X, 0.0, o.their_Z);
    o.exec.fence();
  };
}

std::vector<Operation> all_operations(int columns) {
  using namespace Tessera;
  using namespace Tessera::Impl;
  const double k = columns;
  return {
      {"gram", 1, 2 * k,
       [](Operands& o) -> std::pair<Call, Call> {
         return {gram(o, o.X), their_gram(o, o.their_X)};
       }},
      {"inner_products", 2, 2 * k,
       [](Operands& o) -> std::pair<Call, Call> {
         return {gram(o, o.Y), their_gram(o, o.their_Y)};
       }},
      {"multiply", 2, 2 * k,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] { multiply_add<Space, double>(o.exec, o.workspace, 1, read(o.X), o.unit(), 0, block(o.Y)); },
                 [&o] { KokkosBlas::gemm(o.exec, "N", "N", 1.0, o.their_X, o.their_small, 0.0, o.their_Y); }};
       }},
      {"multiply_add", 3, 2 * k,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] { multiply_add<Space, double>(o.exec, o.workspace, 1, read(o.X), o.unit(), .5, block(o.Y)); },
                 [&o] { KokkosBlas::gemm(o.exec, "N", "N", 1.0, o.their_X, o.their_small, .5, o.their_Y); }};
       }},
      {"multiply_in_place", 2, 2 * k,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] { multiply_add<Space, double>(o.exec, o.workspace, 1, read(o.X), o.unit(), 0, block(o.X)); }, {}};
       }},
      {"add", 3, 3,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] { add<Space, double>(o.exec, .5, read(o.X), .5, read(o.Y), block(o.Y)); },
                 [&o] { KokkosBlas::axpby(o.exec, .5, o.their_X, .5, o.their_Y); }};
       }},
      {"dots", 2, 2,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] { dots<Space, double>(o.exec, o.workspace, read(o.X), read(o.Y), o.sums.data()); },
                 [&o] {
                   KokkosBlas::dot(o.exec, o.their_sums, o.their_X, o.their_Y);
                   o.wait_for_sums();
                 }};
       }},
      {"norms", 1, 1,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] { sums_of_magnitudes<Space, double>(o.exec, o.workspace, read(o.X), o.sums.data()); },
                 [&o] {
                   KokkosBlas::nrm1(o.exec, o.their_sums, o.their_X);
                   o.wait_for_sums();
                 }};
       }},
      {"scale", 2, 1,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] {
                   std::fill(o.sums.begin(), o.sums.end(), 1.0);
                   scale<Space, double>(o.exec, o.sums.data(), block(o.X));
                 },
                 [&o] { KokkosBlas::scal(o.exec, o.their_X, 1.0, o.their_X); }};
       }},
      {"copy", 2, 0,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] { copy<Space, double>(o.exec, read(o.X), block(o.Y)); },
                 [&o] { Kokkos::deep_copy(o.exec, o.their_Y, o.their_X); }};
       }},
      {"orthonormalize", 3, 4 * k,
       [](Operands& o) -> std::pair<Call, Call> {
         return {[&o] { orthonormalize<Space, double>(o.exec, o.workspace, {}, block(o.X), {}, {}); }, {}};
       }},
  };
}

void time_operation(benchmark::State& state, int rows, int columns, const Operation& operation) {
  Operands operands(rows, columns);
  if (std::string(operation.name) == "inner_products" || std::string(operation.name) == "gram")
    operands.their_Z = Columns("C", columns, columns);
  const auto [ours, theirs] = operation.calls(operands);
  const double elements = double(rows) * columns;
  const double seconds = time_in_turns(state, operands.exec, elements * operation.flops, ours, theirs);
  state.counters["of_copy"] = 8 * elements * operation.passes / seconds / copy_bytes_per_second();
}

void register_benchmarks(const Settings& settings) {
  for (const int rows : settings.rows) {
    for (const int columns : settings.columns) {
      for (const Operation& operation : all_operations(columns)) {
        const std::string name = benchmark_name("dense", "rows-" + std::to_string(rows),
                                                {{"operation", operation.name}, {"columns", std::to_string(columns)}});
        add_benchmark(name, 5, [=](benchmark::State& state) { time_operation(state, rows, columns, operation); });
      }
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times the algebra of tall blocks beside KokkosBlas.",
                        {.rows = {100000, 1000000}, .columns = {1, 4, 16, 64}}, register_benchmarks);
}
