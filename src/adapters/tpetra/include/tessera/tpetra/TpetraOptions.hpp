// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/spmm/PlanOptions.hpp>

namespace Tessera {

/// When the ranks of a TpetraOperator or CrsMatrix agree on whether one of them has failed.
enum class Agreement {
  /// In every apply(): an error on any rank throws on all. Costs one MPI_Allreduce of an int.
  EveryApply,
  /// Only when a mode gets more columns than before, the first apply() among them. An error on some ranks alone may
  /// otherwise leave the others waiting, as with Tpetra::CrsMatrix: wrong arguments, or a lack of memory to copy an X
  /// that is Y or to make plans for a new pattern.
  WhenGrowing
};

/// How a TpetraOperator or CrsMatrix multiplies.
struct TpetraOptions {
  PlanOptions plan = {};  ///< options of each plan of this rank; its layout_left and follows_values are set here
  Agreement agreement = Agreement::WhenGrowing;  ///< when the ranks agree on errors; the same on all of them
  /// Whether apply() trusts that it is told of new values, by TpetraOperator::update() or CrsMatrix::values_changed().
  /// Otherwise it looks at the values each time. The same on all ranks.
  bool trusts_values = false;
};

}  // namespace Tessera
