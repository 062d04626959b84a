// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "Reference.hpp"

namespace Tessera::Impl::Bench {

/// Factors of a product.
struct Factors {
  double alpha = 1, beta = 0;
};

/// A product to compute: A, X, memory for Y, and the expected result.
template <class Scalar>
class Problem {
 public:
  Problem(const HostMatrix& A, int columns, Layout layout);

  /// Sets Y to its initial values: poison if beta = 0.
  void reset(double beta);
  void run(Candidate<Scalar>& candidate, Factors factors);
  /// Resets, runs and compares. Throws std::runtime_error if the device reports an error.
  Verdict verify(Candidate<Scalar>& candidate, Factors factors, const Tolerance& tolerance);

  const Stream& stream() const { return stream_; }

 private:
  Stream stream_;
  Multivector<Scalar> x_, y_;
  std::unique_ptr<Reference<Scalar>> reference_;
};

}  // namespace Tessera::Impl::Bench
