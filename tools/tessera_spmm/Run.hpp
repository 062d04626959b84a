// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Result.hpp"
#include "Settings.hpp"

namespace Tessera::Impl::Driver {

/// Makes the problem, measures and verifies its products, and writes the files of --write-y and --spy.
///
/// The type of the product and the backend are decided here. Kokkos must be initialised.
/// \throws std::runtime_error or std::invalid_argument that names the file or the option and the expectation
Result run(const Settings& settings);

/// Implements run() for a type: "double", "float", "complex double" or "complex float", each in a separate file.
template <class Scalar>
Result run_as(const Settings& settings, const char* scalar_name);

}  // namespace Tessera::Impl::Driver
