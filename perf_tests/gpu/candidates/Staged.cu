// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows staged in shared memory, multiplied by strips on tensor cores.
#include <cuda/staged/Launch.cuh>
#include <tessera/cuda/staged/Spmm.hpp>

#include "staged/PreparedStaged.hpp"

namespace Tessera::Bench {
namespace {

template <Precision kind, class Policy, class Scalar>
class Staged : public Candidate<Scalar> {
 public:
  explicit Staged(int piece_chunks) : piece_chunks_(piece_chunks) {}

  std::string name() const override {
    const auto text = [](int number) { return std::to_string(number); };
    return "staged<" + text(Policy::strips) + " strips of 8, " + text(Policy::columns) + " columns, " +
           text(Policy::buffers) + " x " + text(Policy::slots) + " slots, " + text(Policy::producers) + "p x" +
           text(Policy::min_blocks) + ", pieces " + text(piece_chunks_) + ">";
  }

  std::string precision() const override { return kind == Precision::Native ? "fp64" : std::string(to_string(kind)); }

  bool prepare(const HostMatrix& A, int N) override {
    if (sizeof(Scalar) == 4 && (Policy::columns > 32) != (N > 32)) return false;
    const int window_rows = 8 * Policy::strips;
    matrix_ = prepared_staged<Scalar>(A, {window_rows, 1, Policy::slots, piece_chunks_,
                                          Cuda::StagedMemory<Scalar, Policy>::most_values(sizeof(Scalar))});
    auto schedule = Cuda::build_condensed_schedule(matrix_->window_offsets().data(), matrix_->pattern().windows(),
                                                   piece_chunks_, Cuda::PieceCut::Full);
    Cuda::put_longest_first(schedule.items);
    items_ = DeviceArray<Cuda::CondensedItem<int>>(schedule.items);
    sums_ = DeviceArray<Cuda::CondensedSum>(schedule.sums);
    slots_ = schedule.slots;
    columns_ = N;
    stride_ = (N + 3) / 4 * 4;
    partials_ = DeviceArray<Scalar>(std::size_t(slots_) * window_rows * stride_);
    packed_ = DeviceArray<Scalar>(std::size_t(A.columns) * stride_);
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    Cuda::StagedArguments<Scalar> arguments;
    const StagedPattern A = matrix_->pattern();
    arguments.A = A;
    arguments.schedule = {static_cast<int>(items_.size()), static_cast<int>(sums_.size()), slots_, items_.data(),
                          sums_.data()};
    arguments.product.values = matrix_->values();
    arguments.product.alpha = alpha;
    arguments.product.x = {X, A.columns, columns_, ldx, 1};
    arguments.product.beta = beta;
    arguments.product.y = {Y, A.rows, columns_, ldy, 1};
    arguments.partials = partials_.data();
    arguments.partials_stride = stride_;
    arguments.product.x = Cuda::by_rows(stream, arguments.product.x, Cuda::staged_x_access, packed_.data(), stride_);
    Cuda::launch_staged<kind, Policy>(stream, arguments);
  }

  std::size_t bytes() const override { return matrix_->bytes() + items_.bytes() + sums_.bytes(); }

 private:
  int piece_chunks_;
  std::shared_ptr<PreparedStaged<Scalar>> matrix_;
  DeviceArray<Cuda::CondensedItem<int>> items_;
  DeviceArray<Cuda::CondensedSum> sums_;
  int slots_ = 0, columns_ = 0;
  std::ptrdiff_t stride_ = 0;
  DeviceArray<Scalar> partials_, packed_;
};

template <class Scalar, Precision kind, class Policy>
void add(Candidates<Scalar>& candidates, std::initializer_list<int> pieces) {
  for (const int piece : pieces) candidates.push_back(std::make_unique<Staged<kind, Policy, Scalar>>(piece));
}

using Cuda::StagedPolicy;

template <Precision precision>
void add_float(Candidates<float>& candidates) {
  add<float, precision, StagedPolicy<32, 64, 6, 8, 4, 2>>(candidates, {8, 16, 32});
  add<float, precision, StagedPolicy<64, 64, 4, 8, 4, 2>>(candidates, {8, 16, 32});
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_staged_candidates();

template <>
Candidates<double> make_staged_candidates<double>() {
  Candidates<double> candidates;
  add<double, Precision::Native, StagedPolicy<32, 64, 4, 8, 4, 2>>(candidates, {8, 16, 32});
  return candidates;
}

template <>
Candidates<float> make_staged_candidates<float>() {
  Candidates<float> candidates;
  add_float<Precision::Tf32x3>(candidates);
  add_float<Precision::Tf32>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
