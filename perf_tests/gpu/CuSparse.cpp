// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CuSparse.hpp"

#include <harness/CuSparse.hpp>
#include <memory>

#include "Device.hpp"

namespace Tessera::Bench {

namespace {

/// A matrix on the device, once for all algorithms.
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
      : algorithm_(algorithm), preprocesses_(preprocesses), csr_(std::move(csr)) {}

  std::string name() const override {
    return std::string("cusparse<") + (algorithm_.is_vector ? "vector " : "") + algorithm_.name +
           (preprocesses_ ? ", preprocess>" : ">");
  }
  std::string precision() const override { return sizeof(Scalar) == 8 ? "fp64" : "fp32"; }
  bool use(Layout layout) override {
    layout_ = layout;
    return true;
  }

  bool prepare(const HostMatrix& A, int N) override {
    if (A.rows == 0 || A.columns == 0 || A.values.empty() || N == 0 || (algorithm_.is_vector && N != 1)) return false;
    csr_->copy(A);
    pattern_ = {A.rows, A.columns, csr_->row_offsets.data(), csr_->column_indices.data()};
    columns_ = N;
    product_ = std::make_unique<CuSparseProduct<Scalar>>(algorithm_, preprocesses_, pattern_, A.values.size(),
                                                         csr_->values.data());
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    product_->run(stream, alpha, multivector(X, pattern_.columns, ldx), beta, multivector(Y, pattern_.rows, ldy));
  }
  std::size_t bytes() const override { return csr_->bytes() + (product_ ? product_->buffer_bytes() : 0); }

 private:
  template <class Element>
  Tessera::Multivector<Element> multivector(Element* data, int rows, int stride) const {
    if (layout_ == Layout::Left) return {data, rows, columns_, 1, stride};
    return {data, rows, columns_, stride, 1};
  }

  CuSparseAlgorithm algorithm_;
  bool preprocesses_;
  Layout layout_ = Layout::Right;
  std::shared_ptr<DeviceCsr<Scalar>> csr_;
  CsrPattern<int> pattern_;
  int columns_ = 0;
  std::unique_ptr<CuSparseProduct<Scalar>> product_;
};

}  // namespace

template <class Scalar>
Candidates<Scalar> make_cusparse_candidates() {
  Candidates<Scalar> candidates;
  const auto csr = std::make_shared<DeviceCsr<Scalar>>();
  for (const CuSparseAlgorithm& algorithm : cusparse_algorithms()) {
    for (const bool preprocesses : {false, true})
      candidates.push_back(std::make_unique<CuSparse<Scalar>>(algorithm, preprocesses, csr));
  }
  return candidates;
}

template Candidates<float> make_cusparse_candidates<float>();
template Candidates<double> make_cusparse_candidates<double>();

}  // namespace Tessera::Bench
