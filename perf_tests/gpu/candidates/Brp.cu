// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block-row partition: f and g, policies; and the partition of the paper.
#include <cuda/brp/Launch.cuh>

#include "brp/PreparedBrp.hpp"

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
  const std::string sizes =
      f == 0 ? "f and g chosen" : "f " + std::to_string(f) + ", g " + std::to_string(g) + (is_ablation ? " fixed" : "");
  return "brp<" + sizes + ", residual tensor, " + std::to_string(Policy::columns) + " columns, " +
         std::to_string(Policy::warps) + " warps, " + std::to_string(Policy::reads) + " reads>";
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
    Cuda::BrpArguments<int, Scalar> arguments;
    arguments.A.rows = A.rows;
    arguments.A.columns = A.columns;
    arguments.A.strips = 2;
    arguments.partition = A;
    arguments.items = schedule.items;
    arguments.schedule = {schedule.item_count, schedule.sum_count, schedule.slot_count, nullptr, schedule.sums};
    arguments.product.values = matrix_->values();
    arguments.product.alpha = alpha;
    arguments.product.x = {X, A.columns, columns_, ldx, 1};
    arguments.product.beta = beta;
    arguments.product.y = {Y, A.rows, columns_, ldy, 1};
    arguments.partials = partials_.data();
    arguments.partials_stride = partials_stride_;
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
