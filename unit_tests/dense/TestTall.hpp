// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstring>
#include <string>
#include <tessera/dense/TallBlock.hpp>
#include <vector>

#include "TestDense.hpp"
#include "TestMatrix.hpp"

/// Tall blocks for tests of dense algebra.
namespace Tessera::Impl::Test {

/// The positions of a block's columns within its rows.
enum class Places { Adjacent, Padded, Listed };
inline constexpr Places every_places[] = {Places::Adjacent, Places::Padded, Places::Listed};

inline const char* to_string(Places places) {
  return places == Places::Adjacent ? "adjacent" : places == Places::Padded ? "padded" : "listed";
}

/// A block in the memory of a backend, and its copy on the host. Padding around and between elements holds guards.
template <class Exec, class Scalar>
class Tall {
 public:
  Tall(Ordinal rows, Ordinal columns, Places places, std::uint64_t seed = 0)
      : rows_(rows), columns_(columns), stride_(columns) {
    if (places == Places::Padded) stride_ = columns + 3;
    if (places == Places::Listed) {
      // Every other column, alternately from the end and from the start: 6, 0, 4, 2 for four columns.
      stride_ = 2 * columns + 1;
      for (Ordinal j = 0; j < columns; ++j) list_.push_back(j % 2 == 0 ? 2 * (columns - 1 - j / 2) : 2 * (j / 2));
    }
    memory_.assign(std::size_t(rows) * std::size_t(stride_) + 2 * margin, guard());
    if (seed != 0) randomize(seed);
  }

  void randomize(std::uint64_t seed) {
    Random random(seed);
    for (Ordinal i = 0; i < rows_; ++i)
      for (Ordinal j = 0; j < columns_; ++j) (*this)(i, j) = random.template scalar<Scalar>();
    is_sent_ = false;
  }
  void fill(Scalar value) {
    for (Ordinal i = 0; i < rows_; ++i)
      for (Ordinal j = 0; j < columns_; ++j) (*this)(i, j) = value;
  }

  Ordinal rows() const { return rows_; }
  Ordinal columns() const { return columns_; }
  /// An element on the host. The next block() copies changes to the device.
  Scalar& operator()(Ordinal i, Ordinal j) {
    is_sent_ = false;
    return memory_[place(i, j)];
  }
  Scalar operator()(Ordinal i, Ordinal j) const { return memory_[place(i, j)]; }

  TallBlock<Scalar> block() {
    if (!is_sent_) device_ = to_device<Exec>(memory_);
    is_sent_ = true;
    return {device_.data() + margin, rows_, columns_, stride_, list_.empty() ? nullptr : list_.data()};
  }
  TallBlock<const Scalar> input() { return block(); }
  void fetch() { memory_ = to_host(device_); }

  /// Whether the padding is unchanged.
  bool guards_are_untouched() const {
    std::vector<char> is_element(memory_.size(), 0);
    for (Ordinal i = 0; i < rows_; ++i)
      for (Ordinal j = 0; j < columns_; ++j) is_element[place(i, j)] = 1;
    for (std::size_t k = 0; k < memory_.size(); ++k)
      if (!is_element[k] && memory_[k] != guard()) return false;
    return true;
  }
  /// Returns the elements, row by row.
  std::vector<Scalar> elements() const {
    std::vector<Scalar> result;
    for (Ordinal i = 0; i < rows_; ++i)
      for (Ordinal j = 0; j < columns_; ++j) result.push_back((*this)(i, j));
    return result;
  }

 private:
  static constexpr std::size_t margin = 32;
  static Scalar guard() { return Scalar(-12345); }
  std::size_t place(Ordinal i, Ordinal j) const {
    return margin + std::size_t(i) * std::size_t(stride_) +
           std::size_t(list_.empty() ? j : list_[static_cast<std::size_t>(j)]);
  }

  Ordinal rows_, columns_;
  std::ptrdiff_t stride_;
  std::vector<Ordinal> list_;
  std::vector<Scalar> memory_;
  Kokkos::View<Scalar*, typename Exec::memory_space> device_;
  bool is_sent_ = false;
};

template <class Scalar>
bool have_same_bits(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)) == 0);
}

}  // namespace Tessera::Impl::Test
