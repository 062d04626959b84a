// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/EnumNames.hpp>

namespace Tessera {

/// The way in which a plan stores the matrix.
enum class Format {
  Auto,           ///< the plan chooses; Plan::explain() says why
  Csr,            ///< compressed rows, columns ascending
  BitTcf,         ///< 8x8 tiles of condensed columns with a 64-bit mask each (Acc-SpMM, section 3.3)
  Bmat,           ///< 16x8 tiles of condensed columns with two 64-bit masks each (Voltrix-SpMM, section 3.1.1)
  Brp,            ///< groups of 16x8 tiles with equally many entries, and residual rows (BRP-SpMM, section IV)
  Bcsr,           ///< compressed rows of dense blocks, with a mask each (SMaT, section IV.B)
  SortedColumns,  ///< blocks of columns with equally many entries, and irregular columns (Swift, section IV)
  Staged,         ///< 8x8 tiles in windows of 64 rows; a window gathers each row of X that it needs once
  RowGroups,      ///< compressed rows in groups of up to four adjacent rows, which share their columns
  CompactRows     ///< compressed rows with columns in 16 bits
};

/// The names of the formats, as programs read and print them.
template <>
inline constexpr std::array<std::string_view, 10> Impl::enum_names<Format> = {
    "auto", "csr", "bittcf", "bmat", "brp", "bcsr", "sorted_columns", "staged", "row_groups", "compact_rows"};
static_assert(to_string(Format::CompactRows) == "compact_rows");

/// The arithmetic of a product. Only Native loses no accuracy; users select the others with PlanOptions::precision.
enum class Precision {
  Native,  ///< the wider one of the types of A and X, for operands and sums
  Tf32x3,  ///< tensor cores, accuracy of binary32 from three TF32 products
  Tf32,    ///< tensor cores, operands rounded to TF32 (10 bits), binary32 sums
  Bf16,    ///< tensor cores, operands rounded to bfloat16 (7 bits), binary32 sums
  Fp16     ///< tensor cores, operands rounded to binary16 (10 bits), binary32 sums
};

/// The names of the precisions, as programs read and print them.
template <>
inline constexpr std::array<std::string_view, 5> Impl::enum_names<Precision> = {"native", "tf32x3", "tf32", "bf16",
                                                                                "fp16"};
static_assert(to_string(Precision::Fp16) == "fp16");

namespace Impl {

/// All formats, without Auto.
inline constexpr auto every_format = enumerators<Format, 1>();

/// All precisions.
inline constexpr auto every_precision = enumerators<Precision>();

}  // namespace Impl

}  // namespace Tessera
