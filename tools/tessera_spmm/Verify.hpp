// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <vector>

#include "Problem.hpp"

namespace Tessera::Impl::Driver {

/// Returns, for each of several results of one problem, the worst |y - reference| / bound (see ReferenceColumn) of its
/// entries: at most 1 if the result is right, infinite if an entry is NaN and its reference is not.
///
/// \param results    [in] results of the shape of problem.y, column-major
/// \param precisions [in] the precision of each result, which determines its bound
///
/// Cost: one pass over the matrix per column, in long double, columns in parallel.
template <class Scalar>
std::vector<double> worst_errors(const Problem<Scalar>& problem, Mode mode,
                                 const std::vector<HostDense<Scalar>>& results,
                                 const std::vector<Precision>& precisions,
                                 const std::function<void(double fraction)>& progress);

}  // namespace Tessera::Impl::Driver
