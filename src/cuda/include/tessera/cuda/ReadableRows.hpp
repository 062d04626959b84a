// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/common/Multivector.hpp>

namespace Tessera::Impl::Cuda {

/// Upper bound on the columns of X for products on tensor cores. Products with more throw std::length_error. This
/// number times the rows of a window, or times the bytes of an element, fits in 32 bits.
inline constexpr Ordinal most_launch_columns = 1 << 24;

/// Whether kernels can read rows of X in place: columns are adjacent, and the row stride is less than 2^32 bytes. Any
/// other X is packed.
template <class Scalar>
bool rows_are_readable(const Multivector<Scalar>& x) {
  constexpr auto most = static_cast<std::ptrdiff_t>(std::numeric_limits<std::uint32_t>::max() / sizeof(Scalar));
  return x.column_stride == 1 && x.row_stride >= 0 && x.row_stride <= most;
}

/// Whether kernels can read 16 bytes, or `bytes`, at a time: rows must also begin at multiples of that number.
template <class Scalar>
bool rows_are_aligned(const Multivector<Scalar>& x, std::size_t bytes = 16) {
  return rows_are_readable(x) && reinterpret_cast<std::uintptr_t>(x.data) % bytes == 0 &&
         static_cast<std::size_t>(x.row_stride) * sizeof(Scalar) % bytes == 0;
}

/// Whether kernels that always read 16 bytes at a time can do so: rows must also end at multiples of 16 bytes.
template <class Scalar>
bool rows_are_whole(const Multivector<Scalar>& x) {
  return rows_are_aligned(x) && static_cast<std::size_t>(x.columns) * sizeof(Scalar) % 16 == 0;
}

/// Which X a kernel reads in place. Any other X is first copied to scratch memory.
enum class XAccess {
  Rows,          ///< X with rows_are_readable()
  Vectors,       ///< X with rows_are_aligned()
  WholeVectors,  ///< X with rows_are_whole()
  Copies         ///< none: the kernel copies every X
};

/// Whether a kernel with this access reads X in place.
template <class Scalar>
bool is_read_in_place(const Multivector<Scalar>& x, XAccess access) {
  switch (access) {
    case XAccess::Rows:
      return rows_are_readable(x);
    case XAccess::Vectors:
      return rows_are_aligned(x);
    case XAccess::WholeVectors:
      return rows_are_whole(x);
    case XAccess::Copies:
      break;
  }
  return false;
}

}  // namespace Tessera::Impl::Cuda
