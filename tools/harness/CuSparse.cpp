// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that includes cuSPARSE.
#include "CuSparse.hpp"

#define CUSPARSE_ENABLE_EXPERIMENTAL_API  // SpMVOp
#include <cusparse.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace Tessera::Impl::Harness {

namespace {

template <class Scalar>
constexpr cudaDataType type = std::is_same_v<Scalar, double> ? CUDA_R_64F : CUDA_R_32F;

void check(cusparseStatus_t status, const char* what) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorName(status));
}

/// Calls make(&object, arguments...).
template <class Object, class Destroy, class Make, class... Arguments>
std::shared_ptr<void> made(const char* what, Destroy destroy, Make make, Arguments... arguments) {
  Object object = nullptr;
  check(make(&object, arguments...), what);
  return std::shared_ptr<void>(object, [destroy](void* p) { destroy(static_cast<Object>(p)); });
}

std::string function_of(const CuSparseAlgorithm& algorithm) {
  return algorithm.is_op ? "cusparseSpMVOp" : algorithm.is_vector ? "cusparseSpMV" : "cusparseSpMM";
}

std::shared_ptr<void> device_memory(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > 0 && cudaMalloc(&memory, bytes) != cudaSuccess)
    throw std::runtime_error("cudaMalloc of " + std::to_string(bytes) + " bytes for cuSPARSE failed");
  return std::shared_ptr<void>(memory, cudaFree);
}

/// Returns cuSPARSE's descriptor of X or Y.
template <class Value>
std::shared_ptr<void> described(const Multivector<Value>& x, bool is_vector) {
  using Scalar = std::remove_const_t<Value>;
  auto* data = const_cast<Scalar*>(x.data);
  if (is_vector) {
    if (x.columns != 1 || x.row_stride != 1)
      throw std::invalid_argument("cusparseSpMV: " + std::to_string(x.columns) + " columns whose elements are " +
                                  std::to_string(x.row_stride) + " apart, expected one column without gaps");
    return made<cusparseDnVecDescr_t>("cusparseCreateDnVec", cusparseDestroyDnVec, cusparseCreateDnVec, x.rows, data,
                                      type<Scalar>);
  }
  const bool by_columns = x.row_stride == 1 && x.column_stride >= x.rows;
  return made<cusparseDnMatDescr_t>("cusparseCreateDnMat", cusparseDestroyDnMat, cusparseCreateDnMat, x.rows, x.columns,
                                    by_columns ? x.column_stride : x.row_stride, data, type<Scalar>,
                                    by_columns ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
}

template <class Value>
bool has_layout_of(const Multivector<Value>& x, const Multivector<Value>& y) {
  return x.rows == y.rows && x.columns == y.columns && x.row_stride == y.row_stride &&
         x.column_stride == y.column_stride;
}

}  // namespace

const std::vector<CuSparseAlgorithm>& cusparse_algorithms() {
  static const std::vector<CuSparseAlgorithm> algorithms = {
    {"default", false, CUSPARSE_SPMM_ALG_DEFAULT},
    {"alg1", false, CUSPARSE_SPMM_CSR_ALG1},
    {"alg2", false, CUSPARSE_SPMM_CSR_ALG2},
    {"alg3", false, CUSPARSE_SPMM_CSR_ALG3},
    {"alg1", true, CUSPARSE_SPMV_CSR_ALG1},
    {"alg2", true, CUSPARSE_SPMV_CSR_ALG2},
#if CUSPARSE_VERSION >= 12801
    {"op default", true, CUSPARSE_SPMVOP_ALG_DEFAULT, true},
    {"op alg1", true, CUSPARSE_SPMVOP_ALG1, true},
    {"op alg2", true, CUSPARSE_SPMVOP_ALG2, true},
#endif
  };
  return algorithms;
}

std::shared_ptr<void> new_cusparse_handle() {
  return made<cusparseHandle_t>("cusparseCreate", cusparseDestroy, cusparseCreate);
}

std::string cusparse_version() {
  int version = 0;
  check(cusparseGetVersion(static_cast<cusparseHandle_t>(new_cusparse_handle().get()), &version), "cusparseGetVersion");
  return "cuSPARSE " + std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
         std::to_string(version % 100);
}

