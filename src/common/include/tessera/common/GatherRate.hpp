// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace Tessera {

/// How fast a GPU gathers rows of X, for a given number of bytes of X in use.
struct GatherRate {
  double footprint;  ///< bytes of X in use
  double bytes;      ///< bytes gathered in a second
};

/// The bytes gathered in a second for a footprint in bytes. Interpolates measured rates, whose footprints ascend,
/// linearly in the logarithm of the footprint.
template <std::size_t count>
double gather_rate(const GatherRate (&rates)[count], double footprint) {
  const auto first = std::begin(rates), last = std::end(rates);
  const auto above = std::find_if(first, last, [&](const auto& rate) { return rate.footprint >= footprint; });
  if (above == first) return first->bytes;
  if (above == last) return std::prev(last)->bytes;
  const auto below = std::prev(above);
  const double share = std::log(footprint / below->footprint) / std::log(above->footprint / below->footprint);
  return below->bytes + share * (above->bytes - below->bytes);
}

}  // namespace Tessera
