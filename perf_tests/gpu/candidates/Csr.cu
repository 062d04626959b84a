// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tessera/cuda/csr/Spmm.hpp>
#include <tuple>
#include <type_traits>
#include <vector>

#include "../Candidate.hpp"
#include "../Device.hpp"

/// csr_spmm for the benchmarks: with each policy, and with the one that it chooses.
namespace Tessera::Bench {

namespace {

/// A copy of an array in device memory, in another type if need be.
template <class T, class Source>
DeviceArray<T> to_device(const std::vector<Source>& host) {
  return DeviceArray<T>(std::vector<T>(host.begin(), host.end()));
}

/// What tells candidates apart. Nothing: csr_spmm chooses.
struct CsrOptions {
  std::optional<Cuda::CsrPolicy> policy;
  std::optional<int> piece_length;
};

std::string to_string(const CsrOptions& options) {
  std::string name = "csr_auto";
  if (options.policy) {
    const auto& p = *options.policy;
    name = (p.rows == 1 ? "csr_row<" : "csr_rows<" + std::to_string(p.rows) + " rows, ") + std::to_string(p.lanes) +
           " lanes, " + std::to_string(p.vectors) + " vectors, unroll " + std::to_string(p.unroll) + ", " +
           std::to_string(p.rounds) + " rounds, " + std::to_string(p.threads) + " threads>";
  }
  return options.piece_length ? name + " pieces of " + std::to_string(*options.piece_length) : name;
}

template <class Scalar>
class CsrCandidate : public Candidate<Scalar> {
 public:
  explicit CsrCandidate(const CsrOptions& options) : options_(options) {}

  std::string name() const override { return to_string(options_); }
  std::string precision() const override { return std::is_same_v<Scalar, double> ? "fp64" : "fp32"; }

  bool use(Layout layout) override {
    layout_ = layout;
    return true;
  }

  bool prepare(const HostMatrix& A, int N) override {
    const CsrPattern<int> host{A.rows, A.columns, A.row_offsets.data(), A.column_indices.data()};
    const int piece_length = options_.piece_length.value_or(Cuda::csr_piece_length(A.column_indices.size()));
    const Cuda::CsrScheduleSize size = Cuda::count_csr_schedule(host, piece_length);
    if (!is_applicable(A, size, N)) return false;
    row_offsets_ = to_device<int>(A.row_offsets);
    column_indices_ = to_device<int>(A.column_indices);
    values_ = to_device<Scalar>(A.values);
    schedule_memory_ = to_device<Ordinal>(Cuda::fill_csr_schedule(host, size));
    workspace_ =
        DeviceArray<std::byte>(Cuda::csr_workspace_bytes(size, A.columns, N, sizeof(Scalar), layout_ == Layout::Right));
    schedule_ = Cuda::CsrSchedule(size, schedule_memory_.data());
    pattern_ = {A.rows, A.columns, row_offsets_.data(), column_indices_.data()};
    columns_ = N;
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    Product<Scalar, Scalar> product;
    product.values = values_.data();
    product.alpha = alpha;
    product.x = multivector(X, pattern_.columns, ldx);
    product.beta = beta;
    product.y = multivector(Y, pattern_.rows, ldy);
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
  template <class Element>
  Tessera::Multivector<Element> multivector(Element* data, int rows, int stride) const {
    if (layout_ == Layout::Left) return {data, rows, columns_, 1, stride};
    return {data, rows, columns_, stride, 1};
  }

  /// Neither policies most of whose lanes would have no column, nor pieces of another length where no row is cut, nor
  /// several rows at a time where rows are long.
  bool is_applicable(const HostMatrix& A, const Cuda::CsrScheduleSize& size, int N) const {
    const auto nonzeros = static_cast<double>(A.column_indices.size());
    if (options_.piece_length && size.long_rows == 0) return false;
    if (!options_.policy) return true;
    const auto& policy = *options_.policy;
    const int slab = policy.lanes * policy.vectors * static_cast<int>(16 / sizeof(Scalar));
    const bool smallest = policy.lanes == 4 && policy.vectors == 1;
    if (N * sizeof(Scalar) <= 16) return false;  // all policies are the same then
    return (smallest || slab < 2 * N) && (policy.rows == 1 || nonzeros < 16.0 * A.rows);
  }

  CsrOptions options_;
  Layout layout_ = Layout::Right;
  DeviceArray<int> row_offsets_, column_indices_;
  DeviceArray<Scalar> values_;
  DeviceArray<Ordinal> schedule_memory_;
  DeviceArray<std::byte> workspace_;
  Cuda::CsrSchedule schedule_;
  CsrPattern<int> pattern_;
  int columns_ = 0;
};

/// Those that are the best for some product; lanes, vectors, unroll, rows, rounds.
std::vector<CsrOptions> all_options() {
  std::vector<CsrOptions> options{{}};
  for (const auto& [lanes, vectors, unroll, rows, rounds] :
       {std::tuple{4, 1, 4, 1, 1},   std::tuple{8, 1, 4, 1, 1},  std::tuple{8, 1, 8, 1, 1},
        std::tuple{8, 2, 4, 1, 1},   std::tuple{16, 1, 4, 1, 1}, std::tuple{16, 1, 8, 1, 1},
        std::tuple{16, 1, 8, 1, 4},  std::tuple{16, 2, 4, 1, 4}, std::tuple{32, 1, 4, 1, 4},
        std::tuple{32, 1, 8, 1, 4},  std::tuple{32, 2, 4, 1, 1}, std::tuple{32, 2, 4, 1, 4},
        std::tuple{8, 1, 4, 4, 1},   std::tuple{16, 1, 4, 4, 1}, std::tuple{4, 2, 4, 1, 4},
        std::tuple{8, 2, 4, 1, 4},   std::tuple{8, 2, 4, 1, 8},  std::tuple{16, 2, 4, 1, 8},
        std::tuple{16, 2, 4, 1, 16}, std::tuple{32, 2, 4, 1, 8}, std::tuple{32, 2, 4, 1, 16},
        std::tuple{16, 1, 4, 1, 8},  std::tuple{32, 1, 4, 1, 8}}) {
    options.push_back({Cuda::CsrPolicy{lanes, vectors, unroll, rows, rounds}, {}});
  }
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
