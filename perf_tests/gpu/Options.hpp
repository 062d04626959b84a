// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Impl::Bench {

struct Options {
  std::vector<std::string> matrices;
  std::vector<int> columns{32, 128, 512};
  std::vector<std::string> precisions;  // empty: all
  std::vector<std::string> orders{"natural"};
  Layout layout = Layout::Right;
  std::vector<std::string> engines;   // may include "cusparse"
  std::vector<std::string> policies;  // policies of each engine, in addition to its own choice
  std::vector<std::string> exclude;
  std::string json_file;
  double seconds = 1e9;
  bool quick = false;

  /// Whether --precision and --exclude allow a candidate.
  template <class Scalar>
  bool wants(const Candidate<Scalar>& candidate) const {
    const auto holds = [](const auto& words, const std::string& word) { return std::ranges::count(words, word) > 0; };
    return (precisions.empty() || holds(precisions, candidate.precision())) && !holds(exclude, candidate.name());
  }
};

/// Reads the command line. Returns nothing after --help, which is printed on standard output. Throws
/// std::invalid_argument that names the option and the expected value.
std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace Tessera::Impl::Bench
