// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <vector>

#include "Device.hpp"

namespace Tessera::Impl {

/// Returns the requested precision. If there are no kernels for it and the options allow a fall-back, returns Native.
///
/// \param who   [in] the beginning of error messages
/// \param notes [in,out] gets a note about a fall-back
/// \throws std::invalid_argument if the options allow no fall-back
template <class Scalar, class ExecutionSpace>
Precision available_precision(const ExecutionSpace& exec, const PlanOptions& options, const std::string& who,
                              std::vector<std::string>& notes) {
  using ThisDevice = Device<Scalar, ExecutionSpace>;
  if (ThisDevice::has(exec, options.precision)) return options.precision;
  const std::string name(to_string(options.precision));
  if (options.on_unsupported == OnUnsupported::Throw) {
    std::string expected;
    for (const Precision precision : every_precision)
      if (ThisDevice::has(exec, precision)) expected += std::string(to_string(precision)) + ", ";
    throw std::invalid_argument(who + ": precision " + name +
                                " is not available for this type of matrix on this execution space; expected " +
                                expected + "or on_unsupported = FallBack");
  }
  notes.push_back("precision " + name + " was asked for and is not available here: native is used");
  return Precision::Native;
}

}  // namespace Tessera::Impl
