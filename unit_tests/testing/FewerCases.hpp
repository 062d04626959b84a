// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>

namespace Tessera::Test {

/// Whether tests with many similar cases run fewer of them on a GPU: TESSERA_TEST_FEWER_CASES is set. Under
/// compute-sanitizer a case takes up to a thousand times as long.
inline bool runs_fewer_cases() {
  static const bool are_fewer = std::getenv("TESSERA_TEST_FEWER_CASES") != nullptr;
  return are_fewer;
}

}  // namespace Tessera::Test
