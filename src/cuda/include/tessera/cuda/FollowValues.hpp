// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/GatherValue.hpp>
#include <tessera/common/WatchedArray.hpp>
#include <tessera/cuda/Stream.hpp>

/// Kernels that detect changes of values in place, and gather the values again. Nothing is copied back to the host.
namespace Tessera::Impl::Cuda {

/// Reads an array and sets state->has_changed to 1 if it differs from what the last call read, to 0 otherwise.
///
/// data is aligned to 4 bytes. data and state are device memory. Throws std::runtime_error if the launch fails. Cost:
/// one pass over the array, in one launch.
void look_at_values(Stream stream, const void* data, std::size_t bytes, Impl::WatchedArray* state);

/// Calls gather(i) for all i < size if *wanted is not 0 when the kernel runs. Compiled for the scalars of matrices.
///
/// All pointers are device memory. Throws std::runtime_error if the launch fails. Cost: one pass over the values and
/// maps, or just a launch.
template <class Scalar>
void gather_wanted_values(Stream stream, const Impl::GatherValue<Scalar>& gather, std::size_t size,
                          const std::uint32_t* wanted);

}  // namespace Tessera::Impl::Cuda
