// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <tessera/Format.hpp>
#include <tessera/Mode.hpp>

namespace Tessera::Impl::Driver {

/// The kernels that multiply a plan's matrix.
struct Kernels {
  std::string name;
  Precision precision = Precision::Native;  ///< at least as accurate as the requested precision
};

/// \param stats [in] Plan::stats(); for modes T and H, of a plan that has its transpose
Kernels kernels_of(const std::string& stats, Mode mode);

}  // namespace Tessera::Impl::Driver
