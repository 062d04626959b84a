// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/io/MatrixMarket.hpp>

#include "NamedText.hpp"

namespace Tessera::Impl {

/// The parts of a Matrix Market text: the data of its header, and the lines of entries.
struct MatrixMarketText : NamedText {
  MatrixMarketHeader header;
  std::string_view size_line;  ///< the size line and all text after it
  std::string_view body;       ///< the lines of entries
};

/// Returns whether a text begins with "%%MatrixMarket" in any letter case, as a Matrix Market file must.
bool has_matrix_market_banner(std::string_view text);

/// Parses the header. Throws like parse_matrix_market_header().
MatrixMarketText split_matrix_market(std::string_view text, const std::string& name);

/// Throws if the header announces more entries than fit in the body.
void check_entries_fit(const MatrixMarketText& text);

}  // namespace Tessera::Impl
