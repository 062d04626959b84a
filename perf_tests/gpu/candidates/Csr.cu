// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Candidate.hpp"
#include "Device.hpp"
#include "Pieces.hpp"
#include "csr/cuda/Spmm.hpp"

/// csr_spmm for the benchmarks: with each policy, and with the one that it chooses.
namespace Tessera::Bench {

namespace {

/// What tells candidates apart. csr_spmm chooses what is not given.
struct CsrOptions {
  std::optional<Cuda::CsrPolicy> policy;
  std::optional<int> piece_length;
};

std::string to_string(const CsrOptions& options) {
  std::string name = "csr_auto";
  if (options.policy) {
    const auto& p = *options.policy;
    name = joined("csr_rows<", p.lanes, " lanes, ", p.vectors, " vectors, ", p.threads, " threads",
                  p.eager ? ", eager>" : ">");
  }
  return options.piece_length ? joined(name, " pieces of ", *options.piece_length) : name;
}

template <class Scalar>
class CsrCandidate : public Candidate<Scalar> {
 public:
  explicit CsrCandidate(const CsrOptions& options) : Candidate<Scalar>(to_string(options)), options_(options) {}

  bool takes(Layout) const override { return true; }

  bool prepare(const HostMatrix& A, int columns, Layout layout) override {
    const auto count = [&](int piece_length) { return Cuda::count_csr_schedule(A.pattern(), piece_length); };
    const Cuda::CsrScheduleSize size =
        options_.piece_length
            ? count(*options_.piece_length)
            : Cuda::choose_csr_schedule(A.rows, A.column_indices.size(), columns * sizeof(Scalar), count);
    if (!is_applicable(size, columns)) return false;
    row_offsets_ = DeviceArray<int>(A.row_offsets);
    column_indices_ = DeviceArray<int>(A.column_indices);
    values_ = DeviceArray<Scalar>(std::vector<Scalar>(A.values.begin(), A.values.end()));
    schedule_memory_ = DeviceArray<Ordinal>(Cuda::fill_csr_schedule(A.pattern(), size));
    workspace_ = DeviceArray<std::byte>(
        Cuda::csr_workspace_bytes(size, A.columns, columns, sizeof(Scalar), layout == Layout::Right));
    schedule_ = Cuda::CsrSchedule(size, schedule_memory_.data());
    pattern_ = {A.rows, A.columns, row_offsets_.data(), column_indices_.data()};
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    product.values = values_.data();
    const Scratch scratch{workspace_.data(), workspace_.bytes()};
    if (options_.policy) {
      Cuda::csr_spmm(stream, pattern_, schedule_, product, scratch, *options_.policy);
    } else {
      Cuda::csr_spmm(stream, pattern_, schedule_, product, scratch);
    }
  }

  std::size_t bytes() const override {
    return row_offsets_.bytes() + column_indices_.bytes() + values_.bytes() + schedule_memory_.bytes();
  }

 private:
  /// Neither policies most of whose lanes would have no column, nor pieces of another length where no row is cut.
  bool is_applicable(const Cuda::CsrScheduleSize& size, int N) const {
    if (options_.piece_length && size.long_rows == 0) return false;
    if (!options_.policy) return true;
    const auto& policy = *options_.policy;
    const int slab = policy.lanes * policy.vectors * static_cast<int>(16 / sizeof(Scalar));
    const bool smallest = policy.lanes == 4 && policy.vectors == 1;
    if (N * sizeof(Scalar) <= 16) return false;  // all policies are the same then
    return smallest || slab < 2 * N;
  }

  CsrOptions options_;
  DeviceArray<int> row_offsets_, column_indices_;
  DeviceArray<Scalar> values_;
  DeviceArray<Ordinal> schedule_memory_;
  DeviceArray<std::byte> workspace_;
  Cuda::CsrSchedule schedule_;
  CsrPattern<int> pattern_;
};

/// All shapes of groups, with blocks of few and of many rows.
std::vector<CsrOptions> all_options() {
  std::vector<CsrOptions> options{{}};
  for (const auto& [lanes, vectors] : {std::pair{4, 1}, std::pair{8, 1}, std::pair{16, 1}, std::pair{32, 1},
                                       std::pair{16, 2}, std::pair{32, 2}, std::pair{32, 4}}) {
    for (const int threads : {128, 256, 512}) {
      options.push_back({Cuda::CsrPolicy{.lanes = lanes, .vectors = vectors, .threads = threads}, {}});
    }
  }
  for (const int lanes : {4, 8, 16, 32})
    options.push_back({Cuda::CsrPolicy{.lanes = lanes, .threads = 128, .eager = true}, {}});
  for (const int piece_length : {16, 32, 64, 128}) options.push_back({{}, piece_length});
  return options;
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_csr_candidates() {
  Candidates<Scalar> candidates;
  for (const CsrOptions& options : all_options()) {
    candidates.push_back(std::make_unique<CsrCandidate<Scalar>>(options));
  }
  return candidates;
}

template Candidates<float> make_csr_candidates();
template Candidates<double> make_csr_candidates();

}  // namespace Tessera::Bench
