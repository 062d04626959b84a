// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Impl::Bench {

struct NamedMatrix {
  std::string name;
  HostMatrix matrix;
};

/// Loads a matrix from a file of any format of Tessera's io layer or, if there is no such file, from one of its
/// generators ("stencil27:64"). The matrix has the name of the file without folder and ending.
/// Throws std::invalid_argument for neither, for a complex matrix and for more than 2^31 - 1 nonzeros; also throws the
/// errors of the readers.
NamedMatrix load_matrix(const std::string& file_or_generator);

}  // namespace Tessera::Impl::Bench
