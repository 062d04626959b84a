// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block-row partition: f and g, who multiplies residual rows, policies; and what the paper does otherwise.
#include "brp/PreparedBrp.hpp"
#include "dispatch/BrpLaunch.cuh"

namespace Tessera::Bench {
namespace {

using Cuda::BrpGroups;
using Cuda::BrpPolicy;
using Cuda::BrpResidual;

// f and g of the format, f = 0: as the format chooses them; whether the whole is an ablation.
struct Partition {
  int f, g;
  bool ablation = false;
};

template <Precision kind, class Policy, class Scalar>
class Brp : public Candidate<Scalar> {
 public:
  explicit Brp(Partition partition) : partition_(partition) {}

  std::string name() const override {
    const auto& [f, g, ablation] = partition_;
    const std::string sizes =
        f == 0 ? "f and g chosen" : "f " + std::to_string(f) + ", g " + std::to_string(g) + (ablation ? " fixed" : "");
    return "brp<" + sizes + ", " + groups_name() + residual_name() + std::to_string(Policy::columns) + " columns, " +
           std::to_string(Policy::warps) + " warps, " + std::to_string(Policy::reads) + " reads>";
  }

  std::string precision() const override { return kind == Precision::Native ? "fp64" : std::string(to_string(kind)); }
  bool is_ablation() const override { return partition_.ablation; }

  bool prepare(const HostMatrix& A, int N) override {
    if (Policy::columns > 32 && N <= 32) return false;
    // Not where another candidate launches the same.
    const auto& [f, g, ablation] = partition_;
    const auto of_format = HostBrps(A).get(0, 0, sizeof(Scalar));
    if (f != 0 && !ablation && f == of_format->f && g == of_format->g) return false;
    matrix_ = prepared_brp<Scalar>(A, f, g);
    columns_ = N;
    partials_stride_ = (N + 3) / 4 * 4;
    partials_ = DeviceArray<Scalar>(std::size_t(matrix_->schedule().slot_count) * 16 * partials_stride_);
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    const BlockRowPartitionPattern<int> A = matrix_->device();
    const Cuda::BrpSchedule<int> schedule = matrix_->schedule();
    Cuda::BrpArguments<int, Scalar> arguments = {A, schedule.items, {}};
    auto& windows = arguments.windows;
    windows.A.rows = A.rows;
    windows.A.columns = A.columns;
    windows.A.strips = 2;
    windows.schedule.item_count = schedule.item_count;
    windows.schedule.sum_count = schedule.sum_count;
    windows.schedule.slot_count = schedule.slot_count;
    windows.schedule.sums = schedule.sums;
    windows.product.values = matrix_->values();
    windows.product.alpha = alpha;
    windows.product.x = {X, A.columns, columns_, ldx, 1};
    windows.product.beta = beta;
    windows.product.y = {Y, A.rows, columns_, ldy, 1};
    windows.partials = partials_.data();
    windows.partials_stride = partials_stride_;
    switch (A.f) {
      case 1:
        return Cuda::launch_brp<Cuda::BrpKind<kind, 1>, Policy>(stream, arguments);
      case 2:
        return Cuda::launch_brp<Cuda::BrpKind<kind, 2>, Policy>(stream, arguments);
      default:
        return Cuda::launch_brp<Cuda::BrpKind<kind, 4>, Policy>(stream, arguments);
    }
  }

  std::size_t bytes() const override { return matrix_->bytes(); }

 private:
  static std::string residual_name() {
    return Policy::residual == BrpResidual::CudaCores     ? "residual cuda, "
           : Policy::residual == BrpResidual::TensorCores ? "residual tensor, "
                                                          : "residual second kernel, ";
  }
  static std::string groups_name() {
    return Policy::groups == BrpGroups::TensorCores ? ""
           : Policy::groups == BrpGroups::TileSums  ? "sums of tiles, "
                                                    : "groups cuda, ";
  }

  Partition partition_;
  std::shared_ptr<PreparedBrp<Scalar>> matrix_;
  int columns_ = 0;
  std::ptrdiff_t partials_stride_ = 0;
  DeviceArray<Scalar> partials_;
};

template <class Scalar, Precision precision, class Policy>
void add(Candidates<Scalar>& candidates, std::initializer_list<Partition> partitions) {
  for (const Partition& partition : partitions) {
    candidates.push_back(std::make_unique<Brp<precision, Policy, Scalar>>(partition));
  }
}

constexpr Partition chosen = {0, 0}, chosen_ablation = {0, 0, true}, of_paper = {1, 4, true};

// Residual rows in either way; of each f the least g that aligns groups.
template <class Scalar, Precision precision, int columns, int warps, int reads>
void add_partitions(Candidates<Scalar>& candidates) {
  constexpr int aligned = 16 / static_cast<int>(sizeof(Scalar));
  const auto all = {chosen, Partition{1, aligned}, Partition{2, aligned / 2}, Partition{4, 1}};
  add<Scalar, precision, BrpPolicy<columns, warps, reads, BrpResidual::CudaCores>>(candidates, all);
  add<Scalar, precision, BrpPolicy<columns, warps, reads, BrpResidual::TensorCores>>(candidates, all);
}

template <class Scalar, Precision precision, int columns, int warps, int reads>
void add_ablations(Candidates<Scalar>& candidates) {
  constexpr auto cuda = BrpResidual::CudaCores;
  if constexpr (precision == Precision::Native) {  // otherwise it is there
    add<Scalar, precision, BrpPolicy<columns, warps, reads, cuda>>(candidates, {of_paper});
  }
  add<Scalar, precision, BrpPolicy<columns, warps, reads, BrpResidual::SecondKernel>>(candidates,
                                                                                      {chosen_ablation, of_paper});
  // FP32 accuracy has a sum a tile anyway, and CUDA cores do not round to TF32.
  if constexpr (precision != Precision::Tf32x3) {
    add<Scalar, precision, BrpPolicy<columns, warps, reads, cuda, BrpGroups::TileSums>>(candidates, {chosen_ablation});
  }
  if constexpr (precision != Precision::Tf32) {
    add<Scalar, precision, BrpPolicy<columns, warps, reads, cuda, BrpGroups::CudaCores>>(candidates, {chosen_ablation});
  }
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_brp_candidates();

template <>
Candidates<double> make_brp_candidates<double>() {
  constexpr auto precision = Precision::Native;
  Candidates<double> candidates;
  add_partitions<double, precision, 32, 16, 4>(candidates);
  add<double, precision, BrpPolicy<32, 24, 4, BrpResidual::TensorCores>>(candidates, {chosen});
  add<double, precision, BrpPolicy<32, 16, 2, BrpResidual::TensorCores>>(candidates, {chosen});
  add_ablations<double, precision, 32, 16, 4>(candidates);
  return candidates;
}

template <>
Candidates<float> make_brp_candidates<float>() {
  constexpr auto x3 = Precision::Tf32x3, tf32 = Precision::Tf32;
  Candidates<float> candidates;
  add_partitions<float, x3, 32, 24, 2>(candidates);
  add<float, x3, BrpPolicy<64, 16, 2, BrpResidual::CudaCores>>(candidates, {chosen});
  add<float, x3, BrpPolicy<64, 16, 2, BrpResidual::TensorCores>>(candidates, {chosen});
  add_ablations<float, x3, 32, 24, 2>(candidates);
  add_partitions<float, tf32, 32, 24, 2>(candidates);
  add<float, tf32, BrpPolicy<64, 16, 2, BrpResidual::TensorCores>>(candidates, {chosen});
  add_ablations<float, tf32, 32, 24, 2>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
