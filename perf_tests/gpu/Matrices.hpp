// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Bench {

struct NamedMatrix {
  std::string name;
  HostMatrix matrix;
};

/// A matrix from a file of any format of Tessera's io layer, or, where there is no such file, from one of its
/// generators
/// ("stencil27:64"). A file's name without folder and ending is the matrix's.
/// Throws std::invalid_argument for neither, for a complex matrix and for one of more than 2^31 - 1 nonzeros; what
/// reading throws besides.
NamedMatrix load_matrix(const std::string& file_or_generator);

}  // namespace Tessera::Bench
