// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <cstddef>

#include "Application.hpp"

namespace APPLICATION {

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

/// Defined in Products.hpp, and instantiated in separate files.
template <class Scalar, class Offset, class Layout, bool is_blocked>
double multiply(const char mode[], int columns);

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"double, int, left", multiply_doubles},
      {"double, int, right", multiply<double, int, Right, false>},
      {"double, size_t, left", multiply<double, std::size_t, Left, false>},
      {"double, int, left, blocks", multiply<double, int, Left, true>},
      {"float, int, left", multiply<float, int, Left, false>},
      {"float, size_t, right, blocks", multiply<float, std::size_t, Right, true>},
      {"complex<double>, int, left", multiply<Kokkos::complex<double>, int, Left, false>},
      {"complex<float>, size_t, right", multiply<Kokkos::complex<float>, std::size_t, Right, false>},
  };
  return all;
}

}  // namespace APPLICATION
