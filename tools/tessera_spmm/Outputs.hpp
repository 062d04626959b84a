// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Settings.hpp"

namespace Tessera::Driver {

/// Makes sure that every output file that was asked for can be written, each to a place of its own, where nothing is
/// read, and leaves nothing behind: a long computation should not be done in vain.
///
/// \throws std::invalid_argument naming option and file if not
void check_outputs(const Settings& settings);

}  // namespace Tessera::Driver
