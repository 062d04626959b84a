// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <tessera/BlockCg.hpp>
#include <tessera/dense/impl/SmallAlgebra.hpp>
#include <utility>
#include <vector>

namespace Tessera {

template <class ExecutionSpace, class Scalar>
struct BlockCgWorkspace<ExecutionSpace, Scalar>::Memory {
  Impl::DenseWorkspace<ExecutionSpace> dense;
  Kokkos::View<Scalar*, typename ExecutionSpace::memory_space> blocks, smoothing;
  std::vector<Scalar> numbers;  ///< buffer for a small matrix that an operation on blocks reads or writes
};

namespace Impl {

/// The blocks of one solution, and operations on them. A block has no gaps between its rows: its row stride is the
/// number of columns that it has at the time.
template <class ExecutionSpace, class Scalar>
class BlockCgBlocks {
 public:
  using Block = TallBlock<Scalar>;
  using ConstBlock = TallBlock<const Scalar>;
  using Memory = typename BlockCgWorkspace<ExecutionSpace, Scalar>::Memory;
  using List = std::vector<Ordinal>;

  /// Names of blocks. swap() exchanges the memory of two of them.
  enum Name { X, Q, P, AP, Spare, Smoothed, Ahead };

  BlockCgBlocks(const ExecutionSpace& exec, Memory& memory, const SumOverRanks<Scalar>& sum_over_ranks, Ordinal rows,
                Ordinal columns, Ordinal halo_room)
      : exec_(exec), memory_(memory), sum_over_ranks_(sum_over_ranks), rows_(rows) {
    constexpr std::size_t line = 256 / sizeof(Scalar);
    size_ = ((std::size_t(rows) + std::size_t(halo_room)) * std::size_t(columns) + line - 1) / line * line;
    make_room(memory.blocks, X, Smoothed);
  }

  /// Allocates blocks Smoothed and Ahead, which most solutions do not need.
  void make_room_for_smoothing() { make_room(memory_.smoothing, Smoothed, places_.size()); }

  /// Returns the first `columns` columns of a block.
  Block block(Name name, Ordinal columns) const { return {places_[name], rows_, columns, columns, nullptr}; }
  void swap(Name a, Name b) { std::swap(places_[a], places_[b]); }

  /// Keeps the listed columns of a block, which has `columns` columns.
  void keep(Name name, Ordinal columns, const List& list) {
    if (static_cast<Ordinal>(list.size()) == columns) return;
    copy_list(block(name, columns), list, block(Spare, static_cast<Ordinal>(list.size())));
    swap(name, Spare);
  }
  void copy_list(Block from, const List& list, const Block& to) const {
    from.columns = static_cast<Ordinal>(list.size());
    from.column_list = list.data();
    copy<ExecutionSpace, Scalar>(exec_, from, to);
  }
  /// Reads the listed columns of a user's multivector.
  void load(const Multivector<const Scalar>& from, const List& list, Name name) {
    const auto count = static_cast<Ordinal>(list.size());
    if (count == from.columns) return copy<ExecutionSpace, Scalar>(exec_, from, block(name, count));
    copy<ExecutionSpace, Scalar>(exec_, from, block(Spare, from.columns));
    copy_list(block(Spare, from.columns), list, block(name, count));
  }
  /// Writes some columns of a block to columns of a user's multivector. Copies runs of adjacent columns at once.
  void store(const Block& from, const List& list, const List& targets, const Multivector<Scalar>& to) const {
    for (std::size_t first = 0, last; first < list.size(); first = last) {
      const auto follows = [&](std::size_t k) {
        return list[k] == list[k - 1] + 1 && targets[k] == targets[k - 1] + 1;
      };
      for (last = first + 1; last < list.size() && follows(last);) ++last;
      const auto count = static_cast<Ordinal>(last - first);
      Multivector<Scalar> some = to;
      some.data += targets[first] * to.column_stride;
      some.columns = count;
      copy<ExecutionSpace, Scalar>(exec_, from.some_columns(list[first], count), some);
    }
  }

