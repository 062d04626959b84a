// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>

namespace Tessera::Impl {

/// Calls a function for every element of a multivector in the order of its memory.
template <class Exec, class Vectors>
auto each_element(const Exec& exec, const Vectors& vectors) {
  constexpr auto order = std::is_same_v<typename Vectors::array_layout, Kokkos::LayoutRight> ? Kokkos::Iterate::Right
                                                                                             : Kokkos::Iterate::Left;
  using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, order, order>, Kokkos::IndexType<std::size_t>>;
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
template <class Scalar, class Device, class Layout>
class BoundaryVectors {
 public:
  using Vectors = Kokkos::View<Scalar**, Layout, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  void reserve(int rows, std::size_t columns) {
    const std::size_t size = static_cast<std::size_t>(rows) * columns;
    rows_ = rows;
    if (size <= memory_.extent(0)) return;
    memory_ = {};  // freed before the larger one is allocated
    memory_ = Kokkos::View<Scalar*, Device>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::boundary_vectors"), size);
  }

  Vectors first(std::size_t columns) const { return Vectors(memory_.data(), rows_, columns); }

 private:
  int rows_ = 0;
  Kokkos::View<Scalar*, Device> memory_;
};

}  // namespace Tessera::Impl
