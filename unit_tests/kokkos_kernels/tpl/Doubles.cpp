// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Products.hpp"

namespace APPLICATION {

template double multiply<double, int, Right, false>(const char mode[], int columns);
template double multiply<double, std::size_t, Left, false>(const char mode[], int columns);

}  // namespace APPLICATION
