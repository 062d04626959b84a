// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Condensed windows whose operands have 16 bits; X is rounded in every product.
#include <cuda/condensed/Launch.cuh>
#include <tessera/cuda/HalfOperands.hpp>

#include "condensed/PreparedCondensed.hpp"

namespace Tessera::Bench {
namespace {

template <class Kind, class Policy, class Scalar>
class CondensedHalf : public Candidate<Scalar> {
 public:
  explicit CondensedHalf(int piece_tiles) : piece_tiles_(piece_tiles) {}

  std::string name() const override {
    return "condensed<" + std::to_string(8 * Kind::strips) + " rows, " +
           (Kind::values == Cuda::TileValues::Dense ? "dense, " : "compact, ") + std::to_string(Policy::columns) +
           " columns, " + std::to_string(Policy::reads) + " reads, " + std::to_string(Policy::warps) +
           " warps, pieces " + std::to_string(piece_tiles_) + ", 16 bits>";
  }
  std::string precision() const override { return std::string(to_string(Kind::precision)); }

  bool use(Layout layout) override {
    layout_ = layout;
    return true;
  }

  // Not where a smaller slab would do.
  bool prepare(const HostMatrix& A, int N) override {
    if (Policy::columns > 32 && N <= Policy::columns / 2) return false;
    matrix_ = prepared_condensed<Scalar>(A, Kind::strips);
    values_ = matrix_->values(Kind::values);
    const auto schedule = Cuda::build_condensed_schedule(matrix_->host_window_offsets().data(),
                                                         matrix_->pattern().windows(), piece_tiles_);
    items_ = DeviceArray<Cuda::CondensedItem<int>>(schedule.items);
    sums_ = DeviceArray<Cuda::CondensedSum>(schedule.sums);
    slots_ = schedule.slots;
    columns_ = N;
    partials_stride_ = (N + 3) / 4 * 4;
    partials_ = DeviceArray<Scalar>(std::size_t(slots_) * 8 * Kind::strips * partials_stride_);
    rows_ = DeviceArray<std::uint16_t>(std::size_t(A.columns) * Cuda::rounded_row_stride(N));
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    Cuda::CondensedArguments<int, Scalar, Scalar> arguments;
    const Cuda::CondensedPattern<int> A = matrix_->pattern();
    const bool right = layout_ == Layout::Right;
    arguments.A = A;
    arguments.schedule = {static_cast<int>(items_.size()), static_cast<int>(sums_.size()), slots_, items_.data(),
                          sums_.data()};
    arguments.product.values = values_;
    arguments.product.alpha = alpha;
    arguments.product.x = {X, A.columns, columns_, right ? ldx : 1, right ? 1 : ldx};
    arguments.product.beta = beta;
    arguments.product.y = {Y, A.rows, columns_, right ? ldy : 1, right ? 1 : ldy};
    arguments.partials = partials_.data();
    arguments.partials_stride = partials_stride_;
    Cuda::round_rows(stream, Kind::precision, Cuda::HalfOrder::Columns, arguments.product.x, rows_.data());
    arguments.x = rows_.data();
    arguments.x_row_bytes = static_cast<unsigned>(Cuda::rounded_row_stride(columns_) * sizeof(std::uint16_t));
    Cuda::launch_condensed<Kind, Policy>(stream, arguments);
  }

  std::size_t bytes() const override { return matrix_->bytes(Kind::values) + items_.bytes() + sums_.bytes(); }

 private:
  int piece_tiles_;
  Layout layout_ = Layout::Right;
  std::shared_ptr<PreparedCondensed<Scalar>> matrix_;
  const Scalar* values_ = nullptr;
  DeviceArray<Cuda::CondensedItem<int>> items_;
  DeviceArray<Cuda::CondensedSum> sums_;
  int slots_ = 0, columns_ = 0;
  std::ptrdiff_t partials_stride_ = 0;
  DeviceArray<Scalar> partials_;
  DeviceArray<std::uint16_t> rows_;
};

using Cuda::CondensedPolicy;
using Cuda::TileValues;

template <class Scalar, Precision precision, TileValues values, int strips, class Policy>
void add(Candidates<Scalar>& candidates) {
  using Kind = Cuda::CondensedKind<precision, values, strips>;
  candidates.push_back(std::make_unique<CondensedHalf<Kind, Policy, Scalar>>(64));
}

template <class Scalar, Precision precision>
void add_precision(Candidates<Scalar>& candidates) {
  add<Scalar, precision, TileValues::Dense, 1, CondensedPolicy<32, 32, 1>>(candidates);
  add<Scalar, precision, TileValues::Dense, 1, CondensedPolicy<64, 32, 2>>(candidates);
  add<Scalar, precision, TileValues::Dense, 1, CondensedPolicy<128, 24, 2>>(candidates);
  add<Scalar, precision, TileValues::Dense, 2, CondensedPolicy<32, 32, 1>>(candidates);
  add<Scalar, precision, TileValues::Dense, 2, CondensedPolicy<64, 24, 1>>(candidates);
  add<Scalar, precision, TileValues::Dense, 2, CondensedPolicy<128, 16, 2>>(candidates);
  add<Scalar, precision, TileValues::Compact, 2, CondensedPolicy<64, 24, 1>>(candidates);
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_condensed_half_candidates();

template <>
Candidates<double> make_condensed_half_candidates<double>() {
  return {};
}

template <>
Candidates<float> make_condensed_half_candidates<float>() {
  Candidates<float> candidates;
  add_precision<float, Precision::Bf16>(candidates);
  add_precision<float, Precision::Fp16>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
