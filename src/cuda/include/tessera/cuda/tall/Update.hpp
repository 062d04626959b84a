// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/tall/Panel.hpp>

namespace Tessera::Impl::Cuda {

/// Upper bound on the elements of B in host memory.
inline constexpr int most_host_elements = 256;

/// Computes Y = alpha X B + beta Y with FP64 tensor cores (compute capability 8.0). float is converted as it is read,
/// and sums are rounded once. Y may be X. With beta = 0, Y is not read.
///
/// Cost: X is read, and Y written, once.
///
/// \param B           [in] row-major: element (i, j) is B[i * Y.columns + j]
/// \param is_on_host  [in] whether B is host memory, with at most most_host_elements elements, read before the
///                         call returns; otherwise it is memory that the GPU can read
/// \throws std::runtime_error if the launch fails
template <class Scalar>
void update(Stream stream, Scalar alpha, const TallPanel<const Scalar>& X, const Scalar* B, bool is_on_host,
            Scalar beta, const TallPanel<Scalar>& Y);

/// Whether the current GPU has the shared memory that update() needs.
bool can_update();

}  // namespace Tessera::Impl::Cuda
