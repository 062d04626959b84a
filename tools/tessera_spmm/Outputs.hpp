// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Settings.hpp"

namespace Tessera::Impl::Driver {

/// Checks that every requested output file can be written, to a separate place that is no input, and leaves nothing
/// behind: a long computation should not be done in vain.
///
/// \throws std::invalid_argument naming option and file if not
void check_outputs(const Settings& settings);

}  // namespace Tessera::Impl::Driver
