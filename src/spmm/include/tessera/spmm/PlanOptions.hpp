// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>
#include <tessera/common/FormatParameters.hpp>

namespace Tessera {

/// What to do about a request that the format, the device or the type cannot meet.
enum class OnUnsupported {
  Throw,    ///< std::invalid_argument that names the request and what would work
  FallBack  ///< do the nearest lossless thing; Plan::explain() tells
};

struct PlanOptions {
  int columns = 32;                         ///< hint: columns of X in a typical product; any number works
  Format format = Format::Automatic;        ///< Automatic predicts the fastest for `columns`
  FormatParameters parameters;              ///< of the format
  Precision precision = Precision::Native;  ///< arithmetic; see Precision
  OnUnsupported on_unsupported = OnUnsupported::Throw;
};

}  // namespace Tessera
