// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace Tessera::Impl::Harness {

/// Writes a whole file or, on failure, no file. \throws std::runtime_error naming the file
void write_file(const std::string& path, const std::string& contents);

/// Returns the lines of a text file, plain or gzip. \throws std::runtime_error naming a file that cannot be read
std::vector<std::string> lines_of(const std::string& path);

}  // namespace Tessera::Impl::Harness
