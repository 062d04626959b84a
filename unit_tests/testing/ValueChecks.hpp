// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/ValueCheck.hpp>

namespace Tessera::Impl::Test {

/// Switches checks of copied values on or off while the object lives. By default, only debug builds check.
class ValueChecks {
 public:
  explicit ValueChecks(bool wanted) : before_(checks_values()) { check_values(wanted); }
  ~ValueChecks() { check_values(before_); }
  ValueChecks(const ValueChecks&) = delete;
  ValueChecks& operator=(const ValueChecks&) = delete;

 private:
  bool before_;
};

}  // namespace Tessera::Impl::Test
