// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Settings.hpp"

namespace Tessera::Impl::Driver {

/// Checks that every requested output file can be written, and that it is neither an input nor another output. Leaves
/// no file behind. Without this check, a long computation might be in vain.
///
/// \throws std::invalid_argument naming option and file otherwise
void check_outputs(const Settings& settings);

}  // namespace Tessera::Impl::Driver