template <class Scalar>
CuSparseProduct<Scalar>::CuSparseProduct(const CuSparseAlgorithm& algorithm, bool preprocesses,
                                         const CsrPattern<int>& A, std::size_t nonzeros, const Scalar* values,
                                         Mode mode, std::shared_ptr<void> handle)
    : algorithm_(algorithm), preprocesses_(preprocesses), mode_(mode), handle_(std::move(handle)) {
  A_ = made<cusparseSpMatDescr_t>("cusparseCreateCsr", cusparseDestroySpMat, cusparseCreateCsr, A.rows, A.columns,
                                  static_cast<std::int64_t>(nonzeros), const_cast<int*>(A.row_offsets),
                                  const_cast<int*>(A.column_indices), const_cast<Scalar*>(values), CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type<Scalar>);
}

template <class Scalar>
void CuSparseProduct<Scalar>::set_batch(int count, std::int64_t entries, std::int64_t x_stride, std::int64_t y_stride) {
  check(cusparseCsrSetStridedBatch(static_cast<cusparseSpMatDescr_t>(A_.get()), count, 0, entries),
        "cusparseCsrSetStridedBatch");
  batch_ = count;
  x_stride_ = x_stride;
  y_stride_ = y_stride;
}

template <class Scalar>
void CuSparseProduct<Scalar>::prepare(cudaStream_t stream, Scalar alpha, const Multivector<const Scalar>& X,
                                      Scalar beta, const Multivector<Scalar>& Y) {
  check(cusparseSetStream(static_cast<cusparseHandle_t>(handle_.get()), stream), "cusparseSetStream");
  X_ = described(X, algorithm_.is_vector);
  Y_ = described(Y, algorithm_.is_vector);
  if (batch_ > 1) {
    const auto set = [&](const std::shared_ptr<void>& matrix, std::int64_t stride) {
      check(cusparseDnMatSetStridedBatch(static_cast<cusparseDnMatDescr_t>(matrix.get()), batch_, stride),
            "cusparseDnMatSetStridedBatch");
    };
    set(X_, x_stride_);
    set(Y_, y_stride_);
  }
  const std::string name = function_of(algorithm_);
  call(Step::BufferSize, (name + "_bufferSize").c_str(), alpha, beta);
  buffer_ = device_memory(buffer_bytes_);
  if (preprocesses_ || algorithm_.is_op) call(Step::Preprocess, (name + "_preprocess").c_str(), alpha, beta);
  described_x_ = X;
  described_y_ = Y;
}

template <class Scalar>
void CuSparseProduct<Scalar>::run(cudaStream_t stream, Scalar alpha, const Multivector<const Scalar>& X, Scalar beta,
                                  const Multivector<Scalar>& Y) {
  if (!X_ || !has_layout_of(X, described_x_) || !has_layout_of(Y, described_y_)) {
    prepare(stream, alpha, X, beta, Y);
  } else {
    check(cusparseSetStream(static_cast<cusparseHandle_t>(handle_.get()), stream), "cusparseSetStream");
    auto* x = const_cast<Scalar*>(X.data);
    if (algorithm_.is_vector) {
      check(cusparseDnVecSetValues(static_cast<cusparseDnVecDescr_t>(X_.get()), x), "cusparseDnVecSetValues");
      check(cusparseDnVecSetValues(static_cast<cusparseDnVecDescr_t>(Y_.get()), Y.data), "cusparseDnVecSetValues");
    } else {
      check(cusparseDnMatSetValues(static_cast<cusparseDnMatDescr_t>(X_.get()), x), "cusparseDnMatSetValues");
      check(cusparseDnMatSetValues(static_cast<cusparseDnMatDescr_t>(Y_.get()), Y.data), "cusparseDnMatSetValues");
    }
  }
  call(Step::Multiply, function_of(algorithm_).c_str(), alpha, beta);
}

