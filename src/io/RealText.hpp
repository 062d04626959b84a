// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace Tessera::Impl {

enum class RealStatus { Fine, NoNumber, TooLarge };

/// Converts a whole text such as "-1.5e3", "inf" or "nan", without a leading '+'. A number too small for Real becomes
/// zero.
template <class Real>
RealStatus convert_real(std::string_view text, Real& value);

extern template RealStatus convert_real(std::string_view, float&);
extern template RealStatus convert_real(std::string_view, double&);

}  // namespace Tessera::Impl
