// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bmat_pipeline: what a tile and a window cost the products of BMat. Results are not looked at.
#include <cstdio>
#include <cuda/bmat/Launch.cuh>
#include <exception>
#include <random>

#include "../Timing.hpp"
#include "../candidates/BmatPieces.hpp"

namespace Tessera::Bench {
namespace {

/// A matrix in BMat.
struct HostBmat {
  int rows = 0, columns = 0;
  std::vector<int> window_offsets, value_offsets, tile_columns;
  std::vector<std::uint32_t> tile_words;
  std::size_t entries = 0;
};

/// Its product by X of ones, with values of one.
template <class Scalar>
class TimedProduct {
 public:
  TimedProduct(const HostBmat& B, int columns)
      : window_offsets_(B.window_offsets),
        value_offsets_(B.value_offsets),
        tile_columns_(B.tile_columns),
        tile_words_(B.tile_words),
        values_(std::vector<Scalar>(B.entries, Scalar(1))),
        x_(std::vector<Scalar>(std::size_t(B.columns) * columns, Scalar(1))),
        y_(std::size_t(B.rows) * columns),
        pieces_({B.rows, B.columns, B.window_offsets.data(), B.value_offsets.data(), B.tile_columns.data(),
                 B.tile_words.data()},
                columns, Cuda::BmatPartition::EqualCost) {
    arguments_.A = {
        B.rows, B.columns, window_offsets_.data(), value_offsets_.data(), tile_columns_.data(), tile_words_.data()};
    pieces_.set(arguments_);
    arguments_.product.values = values_.data();
    arguments_.product.alpha = 1;
    arguments_.product.x = {x_.data(), B.columns, columns, columns, 1};
    arguments_.product.beta = 0;
    arguments_.product.y = {y_.data(), B.rows, columns, columns, 1};
  }

  template <Precision precision, class Policy>
  double milliseconds(const Stream& stream) const {
    const auto launch = [&] { Cuda::launch_bmat<precision, Policy>(stream, arguments_); };
    return time_launches(launch, stream, quick_timing).median;
  }

 private:
  DeviceArray<int> window_offsets_, value_offsets_, tile_columns_;
  DeviceArray<std::uint32_t> tile_words_;
  DeviceArray<Scalar> values_, x_, y_;
  BmatPieces<Scalar> pieces_;
  Cuda::BmatArguments<int, Scalar> arguments_;
};

/// Windows of the same number of tiles, with random columns and 24 entries a tile.
HostBmat uniform_windows(int windows, int tiles, int columns) {
  std::mt19937 random(1);
  HostBmat B;
  B.rows = 16 * windows, B.columns = columns;
  for (int w = 0; w <= windows; ++w) {
    B.window_offsets.push_back(w * tiles);
    B.value_offsets.push_back(24 * w * tiles);
  }
  const unsigned step = static_cast<unsigned>(columns) / static_cast<unsigned>(8 * tiles);
  for (int c = 0; c < 8 * tiles * windows; ++c) {
    B.tile_columns.push_back(static_cast<int>(static_cast<unsigned>(c % (8 * tiles)) * step + random() % step));
  }
  for (int t = 0; t < tiles * windows; ++t) B.tile_words.insert(B.tile_words.end(), {0x8421f, 0x1248, 0x842f, 0x1249});
  B.entries = std::size_t(24) * tiles * windows;
  return B;
}

/// Least squares of ms = a tiles + b windows + c, relative errors.
struct CostFit {
  double sums[3][4] = {};

  void add(double tiles, double windows, double ms) {
    const double row[4] = {tiles / ms, windows / ms, 1 / ms, 1};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) sums[i][j] += row[i] * row[j];
    }
  }
  void solve(double (&result)[3]) {
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        if (k == i) continue;
        const double factor = sums[k][i] / sums[i][i];
        for (int j = 0; j < 4; ++j) sums[k][j] -= factor * sums[i][j];
      }
    }
    for (int i = 0; i < 3; ++i) result[i] = sums[i][3] / sums[i][i];
  }
};

/// Eq. 4 of the paper: what a tile and a window cost.
template <Precision precision, class Policy, class Scalar>
void print_cost(int columns) {
  struct Sample {
    int windows, tiles;
    double ms;
  };
  std::vector<Sample> samples;
  CostFit fit;
  const Stream stream;
  for (const int all : {50000, 200000}) {
    for (const int tiles : {1, 2, 4, 8, 16, 32}) {
      const TimedProduct<Scalar> product(uniform_windows(all / tiles, tiles, 60000), columns);
      const double ms = product.template milliseconds<precision, Policy>(stream);
      samples.push_back({all / tiles, tiles, ms});
      fit.add(all, all / tiles, ms);
    }
  }
  double cost[3], worst = 0;
  fit.solve(cost);
  for (const Sample& s : samples) {
    worst = std::max(worst, std::abs((cost[0] * s.tiles + cost[1]) * s.windows + cost[2] - s.ms) / s.ms);
  }
  std::printf("cost, %d columns, %s: tile %.3f ns, window %.3f ns = %.2f tiles, launch %.2f us; worst error %.0f%%\n",
              columns, std::string(to_string(precision)).c_str(), cost[0] * 1e6, cost[1] * 1e6, cost[1] / cost[0],
              cost[2] * 1e3, 100 * worst);
  for (const Sample& s : samples) std::printf("  %d x %d: %.4f", s.windows, s.tiles, s.ms);
  std::printf("\n");
  std::fflush(stdout);
}

template <Precision precision, class Scalar>
void print_costs() {
  print_cost<precision, Cuda::TunedBmatPolicy<Scalar, false>, Scalar>(32);
  print_cost<precision, Cuda::TunedBmatPolicy<Scalar, true>, Scalar>(128);
}

}  // namespace
}  // namespace Tessera::Bench

int main() {
  try {
    Tessera::Bench::print_costs<Tessera::Precision::Native, double>();
    Tessera::Bench::print_costs<Tessera::Precision::Tf32x3, float>();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bmat_pipeline: error: %s\n", error.what());
    return 2;
  }
}
