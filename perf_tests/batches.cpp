// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times batches of products with matrices of one pattern (Batch.hpp), in double:
//   batches [MATRIX]... [--products 8 64] [--num_vecs 1 8] [--layout right] [other options: --help]
// Each matrix has values, an X and a Y of its own. In each iteration a batch and a baseline take turns; a turn is ten
// successive calls. Baselines:
//   loop      a plan of compressed rows, which is given each set of values in turn (Plan::follow_values)
//   cusparse  cusparseSpMM with strided batches, by each algorithm that accepts them; each matrix needs a copy of the
//             column indices
//   Time         a batch
//   baseline_ms  the baseline
//   ratio        baseline_ms / Time
#include <benchmark/benchmark.h>

#include <string>
#include <tessera/Batch.hpp>
#include <tessera/SpmmWithSums.hpp>
#include <vector>

#include "CommandLine.hpp"
#include "Turns.hpp"
#ifdef TESSERA_HAVE_CUSPARSE
#include <harness/CuSparse.hpp>
#endif

using namespace Tessera::Impl::Benchmarks;
using Tessera::Mode;

namespace {

using Memory = Space::memory_space;
using Strided = Kokkos::View<double***, Kokkos::LayoutStride, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Multivectors that lie one after another.
struct Operand {
  Vectors<Kokkos::LayoutRight> memory;  // a row for each multivector
  Strided vectors;

  Operand(const char* label, int products, int rows, int columns, bool by_columns)
      : memory(std::string(label), std::size_t(products), std::size_t(rows) * std::size_t(columns)) {
    const auto r = std::size_t(rows), c = std::size_t(columns);
    vectors = Strided(memory.data(),
                      Kokkos::LayoutStride(std::size_t(products), r * c, r, by_columns ? 1 : c, c, by_columns ? r : 1));
  }
  /// Returns one multivector.
  template <class Layout>
  auto item(int number) const {
    using Item = Kokkos::View<double**, Layout, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return Item(memory.data() + std::size_t(number) * memory.extent(1), vectors.extent(1), vectors.extent(2));
  }
};

/// The operands of a batch, and its two ways.
template <class Layout>
struct Products {
  static constexpr bool by_columns = std::is_same_v<Layout, Kokkos::LayoutLeft>;

  Space exec;
  const DeviceMatrix& A;
  int products, columns;
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> values;
  Operand X, Y, Z;
  Tessera::BatchPlan<Space> batch;
  DevicePlan plan;
  Tessera::Workspace<Space> work;

  Products(const DeviceMatrix& A_, int products_, int columns_)
      : A(A_),
        products(products_),
        columns(columns_),
        values("values", std::size_t(products_), A_.nonzeros()),
        X("X", products_, A_.columns, columns_, by_columns),
        Y("Y", products_, A_.rows, columns_, by_columns),
        Z("Z", products_, A_.rows, columns_, by_columns) {
    scatter_values(values);
    scatter_values(X.memory);
    batch = Tessera::make_batch_plan(exec, A.rows, A.columns, A.row_offsets, A.column_indices);
    Tessera::PlanOptions options;
    options.format = Tessera::Format::Csr;
    options.hints.num_vectors = columns;
    plan = A.plan(exec, options);
    work = plan.prepare(exec, columns, Mode::NoTranspose);
  }

  void multiply() { Tessera::spmm_batch(exec, batch, values, X.vectors, Y.vectors); }
  void multiply_one_by_one() {
    for (int b = 0; b < products; ++b) {
      plan.follow_values(exec, Kokkos::subview(values, b, Kokkos::ALL));
      Tessera::spmm(exec, plan, work, X.template item<Layout>(b), Z.template item<Layout>(b));
    }
  }
  double operations() const { return 2.0 * double(A.nonzeros()) * columns * products; }
};

template <class Layout>
void time_loop(benchmark::State& state, const DeviceMatrix& A, int products, int columns) {
  Products<Layout> o(A, products, columns);
  time_in_turns(
      state, o.exec, o.operations(), [&] { o.multiply(); }, [&] { o.multiply_one_by_one(); });
  report_difference(state, o.Y.memory, o.Z.memory);
}

#ifdef TESSERA_HAVE_CUSPARSE
template <class Layout>
void time_cusparse(benchmark::State& state, const CuSparseAlgorithm& algorithm, const DeviceMatrix& A, int products,
                   int columns) {
  Products<Layout> o(A, products, columns);
  const std::size_t entries = A.nonzeros();
  const Kokkos::View<int**, Kokkos::LayoutRight, Memory> indices("indices", std::size_t(products), entries);
  for (int b = 0; b < products; ++b) Kokkos::deep_copy(Kokkos::subview(indices, b, Kokkos::ALL), A.column_indices);
  CuSparseProduct<double> theirs(algorithm, true, {A.rows, A.columns, A.row_offsets.data(), indices.data()}, entries,
                                 o.values.data());
  theirs.set_batch(products, std::int64_t(entries), std::int64_t(o.X.memory.extent(1)),
                   std::int64_t(o.Z.memory.extent(1)));
  const auto first = [&](const Operand& v) {
    return Tessera::Impl::Multivector<double>{v.memory.data(), int(v.vectors.extent(1)), columns,
                                              std::ptrdiff_t(v.vectors.stride(1)), std::ptrdiff_t(v.vectors.stride(2))};
  };
  const auto x = first(o.X), z = first(o.Z);
  time_in_turns(
      state, o.exec, o.operations(), [&] { o.multiply(); },
      [&] { theirs.run(o.exec.cuda_stream(), 1, Tessera::Impl::to_read(x), 0, z); });
  report_difference(state, o.Y.memory, o.Z.memory);
}
#endif

void register_benchmarks(const Settings& settings) {
  for (const Case& one : all_cases(settings)) {
    for (const int products : settings.products) {
      const auto name = [&](const std::string& baseline) {
        return one.name("batch", settings, {{"products", std::to_string(products)}, {"baseline", baseline}});
      };
      add_benchmark(name("loop"), 3, [=](benchmark::State& state) {
        with_layout(one.layout, [&]<class Layout>(Layout) {
          time_loop<Layout>(state, matrix_of(one.matrix), products, one.columns);
        });
      });
#ifdef TESSERA_HAVE_CUSPARSE
      for (const CuSparseAlgorithm& algorithm : cusparse_algorithms()) {
        if (algorithm.is_vector) continue;
        add_benchmark(name("cusparse_" + algorithm.name), 3, [=](benchmark::State& state) {
          with_layout(one.layout, [&]<class Layout>(Layout) {
            time_cusparse<Layout>(state, algorithm, matrix_of(one.matrix), products, one.columns);
          });
        });
      }
#endif
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times batches of products beside products one by one and cuSPARSE's batches.",
                        {.matrices = {"stencil27:4", "stencil27:8", "stencil27:16", "uniform:1000,10"},
                         .layouts = {"right"},
                         .columns = {1, 8, 32},
                         .products = {8, 64, 1024}},
                        register_benchmarks);
}
