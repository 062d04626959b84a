// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace Tessera {

/// How a plan stores the matrix.
enum class Format {
  Automatic,          ///< the plan chooses; Plan::explain() says why
  Csr,                ///< compressed rows, columns ascending
  BitTcf,             ///< 8x8 tiles of condensed columns with a 64-bit mask each (Acc-SpMM, section 3.3)
  Bmat,               ///< 16x8 tiles of condensed columns with four 32-bit words each (Voltrix-SpMM, section 3.1.1)
  BlockRowPartition,  ///< groups of 16x8 tiles with equally many entries, and residual rows (BRP-SpMM, section IV)
  Bcsr,               ///< compressed rows of dense blocks, with a mask each (SMaT, section IV.B)
  SortedColumns       ///< blocks of columns with equally many entries, and a rest (Swift, section IV)
};

/// All formats, without Automatic.
inline constexpr Format every_format[] = {Format::Csr,  Format::BitTcf,       Format::Bmat, Format::BlockRowPartition,
                                          Format::Bcsr, Format::SortedColumns};

/// The name of a format, as programs take it: "csr", ...
constexpr std::string_view to_string(Format format) {
  switch (format) {
    case Format::Automatic:
      return "automatic";
    case Format::Csr:
      return "csr";
    case Format::BitTcf:
      return "bittcf";
    case Format::Bmat:
      return "bmat";
    case Format::BlockRowPartition:
      return "brp";
    case Format::Bcsr:
      return "bcsr";
    case Format::SortedColumns:
      return "sorted_columns";
  }
  return "?";
}

/// The arithmetic of a product. Only Native loses nothing; users ask for the others by PlanOptions::precision.
enum class Precision {
  Native,  ///< the wider of the types of A and X, for operands and sums
  Single,  ///< binary32 products and sums
  Tf32x3,  ///< tensor cores, binary32 accuracy from three TF32 products
  Tf32,    ///< tensor cores, operands rounded to TF32 (10 bits), binary32 sums
  Bf16,    ///< tensor cores, operands rounded to bfloat16 (7 bits), binary32 sums
  Fp16     ///< tensor cores, operands rounded to binary16 (10 bits), binary32 sums
};

/// The name of a precision, as programs take it: "native", ...
constexpr std::string_view to_string(Precision precision) {
  switch (precision) {
    case Precision::Native:
      return "native";
    case Precision::Single:
      return "single";
    case Precision::Tf32x3:
      return "tf32x3";
    case Precision::Tf32:
      return "tf32";
    case Precision::Bf16:
      return "bf16";
    case Precision::Fp16:
      return "fp16";
  }
  return "?";
}

}  // namespace Tessera
