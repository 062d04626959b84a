// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the command line of tessera_spmm: each line of the input is a word.
#include <Options.hpp>
#include <Outputs.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "FuzzCheck.hpp"

namespace Tessera::Impl::Driver {

// Replaces the program's function: words of a fuzzer must not name files that are written.
void check_outputs(const Settings&) {}
std::string missing_peer(const std::string&) { return ""; }

}  // namespace Tessera::Impl::Driver

namespace {

using Tessera::Impl::Driver::Settings;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    lines.emplace_back(line.substr(0, line.find('\0')));
  }
  return lines;
}

bool is_in(int number, int least, int most) { return number == 0 || (number >= least && number <= most); }

/// Checks the properties that the program relies on.
void check(const Settings& s) {
  require(!s.columns || *s.columns >= 0, "columns are not negative");
  require(s.format == "all" || s.format == "auto" || Tessera::enum_named<Tessera::Format>(s.format), "a format");
  require(s.scalar == "double" || s.scalar == "float", "a scalar");
  require(!s.backend.empty(), "a backend");
  for (const double part : {s.alpha.real(), s.alpha.imag(), s.beta.real(), s.beta.imag()})
    require(std::isfinite(part), "alpha and beta are finite");
  require(!s.memory_limit || (*s.memory_limit >= 0 && *s.memory_limit <= 1e9), "a memory limit");
  require(s.matrix_file.empty() || s.generator == "elasticity", "a file or a generator");
  const Tessera::FormatParameters& p = s.parameters;
  require(is_in(p.brp_nonzeros_per_column, 1, 16) && is_in(p.brp_tiles_per_group, 1, 64) &&
              is_in(p.bcsr_block_rows, 1, 64) && is_in(p.bcsr_block_columns, 1, 64) &&
              (p.bcsr_block_rows == 0) == (p.bcsr_block_columns == 0) && is_in(p.sorted_columns_width, 1, 1024) &&
              p.sorted_columns_height >= 0 && p.staged_chunk_values >= 0 && p.staged_piece_chunks >= 0 &&
              is_in(p.group_rows, 1, 4),
          "parameters are in range");
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::cout.setstate(std::ios::failbit);  // --help is long
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> words = lines_of({reinterpret_cast<const char*>(data), size});
  std::vector<const char*> arguments{"tessera_spmm"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  try {
    const auto settings = Tessera::Impl::Driver::parse_options(static_cast<int>(arguments.size()), arguments.data());
    if (settings) check(*settings);
  } catch (const std::invalid_argument& rejection) {
    require(rejection.what()[0] != '\0', "a rejection has a message");
  }
  return 0;
}
