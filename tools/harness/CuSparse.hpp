// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tessera/Mode.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Multivector.hpp>
#include <vector>

namespace Tessera::Impl::Harness {

/// An algorithm of cuSPARSE for compressed rows: of SpMM or, for one column, of SpMV or SpMVOp. Preprocessed SpMM of
/// floats and one column reads out of bounds on some matrices (12.6.3).
struct CuSparseAlgorithm {
  std::string name;  ///< "default", "alg1", ..., "op alg1"
  bool is_vector = false;
  int number = 0;      ///< cuSPARSE's number
  bool is_op = false;  ///< SpMVOp (12.8.1 and newer): always preprocesses, and multiplies by A as it is
};
const std::vector<CuSparseAlgorithm>& cusparse_algorithms();

/// "cuSPARSE 12.6.3"
std::string cusparse_version();

/// Returns a handle of cuSPARSE, which products can share. A program makes one, once.
std::shared_ptr<void> new_cusparse_handle();

/// Y = alpha op(A) X + beta Y by one algorithm, for float and double. All arrays are on the device, and nothing is
/// copied. Throws std::runtime_error that names the call that cuSPARSE rejected.
template <class Scalar>
class CuSparseProduct {
 public:
  /// \param preprocesses [in] whether cuSPARSE may analyse the matrix before the first product
  /// \param A, nonzeros, values [in] the matrix, with at least one row, column and nonzero
  /// \param handle [in] from new_cusparse_handle()
  CuSparseProduct(const CuSparseAlgorithm& algorithm, bool preprocesses, const CsrPattern<int>& A, std::size_t nonzeros,
                  const Scalar* values, Mode mode = Mode::NoTranspose,
                  std::shared_ptr<void> handle = new_cusparse_handle());

  /// Makes later products batches of `count` products, whose matrices have column indices and values of their own, both
  /// `entries` apart. For SpMM, before prepare().
  ///
  /// \param x_stride, y_stride [in] elements from one X, or Y, to the next
  void set_batch(int count, std::int64_t entries, std::int64_t x_stride, std::int64_t y_stride);

  /// Does all of a product except multiplying. X and Y are row-major or column-major; for SpMV, one contiguous column.
  void prepare(cudaStream_t stream, Scalar alpha, const Multivector<const Scalar>& X, Scalar beta,
               const Multivector<Scalar>& Y);

  /// Multiplies. Prepares first if X or Y has another shape or other strides than before.
  void run(cudaStream_t stream, Scalar alpha, const Multivector<const Scalar>& X, Scalar beta,
           const Multivector<Scalar>& Y);

  std::size_t buffer_bytes() const { return buffer_bytes_; }

 private:
  enum class Step { BufferSize, Preprocess, Multiply };
  void call(Step step, const char* name, Scalar alpha, Scalar beta);
  void call_op(Step step, Scalar alpha, Scalar beta);

  CuSparseAlgorithm algorithm_;
  bool preprocesses_;
  Mode mode_;
  std::shared_ptr<void> handle_, A_, X_, Y_, buffer_, plan_;  // cuSPARSE's objects, destroyed with the last copy
  int batch_ = 1;
  std::int64_t x_stride_ = 0, y_stride_ = 0;
  Multivector<const Scalar> described_x_;
  Multivector<Scalar> described_y_;
  std::size_t buffer_bytes_ = 0;
};

}  // namespace Tessera::Impl::Harness
