// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <utility>
#include <vector>

namespace Tessera::Impl::Bench {

/// A matrix on the host: canonical compressed rows.
struct HostMatrix {
  int rows = 0, columns = 0;
  std::vector<int> row_offsets{0}, column_indices;
  std::vector<double> values;

  CsrPattern<int> pattern() const { return {rows, columns, row_offsets.data(), column_indices.data()}; }
};

/// Which elements of a multivector are adjacent: those of a row (row-major), or those of a column.
enum class Layout { Right, Left };

/// One way to compute Y = alpha A X + beta Y.
template <class Scalar>
class Candidate {
 public:
  /// \param name [in] unique for a precision, such as "csr<lanes=16,vectors=2>"
  explicit Candidate(std::string name, Precision precision = Precision::Native)
      : name_(std::move(name)), precision_(precision) {}
  virtual ~Candidate() = default;

  const std::string& name() const { return name_; }
  /// "fp64", "fp32", "tf32x3", "tf32", "fp16" or "bf16"
  std::string precision() const {
    if (precision_ != Precision::Native) return std::string(to_string(precision_));
    return sizeof(Scalar) == 8 ? "fp64" : "fp32";
  }

  /// Copies or builds the data of products with `columns` columns of X. Returns false if the candidate does not support
  /// this matrix or number of columns.
  virtual bool prepare(cudaStream_t stream, const HostMatrix& A, int columns, Layout layout) = 0;
  /// Multiplies in device memory, with the prepared shape, layout and stream. `product` has no values of A.
  virtual void run(cudaStream_t stream, Product<Scalar, Scalar> product) = 0;
  /// Returns the bytes of the prepared matrix on the device.
  virtual std::size_t bytes() const = 0;

 protected:
  Precision asked_precision() const { return precision_; }

 private:
  std::string name_;
  Precision precision_;
};

template <class Scalar>
using Candidates = std::vector<std::unique_ptr<Candidate<Scalar>>>;

}  // namespace Tessera::Impl::Bench