  void copy_block(const ConstBlock& from, const Block& to) const { copy<ExecutionSpace, Scalar>(exec_, from, to); }
  void fill_with_zeros(const Block& Y) const { fill<ExecutionSpace, Scalar>(exec_, Scalar(0), Y); }

  /// Y += alpha A
  void add_to(Scalar alpha, const ConstBlock& A, const Block& Y) const {
    add<ExecutionSpace, Scalar>(exec_, alpha, A, Scalar(1), Y, Y);
  }
  /// Y = alpha A C + beta Y
  void update(Scalar alpha, const ConstBlock& A, const Small& C, Scalar beta, const Block& Y) {
    const SmallMatrix<Scalar> elements = small_matrix(C.rows(), C.columns());
    C.copy_to(elements);
    multiply_add<ExecutionSpace, Scalar>(exec_, memory_.dense, alpha, A, elements, beta, Y);
  }
  /// Y = A C + B D. Y may be A or B.
  void combine(const ConstBlock& A, const Small& C, const ConstBlock& B, const Small& D, const Block& Y) {
    const SmallMatrix<Scalar> elements = small_matrix(C.rows() + D.rows(), C.columns());
    C.copy_to(SmallMatrix<Scalar>{elements.data, C.rows(), C.columns(), elements.stride});
    D.copy_to(SmallMatrix<Scalar>{elements.data + C.rows(), D.rows(), D.columns(), elements.stride});
    const ConstBlock blocks[] = {A, B};
    multiply_add<ExecutionSpace, Scalar>(exec_, memory_.dense, Scalar(1), std::span(blocks), elements, Scalar(0), Y);
  }
  /// Y = A C + B. Y may be A if C is square.
  void update_from(const ConstBlock& A, const Small& C, const ConstBlock& B, const Block& Y) {
    const SmallMatrix<Scalar> elements = small_matrix(C.rows(), C.columns());
    C.copy_to(elements);
    multiply_add<ExecutionSpace, Scalar>(exec_, memory_.dense, Scalar(1), A, elements, Scalar(1), B, Y);
  }
  /// Multiplies column j by 2^exponents[j].
  void scale_columns(const Block& Y, const std::vector<int>& exponents) {
    Scalar* factors = numbers(exponents.size());
    for (std::size_t j = 0; j < exponents.size(); ++j) factors[j] = std::ldexp(Scalar(1), exponents[j]);
    scale<ExecutionSpace, Scalar>(exec_, factors, Y);
  }

  /// Returns X^T Y for the columns X of several blocks, over all ranks, with one pass, one wait and one sum over ranks.
  Small products(std::initializer_list<ConstBlock> blocks, const ConstBlock& Y) {
    Ordinal rows = 0;
    for (const ConstBlock& one : blocks) rows += one.columns;
    return filled(1, rows, Y.columns, [&](const auto& sums) {
      inner_products<ExecutionSpace, Scalar>(exec_, memory_.dense, std::span(blocks.begin(), blocks.size()), Y,
                                             sums[0]);
    })[0];
  }
  /// Computes products of this rank's rows, with one wait.
  void multiply(const std::vector<BlockProducts<Scalar>>& all) const {
    inner_products<ExecutionSpace, Scalar>(exec_, memory_.dense, std::span(all));
  }
  /// Returns the sums over ranks of `count` small matrices, with one sum. fill(matrices) computes those of this rank.
  template <class Fill>
  std::vector<Small> filled(std::size_t count, Ordinal rows, Ordinal columns, const Fill& fill) {
    const std::size_t elements = std::size_t(rows) * std::size_t(columns);
    Scalar* memory = numbers(count * elements);
    std::vector<SmallMatrix<Scalar>> matrices;
    for (std::size_t k = 0; k < count; ++k) matrices.push_back({memory + k * elements, rows, columns, rows});
    fill(matrices);
    if (sum_over_ranks_) sum_over_ranks_(memory, static_cast<Ordinal>(count * elements));
    return {matrices.begin(), matrices.end()};
  }
  /// Returns y_j . y_j over all ranks.
  std::vector<double> squares(const ConstBlock& Y) {
    Scalar* sums = numbers(std::size_t(Y.columns));
    dots<ExecutionSpace, Scalar>(exec_, memory_.dense, Y, Y, sums);
    if (sum_over_ranks_) sum_over_ranks_(sums, Y.columns);
    return {sums, sums + Y.columns};
  }
  /// Returns, for each column, the sum over ranks of the greatest |y_ij|, an estimate of the maximum. The sum is NaN or
  /// infinite if and only if an element is.
  std::vector<double> magnitudes(const ConstBlock& Y) {
    Scalar* sums = numbers(std::size_t(Y.columns));
    greatest_magnitudes<ExecutionSpace, Scalar>(exec_, memory_.dense, Y, sums);
    std::vector<double> result(sums, sums + Y.columns);
    if (!sum_over_ranks_) return result;
    sum_over_ranks_(sums, Y.columns);
    if (std::all_of(sums, sums + Y.columns, [](Scalar sum) { return std::isfinite(sum); }))
      return {sums, sums + Y.columns};
    // A sum of finite numbers may overflow: scale them down.
    const double share = 0x1p-20;
    for (Ordinal j = 0; j < Y.columns; ++j) sums[j] = Scalar(share * result[std::size_t(j)]);
    sum_over_ranks_(sums, Y.columns);
    for (Ordinal j = 0; j < Y.columns; ++j) {
      const double sum = double(sums[j]);
      result[std::size_t(j)] = std::isfinite(sum) ? std::min(sum / share, std::numeric_limits<double>::max()) : sum;
    }
    return result;
  }

