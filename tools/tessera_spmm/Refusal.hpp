// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string>

namespace Tessera::Driver {

/// Why a format cannot be had, on one line: its parameters do not fit, it takes more memory than allowed or than there
/// is. Throws on whatever is no such refusal, but a mistake.
///
/// \param error what building the format threw
std::string refusal_reason(const std::exception_ptr& error);

}  // namespace Tessera::Driver
