// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Result.hpp"

namespace Tessera::Driver {

/// For a person: what was computed, a table with a row a format, and why the plan chose what it chose.
std::string report(const Result& result);

/// For a machine: the same and every sample, as JSON. tools/README.md documents the keys.
std::string report_json(const Result& result);

}  // namespace Tessera::Driver
