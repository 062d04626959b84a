// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run.hpp"

#include <complex>
#include <stdexcept>

#include "Problem.hpp"

namespace Tessera::Driver {

Result run(const Settings& settings) {
  const bool single = settings.scalar == "float";
  if (is_complex(settings)) {
    if (!settings.compare.empty()) {
      throw std::invalid_argument("--compare " + settings.compare +
                                  ": compiled for real numbers only, but an input is complex");
    }
    return single ? run_as<std::complex<float>>(settings, "complex float")
                  : run_as<std::complex<double>>(settings, "complex double");
  }
  return single ? run_as<float>(settings, "float") : run_as<double>(settings, "double");
}

}  // namespace Tessera::Driver
