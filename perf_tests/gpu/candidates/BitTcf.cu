// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BitTCF on tensor cores, a block of threads some tiles: shapes of blocks, balance, and what the balance is worth.
#include <cuda/bittcf/Launch.cuh>

#include "condensed/PreparedCondensed.hpp"

namespace Tessera::Bench {
namespace {

using Cuda::BitTcfBalance;
using Cuda::BitTcfPolicy;

template <class Policy>
std::string bittcf_name(BitTcfBalance balance) {
  return "bittcf<" + std::to_string(Policy::warps) + " warps, " + std::to_string(Policy::columns) + " columns, " +
         std::to_string(Policy::blocks) + " blocks, " + std::to_string(Policy::reads) + " reads" +
         (balance == BitTcfBalance::Never    ? ", no balance>"
          : balance == BitTcfBalance::Always ? ", balance>"
                                             : ", adaptive>");
}

template <Precision precision_, class Policy, class Scalar>
class BitTcf : public Candidate<Scalar> {
 public:
  explicit BitTcf(BitTcfBalance balance, std::string ablates = "") : balance_(balance), ablates_(std::move(ablates)) {}

  std::string name() const override { return bittcf_name<Policy>(balance_); }

  std::string precision() const override {
    return precision_ == Precision::Native ? "fp64" : std::string(to_string(precision_));
  }

  std::string ablates() const override { return ablates_; }

  // Not where another candidate would launch the same, nor blocks for narrow X on wide ones or the other way around.
  bool prepare(const HostMatrix& A, int N) override {
    if ((N <= narrow_columns) != (Policy::block_columns <= narrow_columns)) return false;
    static std::shared_ptr<PreparedCondensed<Scalar>> kept;  // the next candidate wants it, too
    kept = matrix_ = prepared_condensed<Scalar>(A, 1);
    const std::vector<int>& offsets = matrix_->host_window_offsets();
    const int windows = matrix_->pattern().windows();
    const bool adapts = Cuda::tile_imbalance(offsets.data(), windows) > Cuda::balanced_imbalance;
    if (balance_ == (adapts ? BitTcfBalance::Always : BitTcfBalance::Never)) return false;
    const auto schedule = Cuda::build_bittcf_schedule(offsets.data(), windows, Cuda::bittcf_block_tiles(offsets.back()),
                                                      sizeof(Scalar), balance_);
    items_ = DeviceArray<Cuda::CondensedItem<int>>(schedule.pieces.items);
    sums_ = DeviceArray<Cuda::CondensedSum>(schedule.pieces.sums);
    block_items_ = DeviceArray<int>(schedule.block_items);
    blocks_ = schedule.block_count();
    slots_ = schedule.pieces.slots;
    columns_ = N;
    partials_stride_ = (N + 3) / 4 * 4;
    partials_ = DeviceArray<Scalar>(std::size_t(slots_) * 8 * partials_stride_);
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    Cuda::BitTcfArguments<int, Scalar> arguments;
    const Cuda::CondensedPattern<int> A = matrix_->pattern();
    arguments.A = A;
    arguments.schedule = {static_cast<int>(items_.size()), static_cast<int>(sums_.size()), slots_, items_.data(),
                          sums_.data()};
    arguments.block_count = blocks_;
    arguments.block_items = block_items_.data();
    arguments.product.values = matrix_->values(Cuda::TileValues::Compact);
    arguments.product.alpha = alpha;
    arguments.product.x = {X, A.columns, columns_, ldx, 1};
    arguments.product.beta = beta;
    arguments.product.y = {Y, A.rows, columns_, ldy, 1};
    arguments.partials = partials_.data();
    arguments.partials_stride = partials_stride_;
    Cuda::launch_bittcf<precision_, Policy>(stream, arguments);
  }

  std::size_t bytes() const override {
    return matrix_->bytes(Cuda::TileValues::Compact) + items_.bytes() + sums_.bytes() + block_items_.bytes();
  }

 private:
  static constexpr int narrow_columns = 32;

  BitTcfBalance balance_;
  std::string ablates_;
  std::shared_ptr<PreparedCondensed<Scalar>> matrix_;
  DeviceArray<Cuda::CondensedItem<int>> items_;
  DeviceArray<Cuda::CondensedSum> sums_;
  DeviceArray<int> block_items_;
  int blocks_ = 0, slots_ = 0, columns_ = 0;
  std::ptrdiff_t partials_stride_ = 0;
  DeviceArray<Scalar> partials_;
};

template <class Scalar, Precision precision>
class Adder {
 public:
  explicit Adder(Candidates<Scalar>& all) : candidates(all) {}

  template <class Policy>
  void add(BitTcfBalance balance, const std::string& ablates = "") {
    candidates.push_back(std::make_unique<BitTcf<precision, Policy, Scalar>>(balance, ablates));
  }

  template <class Policy>
  void add_shape() {
    add<Policy>(BitTcfBalance::Adaptive);
    add<Policy>(BitTcfBalance::Always);
  }

  // What products run with, and what it is without one of its parts.
  template <bool wide>
  void add_tuned() {
    using Policy = BitTcfPolicy<Tuned<wide>::warps, Tuned<wide>::columns, Tuned<wide>::blocks, Tuned<wide>::reads>;
    add_shape<Policy>();
    const std::string whole = bittcf_name<Policy>(BitTcfBalance::Adaptive);
    add<Policy>(BitTcfBalance::Never, whole);
  }

 private:
  Candidates<Scalar>& candidates;

  template <bool wide>
  using Tuned = Cuda::TunedBitTcfPolicy<Scalar, wide>;
};

}  // namespace

template <class Scalar>
Candidates<Scalar> make_bit_tcf_candidates();

template <>
Candidates<double> make_bit_tcf_candidates<double>() {
  Candidates<double> candidates;
  Adder<double, Precision::Native> adder(candidates);
  adder.add_tuned<false>();
  adder.add_shape<BitTcfPolicy<2, 16, 12, 1>>();
  adder.add_tuned<true>();
  adder.add_shape<BitTcfPolicy<4, 32, 5, 2>>();
  adder.add_shape<BitTcfPolicy<2, 32, 10, 2>>();
  return candidates;
}

template <Precision precision>
void add_float_shapes(Candidates<float>& candidates) {
  Adder<float, precision> adder(candidates);
  adder.template add_tuned<false>();
  adder.template add_shape<BitTcfPolicy<2, 16, 14, 1>>();
  adder.template add_tuned<true>();
  adder.template add_shape<BitTcfPolicy<4, 32, 6, 2>>();
  adder.template add_shape<BitTcfPolicy<2, 32, 12, 2>>();
}

template <>
Candidates<float> make_bit_tcf_candidates<float>() {
  Candidates<float> candidates;
  add_float_shapes<Precision::Tf32x3>(candidates);
  add_float_shapes<Precision::Tf32>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
