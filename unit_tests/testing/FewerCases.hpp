// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <string_view>

namespace Tessera::Impl::Test {

/// Whether tests with many similar cases run fewer of them on a GPU: TESSERA_TEST_FEWER_CASES is 1. A case takes up to
/// a thousand times as long under compute-sanitizer.
inline bool runs_fewer_cases() {
  static const char* const value = std::getenv("TESSERA_TEST_FEWER_CASES");
  static const bool are_fewer = value != nullptr && std::string_view(value) == "1";
  return are_fewer;
}

}  // namespace Tessera::Impl::Test
