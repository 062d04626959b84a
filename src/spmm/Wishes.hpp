// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <iterator>
#include <tessera/select/Choice.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <vector>

namespace Tessera::Impl {

/// The candidates that the user's wishes and the limit of memory leave, from the fastest to the slowest.
inline std::vector<Candidate> wanted_candidates(const Choice& choice, Format wanted, Wish staged) {
  const auto& all = choice.candidates;
  const bool can_stage =
      std::any_of(all.begin(), all.end(), [](const Candidate& c) { return c.is_staged && !c.is_refused; });
  std::vector<Candidate> left;
  std::copy_if(all.begin(), all.end(), std::back_inserter(left), [&](const Candidate& c) {
    if (c.is_refused || (wanted != Format::Automatic && c.format != wanted)) return false;
    return c.format != Format::BitTcf || !can_stage || staged == Wish::Automatic ||
           c.is_staged == (staged == Wish::Always);
  });
  return left;
}

/// Takes the fastest of them; a format that is no candidate, too, if it is wanted.
inline void take_fastest(Choice& choice, Format wanted, Wish staged) {
  const auto left = wanted_candidates(choice, wanted, staged);
  const bool is_best = !left.empty() && choice.takes(left[0]);
  if (wanted == Format::Automatic && is_best) return;
  choice.format = left.empty() ? wanted : left[0].format;
  choice.is_staged = !left.empty() && left[0].is_staged;
  choice.reason = name_of(choice.format, choice.is_staged) + " was asked for";
}

}  // namespace Tessera::Impl
