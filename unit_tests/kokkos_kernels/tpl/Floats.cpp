// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Products.hpp"

namespace APPLICATION {

template double multiply<float, int, Left, false>(const char mode[], int columns);

}  // namespace APPLICATION
