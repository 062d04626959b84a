// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// Gathers one value of a format from the caller's values. Two maps lead from the format's place to a canonical entry,
/// and from there to the caller's entry.
template <class Scalar>
struct GatherValue {
  static constexpr Offset no_source = static_cast<Offset>(-1);  ///< marks a place where the matrix has no entry

  const Offset* slots;   ///< canonical entry -> index in the caller's values; null for the identity
  const Offset* runs;    ///< canonical entry -> its first slot, if several are summed; null without duplicates
  const Offset* places;  ///< place -> canonical entry, or no_source; null for the identity
  const Scalar* source;
  Scalar* target;

  TESSERA_FUNCTION void operator()(std::size_t i) const {
    if (places != nullptr && places[i] == no_source) {
      target[i] = Scalar(0);
      return;
    }
    const std::size_t entry = places != nullptr ? places[i] : i;
    if (runs == nullptr) {
      target[i] = source[slots != nullptr ? std::size_t(slots[entry]) : entry];
      return;
    }
    Scalar sum = source[slots[runs[entry]]];
    for (Offset k = runs[entry] + 1; k < runs[entry + 1]; ++k) sum += source[slots[k]];
    target[i] = sum;
  }
};

}  // namespace Tessera::Impl
