// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <string>
#include <tessera/Batch.hpp>
#include <tessera/portable/Reference.hpp>
#include <vector>

#include "RandomMatrix.hpp"
#include "TestDense.hpp"
#include "UserMatrix.hpp"

/// A random batch of products with matrices of one pattern. Each product is compared with the reference.
namespace Tessera::Impl::Test {

template <class Exec, class M>
class RandomBatch {
 public:
  RandomBatch(Choices& choices, const CaseSizes& sizes, Numbers numbers, const HostPattern<Offset>& pattern)
      : choices_(choices), numbers_(numbers), pattern_(pattern) {
    mode_ = static_cast<Mode>(choices.below(4));
    products_ = choices.below(4);
    columns_ = choices.below(std::min(sizes.vectors, 9) + 1);
    x_layout_ = choices.of(every_layout);
    y_layout_ = choices.of(every_layout);
    shares_values_ = choices.one_in(4);
    shares_x_ = choices.one_in(4);
    alpha_ = random_factor<M>(choices);
    beta_ = random_factor<M>(choices);
  }

  std::string text() const {
    return "batch: mode " + std::string(to_string(mode_)) + ", " + std::to_string(products_) + " products of " +
           std::to_string(columns_) + " columns, layouts " + std::to_string(int(x_layout_)) + ' ' +
           std::to_string(int(y_layout_)) + (shares_values_ ? ", shared values" : "") +
           (shares_x_ ? ", shared X\n" : "\n");
  }

  /// Returns the largest error of an element, as a share of its bound. Infinite if a gap was written to.
  double worst_error() {
    const Exec exec;
    const auto plan = make_batch_plan(exec, pattern_.rows, pattern_.columns, to_device<Exec>(pattern_.row_offsets),
                                      to_device<Exec>(pattern_.column_indices));
    const int rows = is_transposed(mode_) ? pattern_.columns : pattern_.rows;
    const int x_rows = is_transposed(mode_) ? pattern_.rows : pattern_.columns;
    for (int b = 0; b < (shares_values_ ? 1 : products_); ++b) append(values_, random_values());
    for (int b = 0; b < (shares_x_ ? 1 : products_); ++b) xs_.push_back(vectors(x_rows, x_layout_, true));
    for (int b = 0; b < products_; ++b) ys_.push_back(vectors(rows, y_layout_, beta_ != M(0)));
    const Placed x(xs_, x_rows, columns_, x_layout_), y(ys_, rows, columns_, y_layout_);
    multiply(exec, plan, to_device<Exec>(values_), x, y);
    exec.fence();
    return compare(to_host(y.memory));
  }

 private:
  using User = user_scalar_t<M>;
  using Memory = typename Exec::memory_space;
  template <class Data>
  using Unmanaged = Kokkos::View<Data, Kokkos::LayoutStride, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Multivectors of one shape that lie one after another.
  struct Placed {
    Kokkos::View<M*, Memory> memory;
    Unmanaged<User***> view;

    Placed(std::vector<Dense<M>>& all, int rows, int columns, Layout layout) {
      Dense<M> one(rows, columns, layout);
      std::vector<M> elements;
      for (Dense<M>& item : all) append(elements, item.memory());
      memory = to_device<Exec>(elements);
      view = Unmanaged<User***>(
          reinterpret_cast<User*>(memory.data()),
          Kokkos::LayoutStride(all.size(), one.memory().size(), std::size_t(rows), std::size_t(one.row_stride()),
                               std::size_t(columns), std::size_t(one.column_stride())));
    }
  };

  static void append(std::vector<M>& all, const std::vector<M>& more) {
    all.insert(all.end(), more.begin(), more.end());
  }
  std::vector<M> random_values() {
    std::vector<M> values(pattern_.nonzeros());
    for (M& value : values) value = random_number<M>(choices_, numbers_);
    return values;
  }
  Dense<M> vectors(int rows, Layout layout, bool is_filled) {
    Dense<M> result(rows, columns_, layout);
    for (int i = 0; is_filled && i < rows; ++i)
      for (int j = 0; j < columns_; ++j) result(i, j) = random_number<M>(choices_, numbers_);
    return result;
  }

  void multiply(const Exec& exec, const BatchPlan<Exec>& plan, const Kokkos::View<M*, Memory>& values, const Placed& x,
                const Placed& y) const {
    const std::size_t entries = pattern_.nonzeros();
    const Unmanaged<const User**> sets(
        reinterpret_cast<const User*>(values.data()),
        Kokkos::LayoutStride(shares_values_ ? 1 : std::size_t(products_), entries, entries, 1));
    const auto with = [&](const auto& own_values, const auto& own_x) {
      spmm_batch(exec, plan, mode_, std::bit_cast<User>(alpha_), own_values, own_x, std::bit_cast<User>(beta_), y.view);
    };
    const auto with_values = [&](const auto& own_x) {
      shares_values_ ? with(Kokkos::subview(sets, 0, Kokkos::ALL), own_x) : with(sets, own_x);
    };
    shares_x_ ? with_values(Kokkos::subview(x.view, 0, Kokkos::ALL, Kokkos::ALL)) : with_values(x.view);
  }

  double compare(const std::vector<M>& found) {
    double worst = 0;
    const std::size_t entries = pattern_.nonzeros();
    for (std::size_t b = 0; b < ys_.size(); ++b) {
      Dense<M> result = ys_[b];
      std::copy_n(found.begin() + std::ptrdiff_t(b * result.memory().size()), result.memory().size(),
                  result.memory().begin());
      if (!result.gaps_are_untouched()) return HUGE_VAL;
      auto& x = xs_[shares_x_ ? 0 : b];
      const M* const values = values_.data() + (shares_values_ ? 0 : b * entries);
      for (int j = 0; j < columns_; ++j) {
        const auto reference = reference_column(pattern_.view(), values, mode_, alpha_, x.column(j), x.row_stride(),
                                                beta_, ys_[b].column(j), ys_[b].row_stride());
        worst = std::max(worst, reference.worst_error(result.column(j), result.row_stride()));
      }
    }
    return worst;
  }

  Choices& choices_;
  Numbers numbers_;
  const HostPattern<Offset>& pattern_;
  Mode mode_{};
  int products_ = 0, columns_ = 0;
  Layout x_layout_{}, y_layout_{};
  bool shares_values_ = false, shares_x_ = false;
  M alpha_{}, beta_{};
  std::vector<M> values_;
  std::vector<Dense<M>> xs_, ys_;
};

}  // namespace Tessera::Impl::Test
