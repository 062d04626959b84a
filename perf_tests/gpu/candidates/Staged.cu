// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows staged in shared memory, multiplied by strips on tensor cores.
#include <cuda/staged/Launch.cuh>

#include "Pieces.hpp"
#include "Prepared.hpp"
#include "staged/cuda/Spmm.hpp"

namespace Tessera::Bench {
namespace {

template <Precision kind, class Policy, class Scalar>
class Staged : public Candidate<Scalar> {
 public:
  explicit Staged(int piece_chunks)
      : Candidate<Scalar>(joined("staged<", Policy::strips, " strips of 8, ", Policy::columns, " columns, ",
                                 Policy::buffers, " x ", Policy::slots, " slots, ", Policy::producers, "p x",
                                 Policy::min_blocks, ", pieces ", piece_chunks, ">"),
                          kind),
        piece_chunks_(piece_chunks) {}

  bool prepare(const HostMatrix& A, int columns, Layout) override {
    static_assert(8 * Policy::strips == StagedShape().window_rows && Policy::slots == StagedShape().chunk_slots);
    if (sizeof(Scalar) == 4 && (Policy::columns > 32) != (columns > 32)) return false;
    FormatParameters parameters;
    parameters.staged_chunk_values = Cuda::StagedMemory<Scalar, Policy>::most_values(sizeof(Scalar));
    parameters.staged_piece_chunks = piece_chunks_;
    matrix_ = prepared<BuildStaged, Scalar>(A, parameters);
    if (matrix_ == nullptr) return false;
    auto schedule = Cuda::build_condensed_schedule(matrix_->host.window_offsets, matrix_->host.windows(), piece_chunks_,
                                                   Cuda::PieceCut::Full);
    Cuda::put_longest_first(schedule.items);
    pieces_ = CondensedPieces<Scalar>(schedule, matrix_->host.window_rows, columns);
    packed_ = DeviceArray<Scalar>(std::size_t(A.columns) * pieces_.stride());
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    Cuda::StagedArguments<Scalar> arguments;
    arguments.A = matrix_->device;
    pieces_.set(arguments);
    product.values = matrix_->values.data();
    arguments.product = product;
    arguments.product.x = Cuda::by_rows(stream, product.x, Cuda::staged_x_access, packed_.data(), pieces_.stride());
    Cuda::launch_staged<kind, Policy>(stream, arguments);
  }

  std::size_t bytes() const override { return matrix_->bytes() + pieces_.bytes(); }

 private:
  int piece_chunks_;
  PreparedBy<BuildStaged, Scalar> matrix_;
  CondensedPieces<Scalar> pieces_;
  DeviceArray<Scalar> packed_;
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
