// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/common/Reordering.hpp>

namespace Tessera {

/// What to do about a request that the matrix or the device cannot meet: a precision, or a format that takes more
/// memory than FormatParameters::memory_limit. What is wrong in itself, such as a parameter out of range, always
/// throws.
enum class OnUnsupported {
  Throw,    ///< std::invalid_argument that names the request and what would work
  FallBack  ///< native precision; Format::Csr, of A or its transpose or both. Plan::explain() tells
};

struct PlanOptions {
  int columns = 32;                   ///< hint: columns of X in a typical product; any number works
  Format format = Format::Automatic;  ///< Automatic predicts the fastest for `columns`
  FormatParameters parameters;        ///< of the format
  /// An order of rows to store the matrix in, which X and Y need not follow. Finding it takes as long as tens or
  /// hundreds of products; it is kept only if it is predicted to make them faster, and Plan::explain() tells.
  /// SortedColumns has an order of its own and ignores this.
  Reordering reordering = Reordering::None;
  bool always_reorder = false;              ///< keep the order whatever is predicted
  Precision precision = Precision::Native;  ///< arithmetic; see Precision
  OnUnsupported on_unsupported = OnUnsupported::Throw;
};

}  // namespace Tessera
