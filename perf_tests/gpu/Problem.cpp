// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Problem.hpp"

namespace Tessera::Impl::Bench {

namespace {
constexpr std::uint64_t x_seed = 1, initial_seed = 2;
}

template <class Scalar>
Problem<Scalar>::Problem(const HostMatrix& A, int columns, Layout layout)
    : x_(A.columns, columns, layout), y_(A.rows, columns, layout) {
  x_.fill(stream_, x_seed);
  reference_ = std::make_unique<Reference<Scalar>>(stream_, A, x_);
}

template <class Scalar>
void Problem<Scalar>::reset(double beta) {
  if (beta == 0) {
    y_.poison(stream_);
  } else {
    y_.fill(stream_, initial_seed);
  }
}

template <class Scalar>
void Problem<Scalar>::run(Candidate<Scalar>& candidate, Factors factors) {
  Product<Scalar, Scalar> product;
  product.alpha = static_cast<Scalar>(factors.alpha);
  product.x = x_.template view<const Scalar>();
  product.beta = static_cast<Scalar>(factors.beta);
  product.y = y_.template view<Scalar>();
  candidate.run(stream_, product);
}

template <class Scalar>
Verdict Problem<Scalar>::verify(Candidate<Scalar>& candidate, Factors factors, const Tolerance& tolerance) {
  reset(factors.beta);
  run(candidate, factors);
  stream_.wait();
  return reference_->compare(stream_, y_, factors.alpha, factors.beta, initial_seed, tolerance);
}

template class Problem<float>;
template class Problem<double>;

}  // namespace Tessera::Impl::Bench
