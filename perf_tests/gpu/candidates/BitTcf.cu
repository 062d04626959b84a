// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BitTCF on tensor cores, a block of threads some tiles: shapes of blocks, balance, and what the balance is worth.
#include <cuda/bittcf/Launch.cuh>

#include "Pieces.hpp"
#include "Prepared.hpp"

namespace Tessera::Bench {
namespace {

using Cuda::BitTcfBalance;
using Cuda::BitTcfPolicy;

template <class Policy>
std::string bittcf_name(BitTcfBalance balance) {
  return joined("bittcf<", Policy::warps, " warps, ", Policy::columns, " columns, ", Policy::blocks, " blocks, ",
                Policy::reads, " reads",
                balance == BitTcfBalance::Never    ? ", no balance>"
                : balance == BitTcfBalance::Always ? ", balance>"
                                                   : ", adaptive>");
}

template <Precision kind, class Policy, class Scalar>
class BitTcf : public Candidate<Scalar> {
 public:
  explicit BitTcf(BitTcfBalance balance, std::string ablates = "")
      : Candidate<Scalar>(bittcf_name<Policy>(balance), kind, std::move(ablates)), balance_(balance) {}

  // Left out where another candidate launches the same, and where blocks for wide X would meet a narrow X or the other
  // way around.
  bool prepare(const HostMatrix& A, int columns, Layout) override {
    if ((columns <= Cuda::narrow_columns) != (Policy::block_columns <= Cuda::narrow_columns)) return false;
    matrix_ = prepared<BuildBitTcf, Scalar>(A);
    const int* offsets = matrix_->host.window_offsets;
    const int windows = matrix_->host.windows();
    const bool adapts = Cuda::tile_imbalance(offsets, windows) > Cuda::balanced_imbalance;
    if (balance_ == (adapts ? BitTcfBalance::Always : BitTcfBalance::Never)) return false;
    const auto schedule = Cuda::build_bittcf_schedule(offsets, windows, Cuda::bittcf_block_tiles(offsets[windows]),
                                                      sizeof(Scalar), balance_);
    pieces_ = CondensedPieces<Scalar>(schedule.pieces, 8, columns);
    block_items_ = DeviceArray<int>(schedule.block_items);
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    Cuda::BitTcfArguments<int, Scalar> arguments;
    arguments.A = Cuda::condensed(matrix_->device);
    pieces_.set(arguments);
    arguments.block_count = static_cast<int>(block_items_.size()) - 1;
    arguments.block_items = block_items_.data();
    product.values = matrix_->values.data();
    arguments.product = product;
    Cuda::launch_bittcf<kind, Policy>(stream, arguments);
  }

  std::size_t bytes() const override { return matrix_->bytes() + pieces_.bytes() + block_items_.bytes(); }

 private:
  BitTcfBalance balance_;
  PreparedBy<BuildBitTcf, Scalar> matrix_;
  CondensedPieces<Scalar> pieces_;
  DeviceArray<int> block_items_;
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

  // The policy that products run with, and the same without one of its parts.
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
