// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/Half.hpp>
#include <tessera/common/Multivector.hpp>
#include <tessera/cuda/Stream.hpp>
#include <type_traits>

namespace Tessera::Impl::Cuda {

/// Whether operands of this precision have 16 bits.
constexpr bool is_half(Precision precision) { return precision == Precision::Fp16 || precision == Precision::Bf16; }

/// Rounds values to 16 bits, ties to even, in the same order. Products in Fp16 and Bf16 need this whenever values
/// change.
///
/// values and to are device memory with `count` elements. In FP16, 65520 and more become infinite, and bits below 2^-24
/// are lost. Throws std::invalid_argument for another precision, std::runtime_error if the launch fails. `wanted` is
/// null or device memory: if it holds 0 when the kernel runs, nothing is done. Cost: reads the values and writes half
/// as many bytes.
void round_values(Stream stream, Precision precision, std::size_t count, const float* values, std::uint16_t* to,
                  const std::uint32_t* wanted = nullptr);

/// Whether elements of a type are operands of this precision without conversion.
template <class Scalar>
constexpr bool is_operand_of(Precision precision) {
  return (std::is_same_v<Scalar, Half> && precision == Precision::Fp16) ||
         (std::is_same_v<Scalar, BFloat16> && precision == Precision::Bf16);
}

/// Returns the row stride of round_rows() in elements, a multiple of 16.
inline std::ptrdiff_t rounded_row_stride(Ordinal columns) { return (std::ptrdiff_t(columns) + 15) / 16 * 16; }

/// The order of the columns in rows of 16-bit elements.
enum class HalfOrder {
  Products,  ///< the order of the right operand of m16n8k16 (fragments/Layout.hpp)
  Columns    ///< the order of the columns of X
};

/// Rounds rows of X, with any strides, to 16 bits, and fills them with zeros up to rounded_row_stride(x.columns).
/// Doubles are rounded to float first. A 16-bit X may be Half or BFloat16.
///
/// `to` has x.rows * rounded_row_stride(x.columns) elements and is aligned to 16 bytes. Throws std::invalid_argument
/// for another precision, std::length_error if there are more rows than a launch has threads, std::runtime_error if the
/// launch fails. Cost: reads x once and writes two bytes for each element.
template <class Scalar>
void round_rows(Stream stream, Precision precision, HalfOrder order, const Multivector<const Scalar>& x,
                std::uint16_t* to);

}  // namespace Tessera::Impl::Cuda
