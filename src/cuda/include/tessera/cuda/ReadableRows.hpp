// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/common/Multivector.hpp>

namespace Tessera::Cuda {

/// Whether kernels find rows of X where they are: their columns are adjacent, and the bytes from a row to the next are
/// fewer than 2^32. Other X is packed.
template <class Scalar>
bool rows_are_readable(const Multivector<Scalar>& x) {
  constexpr auto most = static_cast<std::ptrdiff_t>(std::numeric_limits<std::uint32_t>::max() / sizeof(Scalar));
  return x.column_stride == 1 && x.row_stride >= 0 && x.row_stride <= most;
}

/// The same for kernels that read 16 bytes, or `bytes`, at a time: rows begin at multiples of them, too.
template <class Scalar>
bool rows_are_aligned(const Multivector<Scalar>& x, std::size_t bytes = 16) {
  return rows_are_readable(x) && reinterpret_cast<std::uintptr_t>(x.data) % bytes == 0 &&
         static_cast<std::size_t>(x.row_stride) * sizeof(Scalar) % bytes == 0;
}

/// The same for kernels that read 16 bytes at a time and nothing else: rows end at multiples of them, too.
template <class Scalar>
bool rows_are_whole(const Multivector<Scalar>& x) {
  return rows_are_aligned(x) && static_cast<std::size_t>(x.columns) * sizeof(Scalar) % 16 == 0;
}

}  // namespace Tessera::Cuda
