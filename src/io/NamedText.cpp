// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NamedText.hpp"

#include <algorithm>
#include <stdexcept>
#include <tessera/system/impl/Memory.hpp>

namespace Tessera::Impl {

void NamedText::fail(const char* where, const std::string& what) const {
  const auto line = 1 + std::count(whole.data(), where, '\n');
  throw std::runtime_error(name + ":" + std::to_string(line) + ": " + what);
}

void NamedText::require_memory(const char* where, double bytes, const ReadOptions& options) const {
  std::size_t left = 0;  // 0: only the memory of the machine is a limit
  if (options.memory_limit != 0) {
    left = std::max<std::size_t>(1, options.memory_limit - std::min(options.memory_limit, whole.size()));
  }
  try {
    Impl::require_memory(bytes, left, "a matrix of the size on this line");
  } catch (const std::runtime_error& error) {
    fail(where, error.what());
  }
}

}  // namespace Tessera::Impl
