// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace Tessera::Impl::Driver {

namespace {
constexpr const char* erase_line = "\r\033[K";
}

Progress::Progress(std::string what)
    : on_terminal_(::isatty(STDERR_FILENO) == 1), what_(std::move(what)), shown_(std::chrono::steady_clock::now()) {
  if (on_terminal_) std::fprintf(stderr, "%s%s ...", erase_line, what_.c_str());
}

Progress::~Progress() {
  if (on_terminal_) std::fputs(erase_line, stderr);
}

void Progress::update(double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (!on_terminal_ || now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  std::fprintf(stderr, "%s%s ... %.0f %%", erase_line, what_.c_str(), 100 * fraction);
}

}  // namespace Tessera::Impl::Driver
