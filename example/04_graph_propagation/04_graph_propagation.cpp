// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Averages features of the vertices of a graph over neighbours several times, as graph neural networks do, and computes
// the gradient of the result with transposed products:
//   04_graph_propagation [FILE]
// FILE is a graph as a square matrix, Matrix Market or binary CSR, plain or gzip. Its values do not matter. Without
// FILE, a graph is generated.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <tessera/Tessera.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <utility>
#include <vector>

#include "Greatest.hpp"
#include "ToDevice.hpp"

namespace {

using Tessera::Mode;
using Space = Kokkos::DefaultExecutionSpace;
using Plan = Tessera::Plan<float>;
// Row-major: the features of a vertex are adjacent.
using Features = Kokkos::View<float**, Kokkos::LayoutRight, Space>;

constexpr int feature_count = 128, steps = 10;
constexpr float fresh = 0.1F;  // share of its own features that a vertex takes in again in each step
constexpr double tolerance = 1e-5;

/// Makes the plan of the mean over a vertex and its neighbours. The vertex is appended to its own row, even if the row
/// has it already: plans accept unsorted rows, and add up duplicates.
Plan make_mean(const Space& exec, const Tessera::HostCsr<double>& graph) {
  std::vector<std::size_t> row_offsets{0};
  std::vector<int> columns;
  std::vector<float> values;
  for (int vertex = 0; vertex < graph.rows; ++vertex) {
    const auto begin = graph.column_indices.begin();
    columns.insert(columns.end(), begin + std::ptrdiff_t(graph.row_offsets[vertex]),
                   begin + std::ptrdiff_t(graph.row_offsets[vertex + 1]));
    columns.push_back(vertex);
    row_offsets.push_back(columns.size());
    values.resize(columns.size(), 1.0F / float(columns.size() - row_offsets[vertex]));
  }
  Tessera::PlanOptions options;
  options.hints.num_vectors = feature_count;
  return Tessera::make_plan(exec, graph.rows, graph.columns, Example::to_device(row_offsets),
                            Example::to_device(columns), Example::to_device(values), options);
}

/// Returns M X with M = ((1 - fresh) op(P))^steps + ... + fresh I, by steps H = (1 - fresh) op(P) H + fresh X.
Features propagate(const Space& exec, const Plan& P, Mode mode, const Features& X) {
  Features H("H", X.extent(0), X.extent(1)), next("next", X.extent(0), X.extent(1));
  Kokkos::deep_copy(exec, H, X);
  for (int step = 0; step < steps; ++step) {
    Kokkos::deep_copy(exec, next, X);
    Tessera::spmm(exec, P, mode, 1 - fresh, H, fresh, next);  // the first for a transpose also builds it, once
    std::swap(H, next);
  }
  exec.fence();
  return H;
}

/// Makes random features, except for the first feature, which is 1 everywhere.
Features make_features(int vertices, int seed) {
  const Features X("X", vertices, feature_count);
  const auto x = Kokkos::create_mirror_view(X);
  const auto random = Tessera::random_dense<float>(std::size_t(vertices), feature_count, std::uint64_t(seed));
  for (int i = 0; i < vertices; ++i)
    for (int j = 0; j < feature_count; ++j)
      x(i, j) = j == 0 ? 1.0F : random.values[std::size_t(i) + std::size_t(j) * std::size_t(vertices)];
  Kokkos::deep_copy(X, x);
  return X;
}

/// Returns the greatest error of the first feature. It is 1 everywhere, hence its means are 1.
double error_of_mean(const Features& H) {
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), H);
  double most = 0;
  for (int i = 0; i < h.extent_int(0); ++i) Example::keep_greatest(most, std::abs(h(i, 0) - 1.0));
  return most;
}

/// Returns the greatest |<G, M X> - <M^T G, X>| of all features, relative to the sum of the magnitudes of the terms.
double error_of_gradient(const Features& G, const Features& MX, const Features& MtG, const Features& X) {
  const auto host = [](const Features& V) { return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), V); };
  const auto g = host(G), mx = host(MX), mtg = host(MtG), x = host(X);
  double most = 0;
  for (int j = 0; j < feature_count; ++j) {
    double difference = 0, magnitude = 0;
    for (int i = 0; i < x.extent_int(0); ++i) {
      const double there = double(g(i, j)) * mx(i, j), back = double(mtg(i, j)) * x(i, j);
      difference += there - back;
      magnitude += std::abs(there) + std::abs(back);
    }
    Example::keep_greatest(most, std::abs(difference) / magnitude);
  }
  return most;
}

bool run(const Tessera::HostCsr<double>& graph) {
  const Space exec;
  const Plan P = make_mean(exec, graph);
  std::printf("%s", P.explain().c_str());
  const Features X = make_features(graph.rows, 1), G = make_features(graph.rows, 2);
  const Features MX = propagate(exec, P, Mode::NoTranspose, X);
  const Features MtG = propagate(exec, P, Mode::Transpose, G);  // the gradient of <G, M X> by X
  const double mean = error_of_mean(MX), gradient = error_of_gradient(G, MX, MtG, X);
  std::printf("%d vertices, %zu edges, %d features, %d steps\n", graph.rows, graph.values.size(), feature_count, steps);
  std::printf("a feature that is 1 everywhere is off by %.1e, gradients by %.1e, expected at most %.0e\n", mean,
              gradient, tolerance);
  return mean <= tolerance && gradient <= tolerance;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    const auto graph = argc > 1 ? Tessera::read_matrix<double>(argv[1]) : Tessera::generate("rmat:11,8");
    if (graph.rows != graph.columns || graph.rows == 0) {
      throw std::invalid_argument(std::string(argv[1]) + ": " + std::to_string(graph.rows) + " x " +
                                  std::to_string(graph.columns) + ", expected a square matrix");
    }
    return run(graph) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "04_graph_propagation: %s\n", error.what());
    return 2;
  }
}
