// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Bench {

struct Options {
  std::vector<std::string> matrices;
  std::vector<int> columns{32, 128, 512};
  std::vector<std::string> precisions;  // empty: all
  std::vector<std::string> orders{"natural"};
  Layout layout = Layout::Right;
  std::string kernels = ".*";
  std::vector<std::string> exclude;
  std::string json_file;
  double seconds = 1e9;
  bool quick = false;
  bool list = false;
  bool ablations = false;  // also candidates that lack a part

  /// Whether --precision, --kernels, --exclude and --ablations ask for a candidate that takes the layout.
  template <class Scalar>
  bool wants(const Candidate<Scalar>& candidate) const {
    return wants_kernel(candidate.precision(), candidate.name()) && (!candidate.is_ablation() || ablations) &&
           candidate.takes(layout);
  }

 private:
  bool wants_kernel(const std::string& precision, const std::string& name) const;
};

/// Reads the command line. Nothing comes back after --help, which is answered on standard output.
/// Throws std::invalid_argument that names the option and what was expected.
std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace Tessera::Bench
