// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace Tessera::Impl {

/// Passes a warning, a text of one line, to the handler of <tessera/Warnings.hpp>. The library prints nothing else. Do
/// not hold a lock during the call, because the handler may use plans.
void warn(std::string_view text);

}  // namespace Tessera::Impl
