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

struct VectorAlgorithm {
  const char* name;
  cusparseSpMVAlg_t id;
};
constexpr VectorAlgorithm vector_algorithms[] = {{"vector alg1", CUSPARSE_SPMV_CSR_ALG1},
                                                 {"vector alg2", CUSPARSE_SPMV_CSR_ALG2}};
constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
template <class Scalar>
constexpr cudaDataType type = std::is_same_v<Scalar, double> ? CUDA_R_64F : CUDA_R_32F;

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

/// What products with multivectors and with vectors have in common.
template <class Scalar>
class CuSparse : public Candidate<Scalar> {
 public:
  CuSparse(const char* algorithm, bool preprocess, std::shared_ptr<DeviceCsr<Scalar>> csr)
      : preprocess_(preprocess), algorithm_(algorithm), csr_(std::move(csr)) {}
  ~CuSparse() override {
    if (matrix_) cusparseDestroySpMat(matrix_);
    if (handle_) cusparseDestroy(handle_);
  }

  std::string name() const override {
    return std::string("cusparse<") + algorithm_ + (preprocess_ ? ", preprocess>" : ">");
  }
  std::string precision() const override { return sizeof(Scalar) == 8 ? "fp64" : "fp32"; }
  bool use(Layout layout) override {
    layout_ = layout;
    return true;
  }

  bool prepare(const HostMatrix& A, int N) override {
    if (A.rows == 0 || A.columns == 0 || A.values.empty() || N == 0) return false;
    rows_ = A.rows;
    inner_ = A.columns;
    columns_ = N;
    csr_->copy(A);
    if (!handle_) check(cusparseCreate(&handle_), "cusparseCreate");
    forget_vectors();
    if (matrix_) cusparseDestroySpMat(matrix_);
    check(cusparseCreateCsr(&matrix_, rows_, inner_, static_cast<std::int64_t>(A.values.size()),
                            csr_->row_offsets.data(), csr_->column_indices.data(), csr_->values.data(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type<Scalar>),
          "cusparseCreateCsr");
    return true;
  }
  std::size_t bytes() const override { return csr_->bytes() + buffer_.bytes(); }

 protected:
  virtual void forget_vectors() = 0;

  bool preprocess_;
  Layout layout_ = Layout::Right;
  int rows_ = 0, inner_ = 0, columns_ = 0;
  DeviceArray<std::byte> buffer_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;

 private:
  const char* algorithm_;
  std::shared_ptr<DeviceCsr<Scalar>> csr_;
};

template <class Scalar>
class CuSparseMultivectors : public CuSparse<Scalar> {
  using Base = CuSparse<Scalar>;
  using Base::buffer_, Base::columns_, Base::handle_, Base::inner_, Base::layout_, Base::matrix_, Base::preprocess_,
      Base::rows_;

 public:
  CuSparseMultivectors(const Algorithm& algorithm, bool preprocess, std::shared_ptr<DeviceCsr<Scalar>> csr)
      : Base(algorithm.name, preprocess, std::move(csr)), algorithm_(algorithm.id) {}
  ~CuSparseMultivectors() override { forget_vectors(); }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    check(cusparseSetStream(handle_, stream), "cusparseSetStream");
    auto* x = const_cast<Scalar*>(X);
    if (!x_ || ldx != ldx_ || ldy != ldy_) {
      describe(x, ldx, Y, ldy, alpha, beta);
    } else {
      check(cusparseDnMatSetValues(x_, x), "cusparseDnMatSetValues");
      check(cusparseDnMatSetValues(y_, Y), "cusparseDnMatSetValues");
    }
    check(cusparseSpMM(handle_, plain, plain, &alpha, matrix_, x_, &beta, y_, type<Scalar>, algorithm_, buffer_.data()),
          "cusparseSpMM");
  }

 private:
  void describe(Scalar* x, int ldx, Scalar* y, int ldy, Scalar alpha, Scalar beta) {
    forget_vectors();
    const cusparseOrder_t order = layout_ == Layout::Left ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
    check(cusparseCreateDnMat(&x_, inner_, columns_, ldx, x, type<Scalar>, order), "cusparseCreateDnMat");
    check(cusparseCreateDnMat(&y_, rows_, columns_, ldy, y, type<Scalar>, order), "cusparseCreateDnMat");
    ldx_ = ldx;
    ldy_ = ldy;
    std::size_t size = 0;
    check(
        cusparseSpMM_bufferSize(handle_, plain, plain, &alpha, matrix_, x_, &beta, y_, type<Scalar>, algorithm_, &size),
        "cusparseSpMM_bufferSize");
    buffer_ = DeviceArray<std::byte>(size);
    if (!preprocess_) return;
    check(cusparseSpMM_preprocess(handle_, plain, plain, &alpha, matrix_, x_, &beta, y_, type<Scalar>, algorithm_,
                                  buffer_.data()),
          "cusparseSpMM_preprocess");
  }

