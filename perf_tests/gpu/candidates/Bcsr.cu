// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of dense blocks on tensor cores: shapes, policies, sizes of pieces, and what pieces are worth.
#include <cuda/bcsr/Launch.cuh>
#include <limits>

#include "Pieces.hpp"
#include "Prepared.hpp"
#include "bcsr/cuda/Spmm.hpp"

namespace Tessera::Bench {
namespace {

constexpr int no_pieces = std::numeric_limits<int>::max();

template <class Kind, class Policy>
std::string bcsr_name(int piece_blocks, const std::string& ablation = "") {
  return joined("bcsr<", Kind::height, "x", Kind::width, ", ", Policy::columns, " columns, ", Policy::stages,
                " stages, ", Policy::warps, " warps, ", Policy::skips_values ? "" : "whole blocks, ",
                piece_blocks == no_pieces ? "no pieces" : joined("pieces ", piece_blocks), ablation, ">");
}

template <class Kind, class Policy, class Scalar>
class Bcsr : public Candidate<Scalar> {
 public:
  Bcsr(int piece_blocks, std::string name, std::string ablates)
      : Candidate<Scalar>(std::move(name), Kind::precision, std::move(ablates)), piece_blocks_(piece_blocks) {}

  bool prepare(const HostMatrix& A, int columns, Layout) override {
    if (Policy::columns > 32 && columns <= 32) return false;
    FormatParameters parameters;
    parameters.bcsr_block_rows = Kind::height;
    parameters.bcsr_block_columns = Kind::width;
    matrix_ = prepared<BuildBcsr, Scalar>(A, parameters);
    if (matrix_ == nullptr) return false;
    auto schedule = Cuda::build_condensed_schedule(matrix_->host.block_offsets, matrix_->host.windows(), piece_blocks_);
    if (piece_blocks_ != no_pieces) Cuda::put_longest_first(schedule.items);
    pieces_ = CondensedPieces<Scalar>(schedule, Kind::height, columns);
    const std::ptrdiff_t row = Kind::half ? Cuda::rounded_row_stride(columns) : pieces_.stride();
    x_ = DeviceArray<Operand>(std::size_t(A.columns) * row);
    if constexpr (Kind::half) {
      rounded_ = DeviceArray<Operand>(matrix_->values.size());
      Cuda::round_values(nullptr, Kind::precision, rounded_.size(), matrix_->values.data(), rounded_.data());
      check(cudaDeviceSynchronize(), "round_values");
    }
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    Cuda::BcsrArguments<int, Scalar, Operand> arguments;
    arguments.A = matrix_->device;
    pieces_.set(arguments);
    product.values = matrix_->values.data();
    arguments.product = product;
    const auto multiply = [&](const Operand* values, const Tessera::Multivector<const Operand>& x) {
      arguments.values = values;
      arguments.x = x.data;
      arguments.x_columns = x.columns;
      arguments.x_row_bytes = Cuda::row_bytes(x);
      Cuda::launch_bcsr<Kind, Policy, false>(stream, arguments);
    };
    const auto& x = product.x;
    if constexpr (Kind::half) {
      const auto order = Cuda::HalfOrder::Products;
      multiply(rounded_.data(), Cuda::rounded_by_rows(stream, Kind::precision, order, x, x_.data()));
    } else {
      multiply(product.values,
               Cuda::by_rows(stream, x, Cuda::bcsr_x_access(Kind::precision), x_.data(), pieces_.stride()));
    }
  }

  std::size_t bytes() const override {
    return matrix_->pattern_bytes + matrix_->values.size() * sizeof(Operand) + pieces_.bytes();
  }

 private:
  using Operand = typename Kind::Operand;

  int piece_blocks_;
  PreparedBy<BuildBcsr, Scalar> matrix_;
  CondensedPieces<Scalar> pieces_;
  DeviceArray<Operand> rounded_, x_;
};

template <class Kind, class Policy, class Scalar>
void add(Candidates<Scalar>& candidates, int piece_blocks, const char* ablation = "", const std::string& ablates = "") {
  candidates.push_back(std::make_unique<Bcsr<Kind, Policy, Scalar>>(
      piece_blocks, bcsr_name<Kind, Policy>(piece_blocks, ablation), ablates));
}

template <class Kind, class Policy, class Scalar>
void add_whole_rows(Candidates<Scalar>& candidates, int piece_blocks) {
  const std::string whole = bcsr_name<Kind, Policy>(piece_blocks);
  add<Kind, Policy>(candidates, no_pieces, ", one warp a row of blocks", whole);
}

using Cuda::BcsrKind;
using Cuda::TunedBcsrPolicies;
using Cuda::WholeBlocks;

// The policies that products run with. Others are added here while they are tried.
template <class Kind, class Scalar>
void add_tuned(Candidates<Scalar>& candidates, int piece_blocks) {
  using Policies = TunedBcsrPolicies<Kind>;
  using Narrow = typename Policies::Narrow;
  using Wide = typename Policies::Wide;
  using Wider = typename Policies::Wider;
  add<Kind, Narrow>(candidates, piece_blocks);
  add<Kind, Wide>(candidates, piece_blocks);
  if constexpr (!std::is_same_v<Wide, Wider>) add<Kind, Wider>(candidates, piece_blocks);
  add<Kind, WholeBlocks<Narrow>>(candidates, piece_blocks);
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_bcsr_candidates();

template <>
Candidates<double> make_bcsr_candidates<double>() {
  Candidates<double> candidates;
  using High = BcsrKind<Precision::Native, 16, 8>;
  add_tuned<High>(candidates, 64);
  add_tuned<BcsrKind<Precision::Native, 8, 8>>(candidates, 64);
  add_tuned<BcsrKind<Precision::Native, 8, 4>>(candidates, 64);
  add_whole_rows<High, TunedBcsrPolicies<High>::Narrow>(candidates, 64);
  return candidates;
}

template <>
Candidates<float> make_bcsr_candidates<float>() {
  Candidates<float> candidates;
  using High = BcsrKind<Precision::Tf32x3, 16, 8>;
  add_tuned<High>(candidates, 64);
  add_tuned<BcsrKind<Precision::Tf32x3, 8, 8>>(candidates, 64);
  add_whole_rows<High, TunedBcsrPolicies<High>::Narrow>(candidates, 64);
  add_tuned<BcsrKind<Precision::Tf32, 16, 8>>(candidates, 64);
  add_tuned<BcsrKind<Precision::Tf32, 8, 8>>(candidates, 64);
  using Half = BcsrKind<Precision::Fp16, 16, 16>;
  add_tuned<Half>(candidates, 32);
  add_whole_rows<Half, TunedBcsrPolicies<Half>::Narrow>(candidates, 32);
  add_tuned<BcsrKind<Precision::Bf16, 16, 16>>(candidates, 32);
  return candidates;
}

}  // namespace Tessera::Bench
