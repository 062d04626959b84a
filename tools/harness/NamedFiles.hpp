// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace Tessera::Impl::Harness {

/// A file, and the option that names it. An empty path means no file.
struct NamedFile {
  std::string option;
  std::string path;
};

/// Refuses to write one file twice, or to overwrite an input. Compares files, not names: links of any kind are
/// followed. An input "-" is standard input, or the file that is redirected to it; an output "-" is rejected.
///
/// \throws std::invalid_argument that names both options and the output
void check_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

}  // namespace Tessera::Impl::Harness
