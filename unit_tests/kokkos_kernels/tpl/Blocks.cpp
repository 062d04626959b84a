// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Products.hpp"

namespace APPLICATION {

template double multiply<double, int, Left, true>(const char mode[], int columns);
template double multiply<float, std::size_t, Right, true>(const char mode[], int columns);

}  // namespace APPLICATION
