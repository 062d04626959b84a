// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block-row partition: f and g, policies; and the partition of the paper.
#include <cuda/brp/Launch.cuh>

#include "Pieces.hpp"
#include "Prepared.hpp"
#include "brp/cuda/Schedule.hpp"

namespace Tessera::Bench {
namespace {

// f and g of the format, f = 0: as the format chooses them.
struct Partition {
  int f, g;
};
constexpr Partition chosen = {0, 0};

template <class Policy>
std::string brp_name(Partition partition, bool is_ablation = false) {
  const auto& [f, g] = partition;
  return joined("brp<", f == 0 ? "f and g chosen" : joined("f ", f, ", g ", g, is_ablation ? " fixed" : ""),
                ", residual tensor, ", Policy::columns, " columns, ", Policy::warps, " warps, ", Policy::reads,
                " reads>");
}

template <Precision kind, class Policy, class Scalar>
class Brp : public Candidate<Scalar> {
 public:
  explicit Brp(Partition partition, std::string ablates = "")
      : Candidate<Scalar>(brp_name<Policy>(partition, !ablates.empty()), kind, ablates), partition_(partition) {}

  bool prepare(const HostMatrix& A, int columns, Layout) override {
    if (Policy::columns > 32 && columns <= 32) return false;
    // Left out where another candidate launches the same.
    const auto& [f, g] = partition_;
    matrix_ = prepared<BuildBrp, Scalar>(A);
    if (f != 0) {
      if (!this->is_ablation() && f == matrix_->host.f && g == matrix_->host.g) return false;
      FormatParameters parameters;
      parameters.brp_nonzeros_per_column = f;
      parameters.brp_tiles_per_group = g;
      matrix_ = prepared<BuildBrp, Scalar>(A, parameters);
    }
    double work = 0;
    for (int window = 0; window < matrix_->host.windows(); ++window) {
      work += Cuda::brp_window_work(matrix_->host, window);
    }
    pieces_ = Pieces<Cuda::BrpItem<int>, Scalar>(
        Cuda::build_brp_schedule(matrix_->host, Cuda::condensed_piece_tiles(work)), 16, columns);
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    Cuda::BrpArguments<int, Scalar> arguments;
    arguments.A.rows = matrix_->device.rows;
    arguments.A.columns = matrix_->device.columns;
    arguments.A.strips = 2;
    arguments.partition = matrix_->device;
    pieces_.set(arguments);
    arguments.items = pieces_.items();
    product.values = matrix_->values.data();
    arguments.product = product;
    switch (matrix_->device.f) {
      case 1:
        return Cuda::launch_brp<Cuda::BrpKind<kind, 1>, Policy>(stream, arguments);
      case 2:
        return Cuda::launch_brp<Cuda::BrpKind<kind, 2>, Policy>(stream, arguments);
      default:
        return Cuda::launch_brp<Cuda::BrpKind<kind, 4>, Policy>(stream, arguments);
    }
  }

  std::size_t bytes() const override { return matrix_->bytes() + pieces_.bytes(); }

 private:
  Partition partition_;
  PreparedBy<BuildBrp, Scalar> matrix_;
  Pieces<Cuda::BrpItem<int>, Scalar> pieces_;
};

template <class Scalar, Precision precision, class Policy>
void add(Candidates<Scalar>& candidates, Partition partition, const std::string& ablates = "") {
  candidates.push_back(std::make_unique<Brp<precision, Policy, Scalar>>(partition, ablates));
}

// The sizes that products run with, and for each f the least g that aligns groups.
template <class Scalar, Precision precision, class Policy>
void add_partitions(Candidates<Scalar>& candidates) {
  constexpr int aligned = 16 / static_cast<int>(sizeof(Scalar));
  for (const Partition partition : {chosen, Partition{1, aligned}, Partition{2, aligned / 2}, Partition{4, 1}}) {
    add<Scalar, precision, Policy>(candidates, partition);
  }
}

template <class Scalar, Precision precision, bool wide>
void add_tuned(Candidates<Scalar>& candidates) {
  using Policy = Cuda::TunedBrpPolicy<Scalar, wide>;
  constexpr Partition of_paper = {1, 4};
  add_partitions<Scalar, precision, Policy>(candidates);
  add<Scalar, precision, Policy>(candidates, of_paper, brp_name<Policy>(chosen));
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_brp_candidates();

template <>
Candidates<double> make_brp_candidates<double>() {
  Candidates<double> candidates;
  add_tuned<double, Precision::Native, false>(candidates);
  return candidates;
}

template <>
Candidates<float> make_brp_candidates<float>() {
  Candidates<float> candidates;
  add_tuned<float, Precision::Tf32x3, false>(candidates);
  add_partitions<float, Precision::Tf32x3, Cuda::TunedBrpPolicy<float, true>>(candidates);
  add_tuned<float, Precision::Tf32, false>(candidates);
  add_partitions<float, Precision::Tf32, Cuda::TunedBrpPolicy<float, true>>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
