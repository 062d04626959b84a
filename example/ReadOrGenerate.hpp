// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadMatrix.hpp>

namespace Example {

/// Generates a matrix if the name has a colon, such as "elasticity:20" (see tessera/io/Generators.hpp). Otherwise reads
/// a file.
inline Tessera::HostCsr<double> read_or_generate(const std::string& name) {
  return name.find(':') == std::string::npos ? Tessera::read_matrix<double>(name) : Tessera::generate(name, 1);
}

}  // namespace Example
