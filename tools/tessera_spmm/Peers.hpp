// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <harness/DeviceData.hpp>
#include <harness/KokkosKernels.hpp>
#include <string>
#include <tessera/Mode.hpp>
#include <vector>

#include "Settings.hpp"

/// The libraries that --compare supports: "kokkoskernels" and "cusparse".
namespace Tessera::Impl::Driver {

using namespace Harness;

/// Returns what this build lacks to compare with a library; empty if it lacks nothing.
std::string missing_peer(const std::string& library);

/// Returns the library's version, and other facts about its build that affect its speed.
std::string peer_build(const std::string& library);

/// Returns the rows that --compare adds: one for each algorithm of the library; none without a library.
std::vector<std::string> peer_names(const std::string& library, std::size_t columns);

/// Returns the product of a row of peer_names(), which can be run repeatedly on the same data. For float and double.
///
/// \throws std::invalid_argument for problems that the library does not support; std::runtime_error naming the rejected
///         call of cuSPARSE; the product throws the same
template <class Value, class KokkosLayout>
std::function<void()> peer_product(const std::string& name, const DefaultSpace& exec,
                                   const DeviceCsr<Value, int, DefaultSpace>& a, Mode mode, Value alpha,
                                   const DeviceDense<Value, KokkosLayout, DefaultSpace>& x, Value beta,
                                   const DeviceDense<Value, KokkosLayout, DefaultSpace>& y);

}  // namespace Tessera::Impl::Driver
