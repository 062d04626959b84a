// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadMatrix.hpp>

namespace Example {

/// A generated matrix if the name has a colon, as "elasticity:20" (tessera/io/Generators.hpp lists them), else that of
/// a file.
inline Tessera::HostCsr<double> read_or_generate(const std::string& name) {
  return name.find(':') == std::string::npos ? Tessera::read_matrix<double>(name) : Tessera::generate(name, 1);
}

}  // namespace Example
