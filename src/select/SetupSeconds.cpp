// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <tessera/select/SetupSeconds.hpp>

namespace Tessera::Impl {

SetupSeconds set_up_seconds(const GpuModel&) { return {{1.3e-3, 6.5e9}, {0.6e-3, 4.5e9}, {3e-3, 0.8e9}}; }

SetupSeconds set_up_seconds(const MachineModel& machine) {
  const double rate = machine.decoded_entries / 4;
  return {{20e-6, rate}, {20e-6, rate / 2}, {20e-6, rate / 4}};
}

std::uint64_t product_that_pays(double cost, double saving) {
  constexpr double most = 1e15;  // larger numbers are not counted to
  if (!(saving > 0) || !(cost < most * saving)) return no_product;
  return 1 + static_cast<std::uint64_t>(std::ceil(cost / saving));
}

}  // namespace Tessera::Impl
