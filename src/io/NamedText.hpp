// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera::Impl {

/// The text of a file, with the file's name for messages.
struct NamedText {
  std::string_view whole;
  std::string name;

  /// Throws std::runtime_error("name:line: what") for a place in the text.
  [[noreturn]] void fail(const char* where, const std::string& what) const;

  /// Fails at the place of a matrix's size unless `bytes` bytes are available in addition to the text.
  void require_memory(const char* where, double bytes, const ReadOptions& options) const;
};

}  // namespace Tessera::Impl
