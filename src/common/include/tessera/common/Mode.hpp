// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// Selects op(A) in Y = alpha op(A) X + beta Y.
enum class Mode {
  NoTranspose,        ///< op(A) = A
  Transpose,          ///< op(A) is the transpose of A
  Conjugate,          ///< op(A) is the complex conjugate of A
  ConjugateTranspose  ///< op(A) is the conjugate transpose of A
};

/// Whether op(A) has the shape of A's transpose.
TESSERA_FUNCTION constexpr bool is_transposed(Mode mode) {
  return mode == Mode::Transpose || mode == Mode::ConjugateTranspose;
}

/// Whether op(A) conjugates the values of A.
TESSERA_FUNCTION constexpr bool is_conjugated(Mode mode) {
  return mode == Mode::Conjugate || mode == Mode::ConjugateTranspose;
}

/// "N", "T", "C" or "H", the letters of KokkosSparse::spmv.
constexpr std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::NoTranspose:
      return "N";
    case Mode::Transpose:
      return "T";
    case Mode::Conjugate:
      return "C";
    case Mode::ConjugateTranspose:
      return "H";
  }
  return "?";
}

}  // namespace Tessera
