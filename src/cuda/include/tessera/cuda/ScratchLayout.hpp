// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/Half.hpp>
#include <tessera/common/Multivector.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <tessera/cuda/ReadableRows.hpp>

namespace Tessera::Impl::Cuda {

/// Returns the row stride of scratch memory in elements: columns, rounded up to a multiple of 4, or 8 for 16 bits.
///
/// \tparam Scalar  the type of X
template <class Scalar>
std::ptrdiff_t padded(Ordinal columns) {
  constexpr std::ptrdiff_t vector = is_half_v<Scalar> ? 8 : 4;
  return (columns + vector - 1) / vector * vector;
}

/// The scratch memory of a product: partial sums, then the copy of X, if there is one. Both parts begin at multiples of
/// 256 bytes.
struct ScratchLayout {
  std::size_t packed = 0;  ///< where the copy of X begins, in bytes
  std::size_t bytes = 0;   ///< bytes of both parts

  /// Makes the layout for parts of these sizes.
  ScratchLayout(std::size_t partial_bytes, std::size_t packed_bytes)
      : packed(rounded(partial_bytes)), bytes(packed + rounded(packed_bytes)) {}

 private:
  static std::size_t rounded(std::size_t size) { return (size + 255) / 256 * 256; }
};

/// Returns the scratch memory of a product of windows: the sums of all pieces of the schedule, and a copy of X unless
/// the kernel reads X in place. With a 16-bit precision, the copy has rounded_row_stride().
template <class Schedule, class Scalar>
ScratchLayout window_scratch(const Schedule& schedule, Ordinal window_rows, const Multivector<const Scalar>& x,
                             XAccess access, Precision precision = Precision::Native) {
  const auto rows = static_cast<std::size_t>(x.rows), row = static_cast<std::size_t>(padded<Scalar>(x.columns));
  const std::size_t copied = is_half(precision)
                                 ? static_cast<std::size_t>(rounded_row_stride(x.columns)) * sizeof(std::uint16_t)
                                 : row * sizeof(Scalar);
  const std::size_t packed = is_read_in_place(x, access) ? 0 : rows * copied;
  return {std::size_t(schedule.slot_count) * std::size_t(window_rows) * row * sizeof(sum_of_t<Scalar>), packed};
}

}  // namespace Tessera::Impl::Cuda
