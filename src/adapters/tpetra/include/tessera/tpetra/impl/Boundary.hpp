// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <utility>

namespace Tessera::Impl {

/// Calls a function for every element of a multivector, column after column.
template <class Exec, class Vectors>
auto each_element(const Exec& exec, const Vectors& vectors) {
  using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                       Kokkos::IndexType<std::size_t>>;
  return Policy(exec, {std::size_t(0), std::size_t(0)}, {vectors.extent(0), vectors.extent(1)});
}

/// Y(rows(i), :) += T(i, :)
template <class Exec, class Rows, class T, class Y>
void add_to_rows(const Exec& exec, const Rows& rows, const T& from, const Y& to) {
  Kokkos::parallel_for(
      "Tessera::add_to_rows", each_element(exec, from),
      KOKKOS_LAMBDA(std::size_t i, std::size_t j) { to(rows(i), j) += from(i, j); });
}

/// T(i, :) = X(rows(i), :)
template <class Exec, class Rows, class X, class T>
void take_rows(const Exec& exec, const Rows& rows, const X& from, const T& to) {
  Kokkos::parallel_for(
      "Tessera::take_rows", each_element(exec, to),
      KOKKOS_LAMBDA(std::size_t i, std::size_t j) { to(i, j) = from(rows(i), j); });
}

/// Scratch memory with one element for each boundary row and column. It never shrinks.
template <class Scalar, class Device>
class BoundaryVectors {
 public:
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device>;

  void reserve(int rows, std::size_t columns) {
    if (columns <= vectors_.extent(1)) return;
    vectors_ = {};  // freed before the larger one is allocated
    vectors_ = Vectors(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::boundary_vectors"), rows, columns);
  }

  auto first(std::size_t columns) const {
    return Kokkos::subview(vectors_, Kokkos::ALL, std::pair<std::size_t, std::size_t>(0, columns));
  }

 private:
  Vectors vectors_;
};

}  // namespace Tessera::Impl
