// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of dense blocks on tensor cores: shapes, policies, sizes of pieces, and what pieces are worth.
#include <cuda/bcsr/Launch.cuh>
#include <cuda/launch/Operands.hpp>
#include <limits>
#include <tessera/cuda/PackRows.hpp>

#include "bcsr/PreparedBcsr.hpp"

namespace Tessera::Bench {
namespace {

constexpr int no_pieces = std::numeric_limits<int>::max();

template <class Kind, class Policy>
std::string bcsr_name(int piece_blocks, const std::string& ablation = "") {
  const auto text = [](int number) { return std::to_string(number); };
  return "bcsr<" + text(Kind::height) + "x" + text(Kind::width) + ", " + text(Policy::columns) + " columns, " +
         text(Policy::stages) + " stages, " + text(Policy::warps) + " warps, " +
         (Policy::skips_values ? "" : "whole blocks, ") +
         (piece_blocks == no_pieces ? "no pieces" : "pieces " + text(piece_blocks)) + ablation + ">";
}

template <class Kind, class Policy, class Scalar>
class Bcsr : public Candidate<Scalar> {
 public:
  Bcsr(int piece_blocks, std::string name, std::string ablates)
      : piece_blocks_(piece_blocks), name_(std::move(name)), ablates_(std::move(ablates)) {}

  std::string name() const override { return name_; }
  std::string precision() const override {
    return Kind::precision == Precision::Native ? "fp64" : std::string(to_string(Kind::precision));
  }
  std::string ablates() const override { return ablates_; }

  bool prepare(const HostMatrix& A, int N) override {
    if (Policy::columns > 32 && N <= 32) return false;
    matrix_ = prepared_bcsr<Scalar>(A, {Kind::height, Kind::width});
    auto schedule = Cuda::build_condensed_schedule(matrix_->host_block_offsets().data(), matrix_->pattern().windows(),
                                                   piece_blocks_);
    if (piece_blocks_ != no_pieces) Cuda::put_longest_first(schedule.items);
    items_ = DeviceArray<Cuda::CondensedItem<int>>(schedule.items);
    sums_ = DeviceArray<Cuda::CondensedSum>(schedule.sums);
    slots_ = schedule.slots;
    columns_ = N;
    stride_ = (N + 3) / 4 * 4;
    partials_ = DeviceArray<Scalar>(std::size_t(slots_) * Kind::height * stride_);
    x_stride_ = Kind::half ? Cuda::rounded_row_stride(N) : stride_;
    x_ = DeviceArray<Operand>(std::size_t(A.columns) * x_stride_);
    values_ = values();
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    Cuda::BcsrArguments<int, Scalar, Operand> arguments;
    const BcsrPattern<int> A = matrix_->pattern();
    arguments.A = A;
    arguments.schedule = {static_cast<int>(items_.size()), static_cast<int>(sums_.size()), slots_, items_.data(),
                          sums_.data()};
    arguments.product.values = matrix_->values();
    arguments.product.alpha = alpha;
    arguments.product.x = {X, A.columns, columns_, ldx, 1};
    arguments.product.beta = beta;
    arguments.product.y = {Y, A.rows, columns_, ldy, 1};
    arguments.values = values_;
    const auto x = staged_x(stream, arguments.product.x);
    arguments.x = x.data;
    arguments.x_columns = x.columns;
    arguments.x_row_bytes = Cuda::row_bytes(x);
    arguments.partials = partials_.data();
    arguments.partials_stride = stride_;
    Cuda::launch_bcsr<Kind, Policy, false>(stream, arguments);
  }

  std::size_t bytes() const override { return matrix_->bytes(sizeof(Operand)) + items_.bytes() + sums_.bytes(); }

 private:
  using Operand = typename Kind::Operand;

  const Operand* values() {
    if constexpr (Kind::half) {
      return matrix_->rounded_values(Kind::precision);
    } else {
      return matrix_->values();
    }
  }

  Tessera::Multivector<const Operand> staged_x(cudaStream_t stream, const Tessera::Multivector<const Scalar>& x) {
    if constexpr (Kind::half) {
      Cuda::round_rows(stream, Kind::precision, Cuda::HalfOrder::Products, x, x_.data());
      return {x_.data(), x.rows, static_cast<Ordinal>(x_stride_), x_stride_, 1};
    } else {
      if (Cuda::rows_are_aligned(x)) return x;
      Cuda::pack_rows(stream, x, x_.data(), x_stride_);
      return {x_.data(), x.rows, x.columns, x_stride_, 1};
    }
  }

  int piece_blocks_;
  std::string name_, ablates_;
  std::shared_ptr<PreparedBcsr<Scalar>> matrix_;
  const Operand* values_ = nullptr;
  DeviceArray<Cuda::CondensedItem<int>> items_;
  DeviceArray<Cuda::CondensedSum> sums_;
  int slots_ = 0, columns_ = 0;
  std::ptrdiff_t stride_ = 0, x_stride_ = 0;
  DeviceArray<Scalar> partials_;
  DeviceArray<Operand> x_;
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

// What products run with; other policies are added here while they are tried.
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
