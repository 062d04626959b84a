// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <string>

namespace Tessera::Impl::Driver {

/// A line on standard error that shows the current step, erased by the destructor. Shows nothing without a terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// \param fraction the completed share, 0 to 1; shown at most ten times per second
  void update(double fraction);

 private:
  bool on_terminal_;
  std::string what_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace Tessera::Impl::Driver
