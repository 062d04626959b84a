// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/EnumNames.hpp>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// Selects op(A) in Y = alpha op(A) X + beta Y.
enum class Mode {
  NoTranspose,        ///< op(A) = A
  Transpose,          ///< op(A) is the transpose of A
  Conjugate,          ///< op(A) is the complex conjugate of A
  ConjugateTranspose  ///< op(A) is the conjugate transpose of A
};

/// The names of the modes, which are the letters of KokkosSparse::spmv.
template <>
inline constexpr std::array<std::string_view, 4> Impl::enum_names<Mode> = {"N", "T", "C", "H"};
static_assert(to_string(Mode::ConjugateTranspose) == "H");

namespace Impl {

/// Returns whether op(A) has the shape of the transpose of A.
TESSERA_FUNCTION constexpr bool is_transposed(Mode mode) {
  return mode == Mode::Transpose || mode == Mode::ConjugateTranspose;
}

/// Returns whether op(A) conjugates the values of A.
TESSERA_FUNCTION constexpr bool is_conjugated(Mode mode) {
  return mode == Mode::Conjugate || mode == Mode::ConjugateTranspose;
}

}  // namespace Impl

}  // namespace Tessera
