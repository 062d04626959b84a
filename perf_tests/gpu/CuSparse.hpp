// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Candidate.hpp"

namespace Tessera::Impl::Bench {

/// cuSPARSE's products of compressed rows, each algorithm with and without its preprocessing step: with multivectors
/// ("cusparse<alg2, preprocess>"), and for one column also with vectors ("cusparse<vector alg2, preprocess>"). The step
/// is part of the first run() for a stride. SpMVOp ("cusparse<vector op alg2>") has it always.
/// The first prepared candidate copies the matrix to the device. The other candidates share it if A has that address.
template <class Scalar>
Candidates<Scalar> make_cusparse_candidates();

}  // namespace Tessera::Impl::Bench
