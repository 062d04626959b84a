// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tessera/Warnings.hpp>

#include "Warn.hpp"

namespace Tessera {

namespace {

/// Prints with one call, so lines of different threads do not mix.
void print_warning(std::string_view warning) {
  const std::string line = "Tessera: " + std::string(warning) + "\n";
  std::fputs(line.c_str(), stderr);
}

std::atomic<WarningHandler>& current_handler() {
  static std::atomic<WarningHandler> handler = [] {
    const char* wish = std::getenv("TESSERA_WARNINGS");
    return wish != nullptr && std::string_view(wish) == "0" ? nullptr : &print_warning;
  }();
  return handler;
}

}  // namespace

WarningHandler set_warning_handler(WarningHandler handler) noexcept { return current_handler().exchange(handler); }

void Impl::warn(std::string_view text) {
  if (const WarningHandler handler = current_handler()) handler(text);
}

}  // namespace Tessera
