// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Result.hpp"

namespace Tessera::Driver {

/// A text for people: what was computed, a table with a row a format, and why the plan chose what it chose.
std::string report(const Result& result);

/// JSON for programs: the same and every sample. tools/README.md documents the keys.
std::string report_json(const Result& result);

}  // namespace Tessera::Driver
