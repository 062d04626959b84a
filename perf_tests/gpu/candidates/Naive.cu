// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread an entry of Y: simple enough to be right, and what the harness is tried with.
#include <algorithm>

#include "Candidate.hpp"
#include "Device.hpp"

namespace Tessera::Bench {

namespace {

struct NaivePolicy {
  int threads = 128;
};
constexpr NaivePolicy policy;

template <class Scalar>
__global__ void naive_kernel(int rows, int columns, const int* row_offsets, const int* column_indices,
                             const Scalar* values, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y,
                             int ldy) {
  const std::size_t entry = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (entry >= std::size_t(rows) * columns) return;
  const int i = static_cast<int>(entry / columns), j = static_cast<int>(entry % columns);
  Scalar sum = 0;
  for (int k = row_offsets[i]; k < row_offsets[i + 1]; ++k) {
    sum += values[k] * X[std::size_t(column_indices[k]) * ldx + j];
  }
  Scalar& y = Y[std::size_t(i) * ldy + j];
  y = beta == Scalar(0) ? alpha * sum : alpha * sum + beta * y;
}

template <class Scalar>
class Naive : public Candidate<Scalar> {
 public:
  std::string name() const override { return "naive"; }
  std::string precision() const override { return sizeof(Scalar) == 8 ? "fp64" : "fp32"; }

  bool prepare(const HostMatrix& A, int N) override {
    rows_ = A.rows;
    columns_ = N;
    row_offsets_ = DeviceArray<int>(A.row_offsets);
    column_indices_ = DeviceArray<int>(A.column_indices);
    values_ = DeviceArray<Scalar>(std::vector<Scalar>(A.values.begin(), A.values.end()));
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    const std::size_t entries = std::size_t(rows_) * columns_;
    if (entries == 0) return;
    const auto blocks = static_cast<unsigned>((entries + policy.threads - 1) / policy.threads);
    naive_kernel<<<blocks, policy.threads, 0, stream>>>(rows_, columns_, row_offsets_.data(), column_indices_.data(),
                                                        values_.data(), alpha, X, ldx, beta, Y, ldy);
    check(cudaGetLastError(), "naive_kernel");
  }

  std::size_t bytes() const override { return row_offsets_.bytes() + column_indices_.bytes() + values_.bytes(); }

 private:
  int rows_ = 0, columns_ = 0;
  DeviceArray<int> row_offsets_, column_indices_;
  DeviceArray<Scalar> values_;
};

}  // namespace

template <class Scalar>
Candidates<Scalar> make_naive_candidates() {
  Candidates<Scalar> candidates;
  candidates.push_back(std::make_unique<Naive<Scalar>>());
  return candidates;
}

template Candidates<float> make_naive_candidates<float>();
template Candidates<double> make_naive_candidates<double>();

}  // namespace Tessera::Bench
