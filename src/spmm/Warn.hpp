// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace Tessera::Impl {

/// Passes a warning, a text of one line, to the handler of <tessera/Warnings.hpp>. Nothing else in the library prints.
/// Call it without holding a lock, because the handler may use plans.
void warn(std::string_view text);

}  // namespace Tessera::Impl
