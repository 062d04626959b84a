// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Reference.hpp"

namespace Tessera::Bench {

/// Factors of a product.
struct Factors {
  double alpha = 1, beta = 0;
};

/// A product to be computed: A, X, room for Y, and what must come out.
template <class Scalar>
class Problem {
 public:
  /// Where rows of X hold Inf and NaN (`special`), they are in the middle and in the third part of X.
  Problem(const HostMatrix& A, int columns, const LineLayout& layout, bool special);

  /// Y with what a product begins with: poison if beta = 0.
  void reset(double beta);
  void run(Candidate<Scalar>& candidate, Factors factors);
  /// Resets, runs, compares. Throws std::runtime_error when the device reports an error.
  Verdict verify(Candidate<Scalar>& candidate, Factors factors, const Tolerance& tolerance);

  const Stream& stream() const { return stream_; }

 private:
  Stream stream_;
  Multivector<Scalar> x_, y_;
  Content initial_;
  std::unique_ptr<Reference<Scalar>> reference_;
};

}  // namespace Tessera::Bench
