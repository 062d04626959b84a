// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <tessera/select/SetupSeconds.hpp>

namespace Tessera::Impl {

SetupSeconds set_up_seconds(const GpuModel&) {
  return {.analysis = {0.3e-3, 2.5e9}, .format = {0.4e-3, 10e9}, .order = {2e-3, 10e9}};
}

SetupSeconds set_up_seconds(const MachineModel& machine) {
  const double rate = machine.decoded_entries / 4;
  return {.analysis = {20e-6, rate}, .format = {20e-6, rate / 4}, .order = {20e-6, rate / 8}};
}

std::uint64_t product_that_pays(double cost, double saving) {
  constexpr double most = 1e15;  // larger numbers are not counted to
  if (!(saving > 0) || !(cost < most * saving)) return no_product;
  return 1 + static_cast<std::uint64_t>(std::ceil(cost / saving));
}

}  // namespace Tessera::Impl
