// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bmat_pipeline: measures the cost of a tile and of a window in products of BMat. Results are not checked.
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>

#include "../Device.hpp"
#include "../Timing.hpp"
#include "voltrix/cuda/Spmm.hpp"

namespace Tessera::Impl::Bench {
namespace {

/// A matrix in BMat.
struct HostBmat {
  int rows = 0, columns = 0;
  std::vector<int> window_offsets, tile_offsets, tile_columns;
  std::vector<std::uint32_t> tile_words;
  std::size_t entries = 0;
};

/// The product of a HostBmat with an X of ones, where all values are one. No window is split.
template <class Scalar>
class TimedProduct {
 public:
  TimedProduct(const HostBmat& B, int columns)
      : window_offsets_(B.window_offsets),
        tile_offsets_(B.tile_offsets),
        tile_columns_(B.tile_columns),
        tile_words_(B.tile_words),
        values_(std::vector<Scalar>(B.entries, Scalar(1))),
        x_(std::vector<Scalar>(std::size_t(B.columns) * columns, Scalar(1))),
        y_(std::size_t(B.rows) * columns) {
    const BmatWords host = {
        B.rows, B.columns, B.window_offsets.data(), B.tile_offsets.data(), B.tile_columns.data(), B.tile_words.data()};
    const int multiprocessors = describe_machine().multiprocessors;
    const auto made = Cuda::build_bmat_schedule(host, 1 << 20, multiprocessors, Cuda::BmatPartition::EqualCost);
    items_ = DeviceArray<Cuda::BmatItem>(made.items);
    points_ = DeviceArray<Cuda::BmatPoint>(made.points);
    schedule_.item_count = static_cast<int>(items_.size());
    schedule_.items = items_.data();
    schedule_.multiprocessors = multiprocessors;
    schedule_.points = points_.data();
    A_ = {B.rows, B.columns, window_offsets_.data(), tile_offsets_.data(), tile_columns_.data(), tile_words_.data()};
    product_.values = values_.data();
    product_.alpha = 1;
    product_.x = {x_.data(), B.columns, columns, columns, 1};
    product_.beta = 0;
    product_.y = {y_.data(), B.rows, columns, columns, 1};
  }

  double milliseconds(const Stream& stream, Precision precision) const {
    const auto launch = [&] { Cuda::bmat_spmm(stream, A_, precision, schedule_, product_, Scratch{}); };
    return time_launches(launch, stream, quick_timing).median;
  }

 private:
  DeviceArray<int> window_offsets_, tile_offsets_, tile_columns_;
  DeviceArray<std::uint32_t> tile_words_;
  DeviceArray<Scalar> values_, x_, y_;
  DeviceArray<Cuda::BmatItem> items_;
  DeviceArray<Cuda::BmatPoint> points_;
  Cuda::BmatSchedule schedule_;
  BmatWords A_;
  Product<Scalar, Scalar> product_;
};

/// Windows with equal numbers of tiles, random columns and 24 entries per tile.
HostBmat uniform_windows(int windows, int tiles, int columns) {
  std::mt19937 random(1);
  HostBmat B;
  B.rows = 16 * windows, B.columns = columns;
  for (int w = 0; w <= windows; ++w) B.window_offsets.push_back(w * tiles);
  for (int t = 0; t <= tiles * windows; ++t) B.tile_offsets.push_back(24 * t);
  const unsigned step = static_cast<unsigned>(columns) / static_cast<unsigned>(8 * tiles);
  for (int c = 0; c < 8 * tiles * windows; ++c) {
    B.tile_columns.push_back(static_cast<int>(static_cast<unsigned>(c % (8 * tiles)) * step + random() % step));
  }
  for (int t = 0; t < tiles * windows; ++t) B.tile_words.insert(B.tile_words.end(), {0x8421f, 0x1248, 0x842f, 0x1249});
  B.entries = std::size_t(24) * tiles * windows;
  return B;
}

/// A least-squares fit of ms = a tiles + b windows + c, with relative errors.
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

/// Prints Eq. 4 of the paper: the cost of a tile and of a window.
template <class Scalar>
void print_cost(Precision precision, int columns) {
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
      const double ms = product.milliseconds(stream, precision);
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

template <class Scalar>
void print_costs(Precision precision) {
  for (const int columns : {32, 128}) print_cost<Scalar>(precision, columns);
}

}  // namespace
}  // namespace Tessera::Impl::Bench

int main() {
  try {
    Tessera::Impl::Bench::print_costs<double>(Tessera::Precision::Native);
    Tessera::Impl::Bench::print_costs<float>(Tessera::Precision::Tf32x3);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bmat_pipeline: error: %s\n", error.what());
    return 2;
  }
}
