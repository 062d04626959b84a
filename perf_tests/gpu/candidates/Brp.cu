// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block-row partition: f and g, who multiplies residual rows, policies; and what the paper does otherwise.
#include <cuda/brp/Launch.cuh>

#include "brp/PreparedBrp.hpp"

namespace Tessera::Bench {
namespace {

using Cuda::BrpGroups;
using Cuda::BrpPolicy;
using Cuda::BrpResidual;

// f and g of the format, f = 0: as the format chooses them.
struct Partition {
  int f, g;
};
constexpr Partition chosen = {0, 0};

template <class Policy>
std::string residual_name() {
  return Policy::residual == BrpResidual::CudaCores     ? "residual cuda, "
         : Policy::residual == BrpResidual::TensorCores ? "residual tensor, "
                                                        : "residual second kernel, ";
}

template <class Policy>
std::string groups_name() {
  return Policy::groups == BrpGroups::TensorCores ? ""
         : Policy::groups == BrpGroups::TileSums  ? "sums of tiles, "
                                                  : "groups cuda, ";
}

template <class Policy>
std::string brp_name(Partition partition, bool is_ablation = false) {
  const auto& [f, g] = partition;
  const std::string sizes =
      f == 0 ? "f and g chosen" : "f " + std::to_string(f) + ", g " + std::to_string(g) + (is_ablation ? " fixed" : "");
  return "brp<" + sizes + ", " + groups_name<Policy>() + residual_name<Policy>() + std::to_string(Policy::columns) +
         " columns, " + std::to_string(Policy::warps) + " warps, " + std::to_string(Policy::reads) + " reads>";
}

template <Precision kind, class Policy, class Scalar>
class Brp : public Candidate<Scalar> {
 public:
  explicit Brp(Partition partition, std::string ablates = "") : partition_(partition), ablates_(std::move(ablates)) {}

  std::string name() const override { return brp_name<Policy>(partition_, !ablates_.empty()); }

  std::string precision() const override { return kind == Precision::Native ? "fp64" : std::string(to_string(kind)); }
  std::string ablates() const override { return ablates_; }

  bool prepare(const HostMatrix& A, int N) override {
    if (Policy::columns > 32 && N <= 32) return false;
    // Not where another candidate launches the same.
    const auto& [f, g] = partition_;
    const auto of_format = HostBrps(A).get(0, 0, sizeof(Scalar));
    if (f != 0 && ablates_.empty() && f == of_format->f && g == of_format->g) return false;
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
  Partition partition_;
  std::string ablates_;
  std::shared_ptr<PreparedBrp<Scalar>> matrix_;
  int columns_ = 0;
  std::ptrdiff_t partials_stride_ = 0;
  DeviceArray<Scalar> partials_;
};

template <class Policy, BrpResidual residual, BrpGroups groups = BrpGroups::TensorCores>
using OtherPolicy = BrpPolicy<Policy::columns, Policy::warps, Policy::reads, residual, groups>;

template <class Scalar, Precision precision, class Policy>
void add(Candidates<Scalar>& candidates, Partition partition, const std::string& ablates = "") {
  candidates.push_back(std::make_unique<Brp<precision, Policy, Scalar>>(partition, ablates));
}

// What products run with; of each f the least g that aligns groups.
template <class Scalar, Precision precision, class Policy>
void add_partitions(Candidates<Scalar>& candidates) {
  constexpr int aligned = 16 / static_cast<int>(sizeof(Scalar));
  for (const Partition partition : {chosen, Partition{1, aligned}, Partition{2, aligned / 2}, Partition{4, 1}}) {
    add<Scalar, precision, Policy>(candidates, partition);
  }
}

// The same with the partition or a part of the kernel as the paper has it.
template <class Scalar, Precision precision, class Policy>
void add_ablations(Candidates<Scalar>& candidates) {
  constexpr Partition of_paper = {1, 4};
  constexpr BrpResidual residual = Policy::residual;
  const std::string whole = brp_name<Policy>(chosen);
  add<Scalar, precision, Policy>(candidates, of_paper, whole);
  add<Scalar, precision, OtherPolicy<Policy, BrpResidual::CudaCores>>(candidates, chosen, whole);
  using TwoKernels = OtherPolicy<Policy, BrpResidual::SecondKernel>;
  add<Scalar, precision, TwoKernels>(candidates, chosen, whole);
  add<Scalar, precision, TwoKernels>(candidates, of_paper, whole);
  // FP32 accuracy has a sum a tile anyway, and CUDA cores do not round to TF32.
  if constexpr (precision != Precision::Tf32x3) {
    add<Scalar, precision, OtherPolicy<Policy, residual, BrpGroups::TileSums>>(candidates, chosen, whole);
  }
  if constexpr (precision != Precision::Tf32) {
    add<Scalar, precision, OtherPolicy<Policy, residual, BrpGroups::CudaCores>>(candidates, chosen, whole);
  }
}

template <class Scalar, Precision precision, bool wide>
void add_tuned(Candidates<Scalar>& candidates) {
  using T = Cuda::TunedBrpPolicy<Scalar, wide>;
  using Policy = BrpPolicy<T::columns, T::warps, T::reads, T::residual>;
  add_partitions<Scalar, precision, Policy>(candidates);
  add_ablations<Scalar, precision, Policy>(candidates);
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
