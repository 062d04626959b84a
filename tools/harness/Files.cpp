// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Files.hpp"

#include <zlib.h>

#include <memory>
#include <stdexcept>
#include <string_view>
#include <tessera/system/impl/OutputFile.hpp>

namespace Tessera::Impl::Harness {

void write_file(const std::string& path, const std::string& contents) {
  Impl::OutputFile file(path);
  file.write(contents);
  file.commit();
}

std::vector<std::string> lines_of(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<std::string> lines(1);
  char part[1 << 16];
  int bytes = 0;
  while ((bytes = gzread(file.get(), part, sizeof part)) > 0) {
    for (const char letter : std::string_view(part, static_cast<std::size_t>(bytes)))
      letter == '\n' ? void(lines.emplace_back()) : lines.back().push_back(letter);
  }
  if (bytes < 0) throw std::runtime_error(path + " is damaged");
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace Tessera::Impl::Harness
