// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <tessera/common/Mode.hpp>
#include <vector>

#include "DeviceData.hpp"

namespace Tessera::Driver {

using DefaultSpace = Kokkos::DefaultExecutionSpace;

/// What this build lacks to compare with cuSPARSE; empty if nothing.
std::string missing_cusparse();

/// Its version.
std::string cusparse_build();

/// Its algorithms for compressed rows: of SpMM or, for one column, of SpMV. SpMM of floats and one column,
/// preprocessed, reads outside its arrays on some matrices (12.6.3).
std::vector<std::string> cusparse_algorithms(std::size_t columns);

/// cuSPARSE's product by one of its algorithms, preprocessed, ready to be run again and again on the same data.
///
/// Compiled for float and double.
/// \throws std::invalid_argument in a build without cuSPARSE, and for what has no rows, columns or entries;
///         std::runtime_error naming what cuSPARSE refused; so does the product
template <class Value, class KokkosLayout>
std::function<void()> cusparse_product(const std::string& algorithm, const DefaultSpace& exec,
                                       const DeviceCsr<Value, int, DefaultSpace>& a, Mode mode, Value alpha,
                                       const DeviceDense<Value, KokkosLayout, DefaultSpace>& x, Value beta,
                                       const DeviceDense<Value, KokkosLayout, DefaultSpace>& y);

}  // namespace Tessera::Driver
