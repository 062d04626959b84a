// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "HostMatrix.hpp"

/// What the programs share with tessera_spmm.
namespace Tessera::Harness {}

namespace Tessera::Bench {

using namespace Harness;
using Test::HostMatrix;

/// Which elements of a multivector are adjacent: those of a row (row-major), or those of a column.
enum class Layout { Right, Left };

/// One way to compute Y = alpha A X + beta Y, X (columns of A x N) and Y (rows of A x N), device pointers. ldx and ldy
/// are the distances between rows, or between columns with Layout::Left.
template <class Scalar>
class Candidate {
 public:
  virtual ~Candidate() = default;
  virtual std::string name() const = 0;       // unique, e.g. "csr_row<16 lanes, 2 vectors>"
  virtual std::string precision() const = 0;  // "fp64", "fp32", "tf32x3", "tf32", "fp16", "bf16"
  /// Of a kernel from which a part is taken away, to see what that is worth: the name of the whole one. Measured with
  /// --ablations alone.
  virtual std::string ablates() const { return ""; }
  bool is_ablation() const { return !ablates().empty(); }
  /// Takes X and Y laid out like this from now on, or returns false. Called before prepare.
  virtual bool use(Layout layout) { return layout == Layout::Right; }
  /// Copies or builds what the product needs, for products with N columns; false: not applicable to this matrix or N.
  virtual bool prepare(const HostMatrix& A, int N) = 0;
  virtual void run(cudaStream_t stream, Scalar alpha, const Scalar* X, int ldx, Scalar beta, Scalar* Y, int ldy) = 0;
  virtual std::size_t bytes() const { return 0; }  // of the prepared matrix on the device
};

template <class Scalar>
using Candidates = std::vector<std::unique_ptr<Candidate<Scalar>>>;

/// All candidates: those of every file in candidates/. A file Name.cu defines, and instantiates for float and double,
/// make_name_candidates<Scalar>().
template <class Scalar>
Candidates<Scalar> make_candidates();

}  // namespace Tessera::Bench
