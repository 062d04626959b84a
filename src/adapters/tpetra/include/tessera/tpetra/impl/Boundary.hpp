// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>

namespace Tessera::Impl {

/// Calls element(i, j) for `width` elements of an array, in the order of memory. The inner index is the fastest: j if
/// by_rows, otherwise i.
template <bool by_rows, class Element>
struct ElementsInOrder {
  Element element;
  std::size_t inner_extent, size, width;

  KOKKOS_FUNCTION void operator()(std::size_t part) const {
    std::size_t k = part * width;
    const std::size_t end = k + width < size ? k + width : size;
    std::size_t outer = k / inner_extent, inner = k % inner_extent;
    for (; k < end; ++outer, inner = 0) {
      const std::size_t run = end - k < inner_extent - inner ? end - k : inner_extent - inner;
      for (std::size_t i = 0; i < run; ++i) {
        by_rows ? element(outer, inner + i) : element(inner + i, outer);
      }
      k += run;
    }
  }
};

/// Calls element(i, j) for each element of `array`, in the order of memory. On devices a thread has one element; on
/// hosts it has runs of elements.
template <class Exec, class Array, class Element>
void for_each_element(const char* name, const Exec& exec, const Array& array, const Element& element) {
  constexpr bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  constexpr std::size_t width = is_host ? 512 : 1;
  constexpr bool by_rows = std::is_same_v<typename Array::array_layout, Kokkos::LayoutRight>;
  if (array.size() == 0) return;
  Kokkos::parallel_for(
      name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, (array.size() + width - 1) / width),
      ElementsInOrder<by_rows, Element>{element, array.extent(by_rows ? 1 : 0), array.size(), width});
}

template <class Rows, class T, class Y>
struct AddToRow {
  Rows rows;
  T from;
  Y to;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t j) const { to(rows(i), j) += from(i, j); }
};

template <class Rows, class X, class T>
struct GatherRow {
  Rows rows;
  X from;
  T to;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t j) const { to(i, j) = from(rows(i), j); }
};

template <class X, class T>
struct CopyRow {
  X from;
  std::size_t first;
  T to;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t j) const { to(i, j) = from(first + i, j); }
};

template <class T, class S, class Y>
struct AddScaled {
  T from;
  S beta;
  Y to;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t j) const {
    to(i, j) = beta == S(0) ? from(i, j) : from(i, j) + beta * to(i, j);
  }
};

/// Computes T = X(first : first + rows of T, :), in the memory order of T.
template <class Exec, class X, class T>
void copy_rows(const Exec& exec, const X& from, std::size_t first, const T& to) {
  using Column = Kokkos::View<typename T::value_type**, Kokkos::LayoutLeft, typename T::device_type,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  if (to.extent(1) == 1 && to.span_is_contiguous()) {  // without this case, each row of one element would be a loop
    const Column column(to.data(), to.extent(0), 1);
    for_each_element("Tessera::copy_rows", exec, column, CopyRow<X, Column>{from, first, column});
  } else {
    for_each_element("Tessera::copy_rows", exec, to, CopyRow<X, T>{from, first, to});
  }
}

/// Computes Y = T(0 : rows of Y, :) + beta Y, in the memory order of Y. If beta is 0, Y may hold anything.
template <class Exec, class T, class S, class Y>
void add_scaled(const Exec& exec, const T& from, S beta, const Y& to) {
  for_each_element("Tessera::add_scaled", exec, to, AddScaled<T, S, Y>{from, beta, to});
}

/// Computes Y(rows(i), :) += T(i, :), in the memory order of T.
template <class Exec, class Rows, class T, class Y>
void add_to_rows(const Exec& exec, const Rows& rows, const T& from, const Y& to) {
  for_each_element("Tessera::add_to_rows", exec, from, AddToRow<Rows, T, Y>{rows, from, to});
}

/// Computes T(i, :) = X(rows(i), :), in the memory order of T.
template <class Exec, class Rows, class X, class T>
void gather_rows(const Exec& exec, const Rows& rows, const X& from, const T& to) {
  for_each_element("Tessera::gather_rows", exec, to, GatherRow<Rows, X, T>{rows, from, to});
}

/// Scratch memory for a few rows of X or Y. It never shrinks.
template <class Scalar, class Device, class Layout>
class ScratchRows {
 public:
  using Vectors = Kokkos::View<Scalar**, Layout, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  void reserve(int rows, std::size_t columns) {
    const std::size_t size = static_cast<std::size_t>(rows) * columns;
    rows_ = rows;
    if (size <= memory_.extent(0)) return;
    memory_ = {};  // freed before the larger one is allocated
    memory_ =
        Kokkos::View<Scalar*, Device>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::scratch_rows"), size);
  }

  Vectors first(std::size_t columns) const { return Vectors(memory_.data(), rows_, columns); }

 private:
  int rows_ = 0;
  Kokkos::View<Scalar*, Device> memory_;
};

}  // namespace Tessera::Impl
