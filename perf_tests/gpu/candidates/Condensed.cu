// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Condensed windows on tensor cores: policies, ways to store values, sizes of pieces.
#include "Condensed.hpp"

namespace Tessera::Bench {
namespace {

using Cuda::CondensedKind;
using Cuda::TileValues;
using Cuda::TunedCondensedPolicy;

template <class Scalar, class Kind, class Policy>
void add(Candidates<Scalar>& candidates, std::initializer_list<int> pieces) {
  for (const int piece_tiles : pieces)
    candidates.push_back(std::make_unique<Condensed<Kind, Policy, Scalar>>(piece_tiles));
}

// The policies that products run with. Others are added here while they are tried.
template <class Scalar, Precision precision>
void add_precision(Candidates<Scalar>& candidates) {
  using Low = CondensedKind<precision, TileValues::Dense, 1>;
  using High = CondensedKind<precision, TileValues::Dense, 2>;
  add<Scalar, Low, TunedCondensedPolicy<Scalar, 1, false>>(candidates, {32, 48, 64});
  add<Scalar, CondensedKind<precision, TileValues::Compact, 1>, TunedCondensedPolicy<Scalar, 1, false>>(candidates,
                                                                                                        {64});
  add<Scalar, High, TunedCondensedPolicy<Scalar, 2, false>>(candidates, {64});
  if constexpr (std::is_same_v<Scalar, float>) {
    add<Scalar, Low, TunedCondensedPolicy<Scalar, 1, true>>(candidates, {48, 64});
    add<Scalar, High, TunedCondensedPolicy<Scalar, 2, true>>(candidates, {64});
  }
}

}  // namespace

template <class Scalar>
Candidates<Scalar> make_condensed_candidates();

template <>
Candidates<double> make_condensed_candidates<double>() {
  Candidates<double> candidates;
  add_precision<double, Precision::Native>(candidates);
  return candidates;
}

template <>
Candidates<float> make_condensed_candidates<float>() {
  Candidates<float> candidates;
  add_precision<float, Precision::Tf32x3>(candidates);
  add_precision<float, Precision::Tf32>(candidates);
  return candidates;
}

}  // namespace Tessera::Bench
