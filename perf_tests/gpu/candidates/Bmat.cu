// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BMat on tensor cores, with producer and consumer warps: policies, and what each part of them is worth.
#include <cuda/bmat/Launch.cuh>

#include "BmatPieces.hpp"
#include "Prepared.hpp"
#include "voltrix/cuda/Spmm.hpp"

namespace Tessera::Bench {
namespace {

using Cuda::BmatCopy;
using Cuda::BmatPartition;
using Cuda::BmatPolicy;

template <class Policy>
std::string bmat_name(const char* ablation = "") {
  return joined("bmat<", Policy::consumers, " x ", Policy::warp_columns, " columns, ", Policy::buffers, " x ",
                Policy::stage_tiles, " tiles, x", Policy::blocks,
                Policy::copy == BmatCopy::Bulk ? ", bulk" : ", cp.async", ablation, ">");
}

template <Precision kind, class Policy, class Scalar>
class BmatCandidate : public Candidate<Scalar> {
 public:
  BmatCandidate(std::string name, std::string ablates, BmatPartition partition)
      : Candidate<Scalar>(std::move(name), kind, std::move(ablates)), partition_(partition) {}

  // Left out where most consumers of a wide block would have no columns, or a narrow block would take many turns.
  bool prepare(const HostMatrix& A, int columns, Layout) override {
    if ((Policy::columns > 32) != (columns > 32)) return false;
    matrix_ = prepared<BuildBmat, Scalar>(A);
    pieces_ = BmatPieces<Scalar>(matrix_->host, columns, partition_);
    packed_ = DeviceArray<Scalar>(std::size_t(A.columns) * pieces_.stride());
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    Cuda::BmatArguments<int, Scalar> arguments;
    arguments.A = matrix_->device;
    pieces_.set(arguments);
    product.values = matrix_->values.data();
    arguments.product = product;
    arguments.product.x = Cuda::by_rows(stream, product.x, Cuda::bmat_x_access, packed_.data(), pieces_.stride());
    Cuda::launch_bmat<kind, Policy>(stream, arguments);
  }

  std::size_t bytes() const override { return matrix_->bytes() + pieces_.bytes(); }

 private:
  BmatPartition partition_;
  PreparedBy<BuildBmat, Scalar> matrix_;
  BmatPieces<Scalar> pieces_;
  DeviceArray<Scalar> packed_;
};

template <Precision precision, class Policy, class Scalar>
void add(Candidates<Scalar>& candidates, const char* ablation = "", const std::string& ablates = "",
         BmatPartition partition = BmatPartition::Best) {
  candidates.push_back(
      std::make_unique<BmatCandidate<precision, Policy, Scalar>>(bmat_name<Policy>(ablation), ablates, partition));
}

// The policy that products run with, and the same without one of its parts. With one MMA a consumer, a block has more
// warps; fewer blocks fit in a multiprocessor, and each has more buffers.
template <Precision precision, bool wide, class Scalar>
void add_tuned(Candidates<Scalar>& candidates) {
  using P = Cuda::TunedBmatPolicy<Scalar, wide>;
  add<precision, P>(candidates);
  const std::string whole = bmat_name<P>();
  constexpr int columns = P::warp_columns, consumers = P::consumers, tiles = P::stage_tiles, blocks = P::blocks;
  add<precision, BmatPolicy<columns, consumers, tiles, P::buffers, blocks, BmatCopy::Bulk>>(candidates, "", whole);
  add<precision, BmatPolicy<columns, consumers, tiles, 1, blocks, P::copy>>(candidates, ", one buffer", whole);
  constexpr int warps = columns / 8 * consumers;
  constexpr int fewer = warps > 4 ? 2 : blocks / 2;
  constexpr int more = P::buffers * blocks / fewer < 8 ? P::buffers * blocks / fewer : 8;
  add<precision, BmatPolicy<8, warps, tiles, more, fewer, P::copy>>(candidates, ", one MMA", whole);
  add<precision, P>(candidates, ", dealt", whole, BmatPartition::Dealt);
  add<precision, P>(candidates, ", equal cost", whole, BmatPartition::EqualCost);
}

template <Precision precision>
void add_float(Candidates<float>& candidates) {
  constexpr BmatCopy sixteens = BmatCopy::Sixteens;
  add_tuned<precision, false>(candidates);
  add_tuned<precision, true>(candidates);
  // The paper's: one block, 16 columns a consumer, a tile a buffer.
  add<precision, BmatPolicy<16, 8, 1, 8, 1>>(candidates);
  add<precision, BmatPolicy<32, 1, 2, 4, 12, sixteens>>(candidates);
  add<precision, BmatPolicy<64, 2, 2, 3, 6, sixteens>>(candidates);
  add<precision, BmatPolicy<64, 1, 4, 3, 6, sixteens>>(candidates);
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_bmat_candidates();

template <>
Candidates<double> make_bmat_candidates<double>() {
  constexpr Precision native = Precision::Native;
  Candidates<double> candidates;
  constexpr BmatCopy sixteens = BmatCopy::Sixteens;
  add_tuned<native, false>(candidates);
  add_tuned<native, true>(candidates);
  add<native, BmatPolicy<16, 8, 1, 8, 1>>(candidates);
  add<native, BmatPolicy<32, 1, 4, 3, 4, sixteens>>(candidates);
  add<native, BmatPolicy<32, 2, 2, 3, 6, sixteens>>(candidates);
  return candidates;
}

template <>
Candidates<float> make_bmat_candidates<float>() {
  Candidates<float> candidates;
  add_float<Precision::Tf32x3>(candidates);
  add_float<Precision::Tf32>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
