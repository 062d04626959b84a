// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace Tessera {

/// How fast a GPU gathers rows of X when those that are in use take so many bytes.
struct GatherRate {
  double footprint;  ///< bytes
  double bytes;      ///< a second
};

/// The rate for a footprint, interpolated between measured ones, whose footprints ascend, over its logarithm.
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
