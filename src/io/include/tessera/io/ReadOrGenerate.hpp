// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/io/ReadMatrix.hpp>

namespace Tessera {

/// The matrix that a command line names: that of the file, or, where there is no such file, a generated one such as
/// "stencil27:64", with seed 1.
///
/// \throws std::invalid_argument if the name is neither; what read_matrix() throws besides
inline HostCsr<double> read_or_generate(const std::string& name) {
  if (std::filesystem::exists(name)) return read_matrix<double>(name);
  try {
    return generate(name, 1);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(name + ": no such file, and as a generator: " + error.what());
  }
}

}  // namespace Tessera
