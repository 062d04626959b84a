// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The handler of warnings: messages to a program that are not errors.

#include <string_view>

namespace Tessera {

/// A function that takes a warning: a text of one line, without a line end. It may be called by several threads at the
/// same time, also within Kokkos::finalize(), and must not throw.
using WarningHandler = void (*)(std::string_view warning);

/// Passes all later warnings to a function; nullptr drops them. Before the first call, warnings are written to standard
/// error, or dropped if the environment variable TESSERA_WARNINGS is 0. Any thread may call this, also before
/// Kokkos::initialize().
///
/// \return the previous handler
WarningHandler set_warning_handler(WarningHandler handler) noexcept;

}  // namespace Tessera
