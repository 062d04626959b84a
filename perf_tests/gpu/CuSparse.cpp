// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CuSparse.hpp"

#include <harness/CuSparse.hpp>
#include <memory>

#include "Device.hpp"

namespace Tessera::Impl::Bench {

using namespace Harness;

namespace {

/// A matrix on the device, shared by all algorithms.
template <class Scalar>
struct DeviceCsr {
  const HostMatrix* source = nullptr;
  DeviceArray<int> row_offsets, column_indices;
  DeviceArray<Scalar> values;

  void copy(const HostMatrix& A) {
    if (source == &A) return;
    row_offsets = DeviceArray<int>(A.row_offsets);
    column_indices = DeviceArray<int>(A.column_indices);
    values = DeviceArray<Scalar>(std::vector<Scalar>(A.values.begin(), A.values.end()));
    source = &A;
  }
  std::size_t bytes() const { return row_offsets.bytes() + column_indices.bytes() + values.bytes(); }
};

template <class Scalar>
class CuSparse : public Candidate<Scalar> {
 public:
  CuSparse(const CuSparseAlgorithm& algorithm, bool preprocesses, std::shared_ptr<DeviceCsr<Scalar>> csr)
      : Candidate<Scalar>(std::string("cusparse<") + (algorithm.is_vector ? "vector " : "") + algorithm.name +
                          (preprocesses ? ", preprocess>" : ">")),
        algorithm_(algorithm),
        preprocesses_(preprocesses),
        csr_(std::move(csr)) {}

  bool prepare(cudaStream_t, const HostMatrix& A, int columns, Layout) override {
    if (A.rows == 0 || A.columns == 0 || A.values.empty() || columns == 0) return false;
    if (algorithm_.is_vector && columns != 1) return false;
    csr_->copy(A);
    const CsrPattern<int> pattern{A.rows, A.columns, csr_->row_offsets.data(), csr_->column_indices.data()};
    product_ = std::make_unique<CuSparseProduct<Scalar>>(algorithm_, preprocesses_, pattern, A.values.size(),
                                                         csr_->values.data());
    return true;
  }

  void run(cudaStream_t stream, Product<Scalar, Scalar> product) override {
    product_->run(stream, product.alpha, product.x, product.beta, product.y);
  }
  std::size_t bytes() const override { return csr_->bytes() + (product_ ? product_->buffer_bytes() : 0); }

 private:
  CuSparseAlgorithm algorithm_;
  bool preprocesses_;
  std::shared_ptr<DeviceCsr<Scalar>> csr_;
  std::unique_ptr<CuSparseProduct<Scalar>> product_;
};

}  // namespace

template <class Scalar>
Candidates<Scalar> make_cusparse_candidates() {
  Candidates<Scalar> candidates;
  const auto csr = std::make_shared<DeviceCsr<Scalar>>();
  for (const CuSparseAlgorithm& algorithm : cusparse_algorithms()) {
    for (const bool preprocesses : {false, true})
      if (!(algorithm.is_op && preprocesses))  // it does anyway
        candidates.push_back(std::make_unique<CuSparse<Scalar>>(algorithm, preprocesses, csr));
  }
  return candidates;
}

template Candidates<float> make_cusparse_candidates<float>();
template Candidates<double> make_cusparse_candidates<double>();

}  // namespace Tessera::Impl::Bench
