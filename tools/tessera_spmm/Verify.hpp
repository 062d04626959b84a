// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <vector>

#include "Problem.hpp"

namespace Tessera::Driver {

/// The worst |y - reference| / bound (see ReferenceColumn) of each of several results of one problem, over all entries:
/// at most 1 if it is right, infinite where an entry is NaN that must not be.
///
/// \param results    [in] of the shape of problem.y, column-major
/// \param precisions [in] in which each of them was computed, whose bound is taken
///
/// Cost: one pass over the matrix a column, in long double, columns in parallel.
template <class Scalar>
std::vector<double> worst_errors(const Problem<Scalar>& problem, Mode mode,
                                 const std::vector<HostDense<Scalar>>& results,
                                 const std::vector<Precision>& precisions,
                                 const std::function<void(double fraction)>& progress);

}  // namespace Tessera::Driver
