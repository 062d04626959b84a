// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <string>

namespace Tessera::Driver {

/// A line on standard error that tells what is going on, gone when the object is; nothing where that is no terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// \param fraction what is done, 0 to 1; shown at most ten times a second
  void update(double fraction);

 private:
  bool on_terminal_;
  std::string what_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace Tessera::Driver
