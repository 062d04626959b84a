// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Condensed windows whose operands have 16 bits; X is rounded in every product.
#include "Condensed.hpp"

namespace Tessera::Bench {
namespace {

using Cuda::CondensedPolicy;
using Cuda::TileValues;

template <class Scalar, Precision precision, TileValues values, int strips, class Policy>
void add(Candidates<Scalar>& candidates) {
  using Kind = Cuda::CondensedKind<precision, values, strips>;
  candidates.push_back(std::make_unique<Condensed<Kind, Policy, Scalar>>(64));
}

template <class Scalar, Precision precision>
void add_precision(Candidates<Scalar>& candidates) {
  add<Scalar, precision, TileValues::Dense, 1, CondensedPolicy<32, 32, 1>>(candidates);
  add<Scalar, precision, TileValues::Dense, 1, CondensedPolicy<64, 32, 2>>(candidates);
  add<Scalar, precision, TileValues::Dense, 1, CondensedPolicy<128, 24, 2>>(candidates);
  add<Scalar, precision, TileValues::Dense, 2, CondensedPolicy<32, 32, 1>>(candidates);
  add<Scalar, precision, TileValues::Dense, 2, CondensedPolicy<64, 24, 1>>(candidates);
  add<Scalar, precision, TileValues::Dense, 2, CondensedPolicy<128, 16, 2>>(candidates);
  add<Scalar, precision, TileValues::Compact, 2, CondensedPolicy<64, 24, 1>>(candidates);
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_condensed_half_candidates();

template <>
Candidates<double> make_condensed_half_candidates<double>() {
  return {};
}

template <>
Candidates<float> make_condensed_half_candidates<float>() {
  Candidates<float> candidates;
  add_precision<float, Precision::Bf16>(candidates);
  add_precision<float, Precision::Fp16>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
