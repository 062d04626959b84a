// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace Tessera::Impl {

/// Gives a warning, a text of one line, to the handler of <tessera/Warnings.hpp>: nothing else may print. Call it
/// without holding a lock, because the handler may use plans.
void warn(std::string_view text);

}  // namespace Tessera::Impl