  void forget_vectors() override {
    if (x_) cusparseDestroyDnMat(x_);
    if (y_) cusparseDestroyDnMat(y_);
    x_ = y_ = nullptr;
  }

  cusparseSpMMAlg_t algorithm_;
  int ldx_ = 0, ldy_ = 0;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
};

/// For one column whose elements are adjacent.
template <class Scalar>
class CuSparseVectors : public CuSparse<Scalar> {
  using Base = CuSparse<Scalar>;
  using Base::buffer_, Base::handle_, Base::inner_, Base::layout_, Base::matrix_, Base::preprocess_, Base::rows_;

 public:
  CuSparseVectors(const VectorAlgorithm& algorithm, bool preprocess, std::shared_ptr<DeviceCsr<Scalar>> csr)
      : Base(algorithm.name, preprocess, std::move(csr)), algorithm_(algorithm.id) {}
  ~CuSparseVectors() override { forget_vectors(); }

  bool prepare(const HostMatrix& A, int N) override { return N == 1 && Base::prepare(A, N); }

  void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) override {
    if (layout_ == Layout::Right && (ldx != 1 || ldy != 1)) {
      throw std::invalid_argument("cusparseSpMV: elements of X are " + std::to_string(ldx) + " apart and those of Y " +
                                  std::to_string(ldy) + ", not 1");
    }
    check(cusparseSetStream(handle_, stream), "cusparseSetStream");
    if (!x_) describe(const_cast<Scalar*>(X), Y, alpha, beta);
    check(cusparseDnVecSetValues(x_, const_cast<Scalar*>(X)), "cusparseDnVecSetValues");
    check(cusparseDnVecSetValues(y_, Y), "cusparseDnVecSetValues");
    check(cusparseSpMV(handle_, plain, &alpha, matrix_, x_, &beta, y_, type<Scalar>, algorithm_, buffer_.data()),
          "cusparseSpMV");
  }

 private:
  void describe(Scalar* x, Scalar* y, Scalar alpha, Scalar beta) {
    check(cusparseCreateDnVec(&x_, inner_, x, type<Scalar>), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&y_, rows_, y, type<Scalar>), "cusparseCreateDnVec");
    std::size_t size = 0;
    check(cusparseSpMV_bufferSize(handle_, plain, &alpha, matrix_, x_, &beta, y_, type<Scalar>, algorithm_, &size),
          "cusparseSpMV_bufferSize");
    buffer_ = DeviceArray<std::byte>(size);
    if (!preprocess_) return;
    check(cusparseSpMV_preprocess(handle_, plain, &alpha, matrix_, x_, &beta, y_, type<Scalar>, algorithm_,
                                  buffer_.data()),
          "cusparseSpMV_preprocess");
  }

  void forget_vectors() override {
    if (x_) cusparseDestroyDnVec(x_);
    if (y_) cusparseDestroyDnVec(y_);
    x_ = y_ = nullptr;
  }

  cusparseSpMVAlg_t algorithm_;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
};

}  // namespace

template <class Scalar>
Candidates<Scalar> make_cusparse_candidates() {
  Candidates<Scalar> candidates;
  const auto csr = std::make_shared<DeviceCsr<Scalar>>();
  for (const Algorithm& algorithm : algorithms) {
    for (const bool preprocess : {false, true}) {
      candidates.push_back(std::make_unique<CuSparseMultivectors<Scalar>>(algorithm, preprocess, csr));
    }
  }
  for (const VectorAlgorithm& algorithm : vector_algorithms) {
    for (const bool preprocess : {false, true}) {
      candidates.push_back(std::make_unique<CuSparseVectors<Scalar>>(algorithm, preprocess, csr));
    }
  }
  return candidates;
}

template Candidates<float> make_cusparse_candidates<float>();
template Candidates<double> make_cusparse_candidates<double>();

}  // namespace Tessera::Bench
