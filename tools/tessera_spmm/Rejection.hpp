// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string>

namespace Tessera::Impl::Driver {

/// Returns one line with the reason why a format was rejected: its parameters do not fit, or it needs more memory than
/// allowed or available. Rethrows other errors, which are bugs.
///
/// \param error the exception of building the format
std::string rejection_reason(const std::exception_ptr& error);

}  // namespace Tessera::Impl::Driver
