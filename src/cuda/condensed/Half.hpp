// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/Stream.hpp>

#include "Arguments.hpp"

namespace Tessera::Cuda {

/// condensed_spmm with a precision of 16 bits: arguments.x are the rows of round_rows, with their columns in order. In
/// a source of its own, for it takes long to compile.
template <class Offset, class MatrixScalar, class Scalar>
void launch_condensed_half(Stream stream, TileValues values, Precision precision,
                           const CondensedArguments<Offset, MatrixScalar, Scalar>& arguments);

}  // namespace Tessera::Cuda
