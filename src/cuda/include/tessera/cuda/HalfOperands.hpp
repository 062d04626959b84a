// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Format.hpp>
#include <tessera/common/Multivector.hpp>
#include <tessera/cuda/Stream.hpp>

namespace Tessera::Cuda {

/// Whether operands have 16 bits.
constexpr bool is_half(Precision precision) { return precision == Precision::Fp16 || precision == Precision::Bf16; }

/// The bits of values rounded to 16 bits, ties to even, in the same order: for products whose precision is Fp16 or
/// Bf16, once whenever values change.
///
/// values, to: device memory, `count` elements. FP16 has infinities for what is 65520 and more, and no bits below
/// 2^-24. Throws std::invalid_argument for another precision, std::runtime_error if the launch fails, std::length_error
/// for more than 2^39 values. Cost: reads the values and writes half as many bytes.
void round_values(Stream stream, Precision precision, std::size_t count, const float* values, std::uint16_t* to);

/// Elements from a row of round_rows to the next: a multiple of 16.
inline std::ptrdiff_t rounded_row_stride(Ordinal columns) { return (std::ptrdiff_t(columns) + 15) / 16 * 16; }

/// In which order rows in 16 bits have their columns.
enum class HalfOrder {
  Products,  ///< that in which products m16n8k16 want them as their right operand (fragments/Layout.hpp)
  Columns    ///< the same
};

/// Rows of X, of any strides, in 16 bits, with zeros up to rounded_row_stride(x.columns). Doubles are rounded to float
/// first.
///
/// to: x.rows * rounded_row_stride(x.columns) elements, aligned to 16 bytes. Throws std::invalid_argument for another
/// precision, std::length_error for more rows than a launch has threads for, std::runtime_error if the launch fails.
/// Cost: x is read once, and two bytes an element are written.
template <class Scalar>
void round_rows(Stream stream, Precision precision, HalfOrder order, const Multivector<const Scalar>& x,
                std::uint16_t* to);

}  // namespace Tessera::Cuda
