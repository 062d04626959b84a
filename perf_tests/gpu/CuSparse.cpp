// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CuSparse.hpp"

#include <cusparse.h>

#include <stdexcept>
#include <type_traits>

#include "Device.hpp"

namespace Tessera::Bench {

namespace {

void check(cusparseStatus_t status, const char* what) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorName(status));
}

struct Algorithm {
  const char* name;
  cusparseSpMMAlg_t id;
};
constexpr Algorithm algorithms[] = {{"default", CUSPARSE_SPMM_ALG_DEFAULT},
                                    {"alg1", CUSPARSE_SPMM_CSR_ALG1},
                                    {"alg2", CUSPARSE_SPMM_CSR_ALG2},
                                    {"alg3", CUSPARSE_SPMM_CSR_ALG3}};

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
  CuSparse(const Algorithm& algorithm, bool preprocess, std::shared_ptr<DeviceCsr<Scalar>> csr)
      : algorithm_(algorithm), preprocess_(preprocess), csr_(std::move(csr)) {}
  ~CuSparse() override {
    forget_multivectors();
    if (matrix_) cusparseDestroySpMat(matrix_);
    if (handle_) cusparseDestroy(handle_);
  }

  std::string name() const override {
    return std::string("cusparse<") + algorithm_.name + (preprocess_ ? ", preprocess>" : ">");
  }
  std::string precision() const override { return sizeof(Scalar) == 8 ? "fp64" : "fp32"; }

  bool prepare(const HostMatrix& A, int N) override {
    if (A.rows == 0 || A.columns == 0 || A.values.empty() || N == 0) return false;
    rows_ = A.rows;
    inner_ = A.columns;
    columns_ = N;
    csr_->copy(A);
    if (!handle_) check(cusparseCreate(&handle_), "cusparseCreate");
    forget_multivectors();
    if (matrix_) cusparseDestroySpMat(matrix_);
    check(cusparseCreateCsr(&matrix_, rows_, inner_, static_cast<std::int64_t>(A.values.size()),
                            csr_->row_offsets.data(), csr_->column_indices.data(), csr_->values.data(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
          "cusparseCreateCsr");
    return true;
  }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    check(cusparseSetStream(handle_, stream), "cusparseSetStream");
    auto* x = const_cast<Scalar*>(X);
    if (!x_ || ldx != ldx_ || ldy != ldy_) {
      describe(x, ldx, Y, ldy, alpha, beta);
    } else {
      check(cusparseDnMatSetValues(x_, x), "cusparseDnMatSetValues");
      check(cusparseDnMatSetValues(y_, Y), "cusparseDnMatSetValues");
    }
    check(cusparseSpMM(handle_, plain, plain, &alpha, matrix_, x_, &beta, y_, type, algorithm_.id, buffer_.data()),
          "cusparseSpMM");
  }

  std::size_t bytes() const override { return csr_->bytes() + buffer_.bytes(); }

 private:
  static constexpr cudaDataType type = std::is_same_v<Scalar, double> ? CUDA_R_64F : CUDA_R_32F;
  static constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  void describe(Scalar* x, int ldx, Scalar* y, int ldy, Scalar alpha, Scalar beta) {
    forget_multivectors();
    check(cusparseCreateDnMat(&x_, inner_, columns_, ldx, x, type, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat");
    check(cusparseCreateDnMat(&y_, rows_, columns_, ldy, y, type, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat");
    ldx_ = ldx;
    ldy_ = ldy;
    std::size_t size = 0;
    check(cusparseSpMM_bufferSize(handle_, plain, plain, &alpha, matrix_, x_, &beta, y_, type, algorithm_.id, &size),
          "cusparseSpMM_bufferSize");
    buffer_ = DeviceArray<std::byte>(size);
    if (!preprocess_) return;
    check(cusparseSpMM_preprocess(handle_, plain, plain, &alpha, matrix_, x_, &beta, y_, type, algorithm_.id,
                                  buffer_.data()),
          "cusparseSpMM_preprocess");
  }

  void forget_multivectors() {
    if (x_) cusparseDestroyDnMat(x_);
    if (y_) cusparseDestroyDnMat(y_);
    x_ = y_ = nullptr;
  }

  Algorithm algorithm_;
  bool preprocess_;
  int rows_ = 0, inner_ = 0, columns_ = 0, ldx_ = 0, ldy_ = 0;
  std::shared_ptr<DeviceCsr<Scalar>> csr_;
  DeviceArray<std::byte> buffer_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
};

}  // namespace

template <class Scalar>
Candidates<Scalar> make_cusparse_candidates() {
  Candidates<Scalar> candidates;
  const auto csr = std::make_shared<DeviceCsr<Scalar>>();
  for (const Algorithm& algorithm : algorithms) {
    for (const bool preprocess : {false, true}) {
      candidates.push_back(std::make_unique<CuSparse<Scalar>>(algorithm, preprocess, csr));
    }
  }
  return candidates;
}

template Candidates<float> make_cusparse_candidates<float>();
template Candidates<double> make_cusparse_candidates<double>();

}  // namespace Tessera::Bench