  /// Makes the columns of a block orthonormal with Tessera::orthonormalize(), and returns the triangle. Dependent
  /// columns become 0, and their diagonal elements are 0.
  Small orthonormalize_block(const Block& Y, double dependence, double least_norm) {
    const SmallMatrix<Scalar> triangle = small_matrix(Y.columns, Y.columns);
    OrthonormalizeOptions options;
    options.dependence = dependence;
    options.least_norm = least_norm;
    options.dependent = Dependent::Zero;
    orthonormalize<ExecutionSpace, Scalar>(exec_, memory_.dense, {}, Y, {}, triangle, sum_over_ranks_, options);
    return Small(triangle);
  }
  bool has_sum_over_ranks() const { return static_cast<bool>(sum_over_ranks_); }
  double rows_of_all_ranks() {
    count_rows();
    return all_rows_;
  }
  /// Returns the mean number of rows of a rank.
  double mean_rows() {
    count_rows();
    return all_rows_ / ranks_;
  }

 private:
  /// Counts rows and ranks, with one sum the first time.
  void count_rows() {
    if (ranks_ > 0) return;
    Scalar* sums = numbers(2);
    sums[0] = Scalar(rows_);
    sums[1] = Scalar(1);
    if (sum_over_ranks_) sum_over_ranks_(sums, 2);
    all_rows_ = double(sums[0]);
    ranks_ = double(sums[1]);
  }

  void make_room(Kokkos::View<Scalar*, typename ExecutionSpace::memory_space>& view, std::size_t first,
                 std::size_t end) {
    if (view.extent(0) < size_ * (end - first)) {
      exec_.fence("Tessera::block_cg");
      view = {};
      view = std::remove_reference_t<decltype(view)>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::BlockCgWorkspace"), size_ * (end - first));
    }
    for (std::size_t place = first; place < end; ++place) places_[place] = view.data() + (place - first) * size_;
  }

  Scalar* numbers(std::size_t count) {
    if (memory_.numbers.size() < count) memory_.numbers.resize(count);
    return memory_.numbers.data();
  }
  SmallMatrix<Scalar> small_matrix(Ordinal rows, Ordinal columns) {
    return {numbers(std::size_t(rows) * std::size_t(columns)), rows, columns, rows};
  }

  const ExecutionSpace& exec_;
  Memory& memory_;
  const SumOverRanks<Scalar>& sum_over_ranks_;
  Ordinal rows_;
  std::size_t size_ = 0;  // elements that are allocated for a block
  std::array<Scalar*, 7> places_{};
  double all_rows_ = 0, ranks_ = 0;  // of all ranks; 0 until they are counted
};

}  // namespace Impl
}  // namespace Tessera
