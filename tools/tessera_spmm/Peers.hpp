// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <harness/DeviceData.hpp>
#include <harness/KokkosKernels.hpp>
#include <string>
#include <tessera/common/Mode.hpp>
#include <vector>

#include "Settings.hpp"

/// The libraries that --compare knows: "kokkoskernels" and "cusparse".
namespace Tessera::Driver {

using namespace Harness;

/// What this build lacks to compare with a library; empty if nothing.
std::string missing_peer(const std::string& library);

/// Its version, and what else its speed depends on.
std::string peer_build(const std::string& library);

/// The rows that --compare adds: one for each algorithm of the library; none without a library.
std::vector<std::string> peer_names(const std::string& library, std::size_t columns);

/// The product of such a row, ready to be run again and again on the same data. Compiled for float and double.
///
/// \throws std::invalid_argument for what the library does not take; std::runtime_error naming what cuSPARSE refused;
///         so does the product
template <class Value, class KokkosLayout>
std::function<void()> peer_product(const std::string& name, const DefaultSpace& exec,
                                   const DeviceCsr<Value, int, DefaultSpace>& a, Mode mode, Value alpha,
                                   const DeviceDense<Value, KokkosLayout, DefaultSpace>& x, Value beta,
                                   const DeviceDense<Value, KokkosLayout, DefaultSpace>& y);

}  // namespace Tessera::Driver
