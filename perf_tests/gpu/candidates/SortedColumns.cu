// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted columns on CUDA cores: steps of a group, slabs of columns; and without what the paper
// says makes them fast.
#include <cuda/sorted_columns/Launch.cuh>

#include "sorted_columns/PreparedSortedColumns.hpp"

namespace Tessera::Bench {
namespace {

using Cuda::SegmentRule;
using Cuda::SortedColumnsPolicy;

// What is chosen when a product runs.
struct RunOptions {
  int group_steps;
  int slab_columns;  // the most
  SortedColumnsParts parts = SortedColumnsParts::Both;
  SegmentRule rule = SegmentRule::Rows;
};

template <class Policy, class Scalar>
constexpr int block_columns = Policy::lanes* static_cast<int>(16 / sizeof(Scalar));

template <class Policy, class Scalar>
std::string sorted_columns_name(const RunOptions& options) {
  const std::string parts = options.parts == SortedColumnsParts::Both        ? ""
                            : options.parts == SortedColumnsParts::Irregular ? ", all irregular"
                                                                             : ", whole columns irregular";
  return "sorted<" + std::to_string(options.group_steps) + " steps, " + "registers, " +
         std::to_string(block_columns<Policy, Scalar>) + " columns, slabs of " + std::to_string(options.slab_columns) +
         ", " + std::to_string(Policy::threads) + " threads, " + std::to_string(Policy::blocks) + " blocks, unroll " +
         std::to_string(Policy::unroll) + parts + (options.rule == SegmentRule::Elements ? ", unsorted>" : ">");
}

template <class Policy, class Scalar>
class SortedColumns : public Candidate<Scalar> {
 public:
  explicit SortedColumns(RunOptions options) : options_(options) {}

  std::string name() const override { return sorted_columns_name<Policy, Scalar>(options_); }
  std::string precision() const override { return std::is_same_v<Scalar, double> ? "fp64" : "fp32"; }
  std::string ablates() const override {
    const bool is_whole = options_.parts == SortedColumnsParts::Both && options_.rule == SegmentRule::Rows;
    return is_whole ? "" : sorted_columns_name<Policy, Scalar>({options_.group_steps, options_.slab_columns});
  }
  bool use(Layout layout) override {
    layout_ = layout;
    return true;
  }

  // Not where another candidate would do the same: slabs and blocks that are wider than X.
  bool prepare(const HostMatrix& A, int N) override {
    constexpr int narrow = 32;
    if (N < options_.slab_columns && options_.slab_columns > narrow) return false;
    columns_ = N;
    slab_ = std::min(N, options_.slab_columns);
    matrix_ = prepared_sorted_columns<Scalar>(A, options_.parts);
    schedule_ = prepared_sorted_columns_schedule<Scalar>(*matrix_, options_.group_steps, options_.rule);
    const auto row = static_cast<std::size_t>(Cuda::sorted_columns_padded<Scalar>(slab_));
    partials_ = DeviceArray<Scalar>(static_cast<std::size_t>(schedule_->view().slot_count) * row);
    packed_ = DeviceArray<Scalar>(static_cast<std::size_t>(A.columns) * row);
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    Cuda::SortedColumnsArguments<int, Scalar> arguments;
    arguments.A = matrix_->pattern();
    arguments.schedule = schedule_->view();
    arguments.product.values = matrix_->values();
    arguments.product.alpha = alpha;
    arguments.product.x = multivector(X, arguments.A.columns, ldx);
    arguments.product.beta = beta;
    arguments.product.y = multivector(Y, arguments.A.rows, ldy);
    arguments.partials = partials_.data();
    Cuda::launch_sorted_columns<Policy>(stream, arguments, slab_, packed_.data());
  }

  std::size_t bytes() const override { return matrix_->bytes() + schedule_->bytes(); }

 private:
  template <class Element>
  Tessera::Multivector<Element> multivector(Element* data, int rows, int stride) const {
    if (layout_ == Layout::Left) return {data, rows, columns_, 1, stride};
    return {data, rows, columns_, stride, 1};
  }

  RunOptions options_;
  Layout layout_ = Layout::Right;
  int columns_ = 0, slab_ = 0;
  std::shared_ptr<PreparedSortedColumns<Scalar>> matrix_;
  std::shared_ptr<PreparedSortedColumnsSchedule> schedule_;
  DeviceArray<Scalar> partials_, packed_;
};

template <int columns, int threads, int blocks, int unroll, class Scalar>
void add(Candidates<Scalar>& candidates, const RunOptions& options) {
  using Policy = SortedColumnsPolicy<columns* static_cast<int>(sizeof(Scalar)) / 16, threads, blocks, unroll>;
  candidates.push_back(std::make_unique<SortedColumns<Policy, Scalar>>(options));
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_sorted_columns_candidates() {
  Candidates<Scalar> candidates;
  // What products run with, and with groups that are smaller.
  add<32, 512, 3, 2>(candidates, {64, 32});
  add<64, 512, 3, 2>(candidates, {64, 128});
  add<32, 256, 6, 2>(candidates, {32, 32});
  add<64, 256, 6, 2>(candidates, {32, 128});
  add<32, 256, 6, 2>(candidates, {8, 32});
  // The paper's sets, without sorting, and without one of the parts.
  add<32, 256, 6, 2>(candidates, {8, 32, SortedColumnsParts::Both, SegmentRule::Elements});
  add<32, 256, 6, 2>(candidates, {8, 32, SortedColumnsParts::Irregular});
  add<32, 256, 6, 2>(candidates, {8, 32, SortedColumnsParts::WholeIrregularColumns});
  return candidates;
}

template Candidates<float> make_sorted_columns_candidates();
template Candidates<double> make_sorted_columns_candidates();

}  // namespace Tessera::Bench
