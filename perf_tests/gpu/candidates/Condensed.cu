// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Condensed windows on tensor cores: policies, ways to store values, sizes of pieces.
#include <cuda/condensed/Launch.cuh>

#include "condensed/PreparedCondensed.hpp"

namespace Tessera::Bench {
namespace {

template <class Kind, class Policy, class Scalar>
class Condensed : public Candidate<Scalar> {
 public:
  explicit Condensed(int piece_tiles) : piece_tiles_(piece_tiles) {}

  std::string name() const override {
    return "condensed<" + std::to_string(8 * Kind::strips) + " rows, " +
           (Kind::values == Cuda::TileValues::Dense ? "dense, " : "compact, ") + std::to_string(Policy::columns) +
           " columns, " + std::to_string(Policy::reads) + " reads, " + std::to_string(Policy::warps) +
           " warps, pieces " + std::to_string(piece_tiles_) + ", inner>";
  }

  std::string precision() const override {
    return Kind::precision == Precision::Native ? "fp64" : std::string(to_string(Kind::precision));
  }

  // Not where another candidate would launch the same: columns that are too many for a slab.
  bool prepare(const HostMatrix& A, int N) override {
    if (Policy::columns > 32 && N <= 32) return false;
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
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    Cuda::CondensedArguments<int, Scalar, Scalar> arguments;
    const Cuda::CondensedPattern<int> A = matrix_->pattern();
    arguments.A = A;
    arguments.schedule = {static_cast<int>(items_.size()), static_cast<int>(sums_.size()), slots_, items_.data(),
                          sums_.data()};
    arguments.product.values = values_;
    arguments.product.alpha = alpha;
    arguments.product.x = {X, A.columns, columns_, ldx, 1};
    arguments.product.beta = beta;
    arguments.product.y = {Y, A.rows, columns_, ldy, 1};
    arguments.partials = partials_.data();
    arguments.partials_stride = partials_stride_;
    Cuda::launch_condensed<Kind, Policy>(stream, arguments);
  }

  std::size_t bytes() const override { return matrix_->bytes(Kind::values) + items_.bytes() + sums_.bytes(); }

 private:
  int piece_tiles_;
  std::shared_ptr<PreparedCondensed<Scalar>> matrix_;
  const Scalar* values_ = nullptr;
  DeviceArray<Cuda::CondensedItem<int>> items_;
  DeviceArray<Cuda::CondensedSum> sums_;
  int slots_ = 0, columns_ = 0;
  std::ptrdiff_t partials_stride_ = 0;
  DeviceArray<Scalar> partials_;
};

template <class Scalar, class Kind, class Policy>
void add(Candidates<Scalar>& candidates, std::initializer_list<int> pieces) {
  for (const int piece_tiles : pieces) {
    candidates.push_back(std::make_unique<Condensed<Kind, Policy, Scalar>>(piece_tiles));
  }
}

using Cuda::CondensedKind;
using Cuda::TileValues;
using Cuda::TunedCondensedPolicy;

// What products run with; other policies are added here while they are tried.
template <class Scalar, Precision precision>
void add_precision(Candidates<Scalar>& candidates) {
  using Low = CondensedKind<precision, TileValues::Dense, 1>;
  using High = CondensedKind<precision, TileValues::Dense, 2>;
  add<Scalar, Low, TunedCondensedPolicy<Scalar, 1, false>>(candidates, {32, 48, 64});
  add<Scalar, CondensedKind<precision, TileValues::Compact, 1>, TunedCondensedPolicy<Scalar, 1, false>>(candidates,
                                                                                                        {64});
  add<Scalar, High, TunedCondensedPolicy<Scalar, 2, false>>(candidates, {64});
  if constexpr (std::is_same_v<Scalar, float>) {
    add<Scalar, Low, TunedCondensedPolicy<Scalar, 1, true>>(candidates, {48, 64});
    add<Scalar, High, TunedCondensedPolicy<Scalar, 2, true>>(candidates, {64});
  }
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_condensed_candidates();

template <>
Candidates<double> make_condensed_candidates<double>() {
  Candidates<double> candidates;
  add_precision<double, Precision::Native>(candidates);
  return candidates;
}

template <>
Candidates<float> make_condensed_candidates<float>() {
  Candidates<float> candidates;
  add_precision<float, Precision::Tf32x3>(candidates);
  add_precision<float, Precision::Tf32>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
