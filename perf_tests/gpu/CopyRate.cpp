// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CopyRate.hpp"

#include "Device.hpp"
#include "Timing.hpp"

namespace Tessera::Impl::Bench {

double copy_rate_gb_per_s() {
  constexpr std::size_t size = std::size_t{2} << 30;
  const DeviceArray<char> from(size), to(size);
  const Stream stream;
  check(cudaMemset(from.data(), 0x5a, size), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaMemset");
  const auto copy = [&] {
    check(cudaMemcpyAsync(to.data(), from.data(), size, cudaMemcpyDeviceToDevice, stream), "copy on the device");
  };
  return 2.0 * size / time_launches(copy, stream, TimingPolicy{}).median / 1e6;
}

}  // namespace Tessera::Impl::Bench
