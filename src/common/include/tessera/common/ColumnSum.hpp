// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl {

/// The kind of sum that is computed for each column of a block X, or of two blocks X and Y.
enum class ColumnSum {
  Products,           ///< the sum of x_i y_i
  Magnitudes,         ///< the sum of |x_i|
  GreatestMagnitude,  ///< the greatest |x_i|, or NaN if there is one
};

}  // namespace Tessera::Impl
