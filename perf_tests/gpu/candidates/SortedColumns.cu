// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted columns on CUDA cores: steps of a group, slabs of columns; and without what the paper
// says makes them fast.
#include <cuda/sorted_columns/Launch.cuh>

#include "Pieces.hpp"
#include "Prepared.hpp"
#include "sorted_columns/cuda/Schedule.hpp"

namespace Tessera::Bench {
namespace {

using Cuda::SegmentRule;
using Cuda::SortedColumnsPolicy;

// The choices that are made when a product runs.
struct RunOptions {
  int group_steps;
  int slab_columns;  // the most
  SegmentRule rule = SegmentRule::Rows;
};

template <class Policy, class Build, class Scalar>
std::string sorted_columns_name(const RunOptions& options) {
  const bool all = std::is_same_v<Build, BuildIrregularColumns>, whole = std::is_same_v<Build, BuildWholeColumns>;
  return joined("sorted<", options.group_steps, " steps, registers, ", Policy::lanes * 16 / sizeof(Scalar),
                " columns, slabs of ", options.slab_columns, ", ", Policy::threads, " threads, ", Policy::blocks,
                " blocks, unroll ", Policy::unroll,
                all     ? ", all irregular"
                : whole ? ", whole columns irregular"
                        : "",
                options.rule == SegmentRule::Elements ? ", unsorted>" : ">");
}

/// The kernel of which this one lacks a part; empty if it is whole.
template <class Policy, class Build, class Scalar>
std::string ablated(const RunOptions& options) {
  if (std::is_same_v<Build, BuildSortedColumns> && options.rule == SegmentRule::Rows) return "";
  return sorted_columns_name<Policy, BuildSortedColumns, Scalar>({options.group_steps, options.slab_columns});
}

/// A schedule on the device.
class DeviceSchedule {
 public:
  DeviceSchedule() = default;
  explicit DeviceSchedule(const Cuda::HostSortedColumnsSchedule<int>& host) : view_(host.view()) {
    copy(host.step_positions, view_.step_positions);
    copy(host.places, view_.places);
    copy(host.group_segments, view_.group_segments);
    copy(host.segment_ends, view_.segment_ends);
    copy(host.row_offsets, view_.row_offsets);
    copy(host.row_slots, view_.row_slots);
    copy(host.long_rows, view_.long_rows);
  }

  const Cuda::SortedColumnsSchedule<int>& view() const { return view_; }
  std::size_t bytes() const { return bytes_; }

 private:
  template <class T>
  void copy(const std::vector<T>& host, const T*& device) {
    const auto array = std::make_shared<DeviceArray<T>>(host);
    if (device != nullptr) device = array->data();
    bytes_ += array->bytes();
    arrays_.push_back(array);
  }

  Cuda::SortedColumnsSchedule<int> view_;
  std::vector<std::shared_ptr<const void>> arrays_;
  std::size_t bytes_ = 0;
};

template <class Policy, class Build, class Scalar>
class SortedColumns : public Candidate<Scalar> {
 public:
  explicit SortedColumns(const RunOptions& options)
      : Candidate<Scalar>(sorted_columns_name<Policy, Build, Scalar>(options), Precision::Native,
                          ablated<Policy, Build, Scalar>(options)),
        options_(options) {}

  bool takes(Layout) const override { return true; }

  // Left out where another candidate does the same: slabs and blocks that are wider than X.
  bool prepare(const HostMatrix& A, int columns, Layout) override {
    constexpr int narrow = 32;
    if (columns < options_.slab_columns && options_.slab_columns > narrow) return false;
    slab_ = std::min(columns, options_.slab_columns);
    matrix_ = prepared<Build, Scalar>(A);
    schedule_ = DeviceSchedule(Cuda::build_sorted_columns_schedule(matrix_->host, options_.group_steps, options_.rule));
    const auto row = static_cast<std::size_t>(Cuda::sorted_columns_padded<Scalar>(slab_));
    partials_ = DeviceArray<Scalar>(static_cast<std::size_t>(schedule_.view().slot_count) * row);
    packed_ = DeviceArray<Scalar>(static_cast<std::size_t>(A.columns) * row);
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    Cuda::SortedColumnsArguments<int, Scalar> arguments;
    arguments.A = matrix_->device;
    arguments.schedule = schedule_.view();
    product.values = matrix_->values.data();
    arguments.product = product;
    arguments.partials = partials_.data();
    Cuda::launch_sorted_columns<Policy>(stream, arguments, slab_, packed_.data());
  }

  std::size_t bytes() const override { return matrix_->bytes() + schedule_.bytes(); }

 private:
  RunOptions options_;
  int slab_ = 0;
  PreparedBy<Build, Scalar> matrix_;
  DeviceSchedule schedule_;
  DeviceArray<Scalar> partials_, packed_;
};

template <int columns, int threads, int blocks, int unroll, class Build = BuildSortedColumns, class Scalar>
void add(Candidates<Scalar>& candidates, const RunOptions& options) {
  using Policy = SortedColumnsPolicy<columns* static_cast<int>(sizeof(Scalar)) / 16, threads, blocks, unroll>;
  candidates.push_back(std::make_unique<SortedColumns<Policy, Build, Scalar>>(options));
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_sorted_columns_candidates() {
  Candidates<Scalar> candidates;
  // The policies that products run with, and smaller groups.
  add<32, 512, 3, 2>(candidates, {64, 32});
  add<64, 512, 3, 2>(candidates, {64, 128});
  add<32, 256, 6, 2>(candidates, {32, 32});
  add<64, 256, 6, 2>(candidates, {32, 128});
  add<32, 256, 6, 2>(candidates, {8, 32});
  // The paper's sets, without sorting, and without one of the parts.
  add<32, 256, 6, 2>(candidates, {8, 32, SegmentRule::Elements});
  add<32, 256, 6, 2, BuildIrregularColumns>(candidates, {8, 32});
  add<32, 256, 6, 2, BuildWholeColumns>(candidates, {8, 32});
  return candidates;
}

template Candidates<float> make_sorted_columns_candidates();
template Candidates<double> make_sorted_columns_candidates();

}  // namespace Tessera::Bench