template <class Scalar>
void CuSparseProduct<Scalar>::call(Step step, const char* name, Scalar alpha, Scalar beta) {
  if (algorithm_.is_op) return call_op(step, alpha, beta);
  const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const auto operation = is_transposed(mode_) ? CUSPARSE_OPERATION_TRANSPOSE : plain;
  const auto handle = static_cast<cusparseHandle_t>(handle_.get());
  const auto A = static_cast<cusparseSpMatDescr_t>(A_.get());
  // Both families have the same three calls; SpMM also takes the operation on X, which is not transposed.
  const auto one_of = [&](auto size, auto preprocess, auto multiply) {
    check(step == Step::BufferSize   ? size(&buffer_bytes_)
          : step == Step::Preprocess ? preprocess(buffer_.get())
                                     : multiply(buffer_.get()),
          name);
  };
  if (algorithm_.is_vector) {
    const auto X = static_cast<cusparseDnVecDescr_t>(X_.get()), Y = static_cast<cusparseDnVecDescr_t>(Y_.get());
    const auto with = [&](auto function) {
      return [&, function](auto last) {
        return function(handle, operation, &alpha, A, X, &beta, Y, type<Scalar>,
                        static_cast<cusparseSpMVAlg_t>(algorithm_.number), last);
      };
    };
    one_of(with(cusparseSpMV_bufferSize), with(cusparseSpMV_preprocess), with(cusparseSpMV));
  } else {
    const auto X = static_cast<cusparseDnMatDescr_t>(X_.get()), Y = static_cast<cusparseDnMatDescr_t>(Y_.get());
    const auto with = [&](auto function) {
      return [&, function](auto last) {
        return function(handle, operation, plain, &alpha, A, X, &beta, Y, type<Scalar>,
                        static_cast<cusparseSpMMAlg_t>(algorithm_.number), last);
      };
    };
    one_of(with(cusparseSpMM_bufferSize), with(cusparseSpMM_preprocess), with(cusparseSpMM));
  }
}

template <class Scalar>
void CuSparseProduct<Scalar>::call_op([[maybe_unused]] Step step, [[maybe_unused]] Scalar alpha,
                                      [[maybe_unused]] Scalar beta) {
#if CUSPARSE_VERSION >= 12801
  if (is_transposed(mode_)) throw std::invalid_argument("cusparseSpMVOp: multiplies by A as it is");
  const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const auto number = static_cast<cusparseSpMVOpAlg_t>(algorithm_.number);
  const auto handle = static_cast<cusparseHandle_t>(handle_.get());
  const auto A = static_cast<cusparseSpMatDescr_t>(A_.get());
  const auto X = static_cast<cusparseDnVecDescr_t>(X_.get()), Y = static_cast<cusparseDnVecDescr_t>(Y_.get());
  // Z = alpha A X + beta Y, where Z may be Y.
  if (step == Step::BufferSize) {
    check(cusparseSpMVOp_bufferSize(handle, plain, A, X, Y, Y, type<Scalar>, number, &buffer_bytes_),
          "cusparseSpMVOp_bufferSize");
  } else if (step == Step::Preprocess) {
    const auto analysis = made<cusparseSpMVOpDescr_t>(
        "cusparseSpMVOp_createDescr", cusparseSpMVOp_destroyDescr, [&](cusparseSpMVOpDescr_t* descriptor) {
          return cusparseSpMVOp_createDescr(handle, descriptor, plain, A, X, Y, Y, type<Scalar>, number, buffer_.get());
        });
    // The plan needs the analysis and the buffer as long as it exists.
    plan_ = made<cusparseSpMVOpPlan_t>(
        "cusparseSpMVOp_createPlan",
        [analysis, buffer = buffer_](cusparseSpMVOpPlan_t plan) { cusparseSpMVOp_destroyPlan(plan); },
        [&](cusparseSpMVOpPlan_t* plan) {
          const auto descriptor = static_cast<cusparseSpMVOpDescr_t>(analysis.get());
          return cusparseSpMVOp_createPlan(handle, descriptor, plan, nullptr, 0);  // no operation on the elements of Z
        });
  } else {
    const auto plan = static_cast<cusparseSpMVOpPlan_t>(plan_.get());
    check(cusparseSpMVOp(handle, plan, &alpha, &beta, X, Y, Y), "cusparseSpMVOp");
  }
#endif
}

template class CuSparseProduct<float>;
template class CuSparseProduct<double>;

}  // namespace Tessera::Impl::Harness
