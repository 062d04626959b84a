// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl::Bench {

/// Bytes read plus bytes written per second, in 1e9, by a copy of 2 GiB within the device.
double copy_rate_gb_per_s();

}  // namespace Tessera::Impl::Bench
