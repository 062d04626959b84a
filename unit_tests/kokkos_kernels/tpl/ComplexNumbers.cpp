// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Products.hpp"

namespace APPLICATION {

template double multiply<Kokkos::complex<double>, int, Left, false>(const char mode[], int columns);
template double multiply<Kokkos::complex<float>, std::size_t, Right, false>(const char mode[], int columns);

}  // namespace APPLICATION
