// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run.hpp"

#include <complex>
#include <stdexcept>
#include <string>
#include <tessera/spmm/impl/KernelTypes.hpp>

#include "Problem.hpp"

namespace Tessera::Impl::Driver {

namespace {

template <class Scalar>
Result run_if_compiled(const Settings& settings, const char* scalar_name) {
  if constexpr (is_compiled_v<Impl::kernel_scalar_t<Scalar>>) {
    return run_as<Scalar>(settings, scalar_name);
  } else {
    throw std::invalid_argument(std::string("--scalar: this program was configured without ") + scalar_name +
                                " (TESSERA_SCALARS)");
  }
}

}  // namespace

Result run(const Settings& settings) {
  const bool single = settings.scalar == "float";
  if (is_complex(settings)) {
    if (!settings.compare.empty()) {
      throw std::invalid_argument("--compare " + settings.compare +
                                  ": compiled for real numbers only, but an input is complex");
    }
    return single ? run_if_compiled<std::complex<float>>(settings, "complex float")
                  : run_if_compiled<std::complex<double>>(settings, "complex double");
  }
  return single ? run_if_compiled<float>(settings, "float") : run_if_compiled<double>(settings, "double");
}

}  // namespace Tessera::Impl::Driver
