// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/io/ReadMatrix.hpp>

namespace Tessera {

/// Reads the matrix file of this name, or standard input ("-"). If there is no such file, generates the matrix that the
/// name describes, such as "stencil27:64" (see generate()), with seed 1.
///
/// \throws std::invalid_argument if the name is neither a file nor a generator; also what read_matrix() throws
inline HostCsr<double> read_or_generate(const std::string& name) {
  if (name == "-" || std::filesystem::exists(name)) return read_matrix<double>(name);
  try {
    return generate(name, 1);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(name + ": no such file, and as a generator: " + error.what());
  }
}

}  // namespace Tessera
