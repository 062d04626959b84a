// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tessera/Spmm.hpp>
#include <tessera/ValueCheck.hpp>
#include <tessera/spmm/impl/KeptInstance.hpp>
#include <tessera/spmm/impl/Workspaces.hpp>

namespace Tessera::Impl {

inline Mode mode_of(const char letter[]) {
  for (const Mode mode : {Mode::NoTranspose, Mode::Transpose, Mode::Conjugate, Mode::ConjugateTranspose}) {
    if (to_string(mode)[0] == letter[0]) return mode;
  }
  throw std::invalid_argument(std::string("Tessera::SpmvHandle: the mode is \"") + letter +
                              "\"; expected \"N\", \"T\", \"C\" or \"H\"");
}

/// Identifies the matrix of a handle by addresses and extents.
struct MatrixIdentity {
  const void* row_map = nullptr;
  const void* entries = nullptr;
  std::size_t rows = 0, columns = 0, entry_count = 0, block_size = 1;

  bool operator==(const MatrixIdentity&) const = default;

  template <class Matrix>
  static MatrixIdentity of(const Matrix& A) {
    MatrixIdentity result{A.graph.row_map.data(), A.graph.entries.data(), std::size_t(A.numRows()),
                          std::size_t(A.numCols()), A.graph.entries.extent(0)};
    if constexpr (requires { A.blockDim(); }) result.block_size = std::size_t(A.blockDim());
    return result;
  }

  std::string text() const {
    const auto blocks = block_size == 1 ? "" : " blocks of " + std::to_string(block_size);
    return std::to_string(rows) + " x " + std::to_string(columns) + blocks + " with " + std::to_string(entry_count) +
           " entries";
  }
};

/// Returns whether X has several columns and is not row-major.
template <class X>
bool is_layout_left(const X& x) {
  if constexpr (X::rank() == 1) {
    return false;
  } else {
    return x.extent(1) > 1 && x.stride(1) != 1;
  }
}

/// A plan for the matrix of a handle, made at first use, and its workspaces.
///
/// \tparam Scalar, Offset, Ordinal_ the types of the matrix, without const
template <class ExecutionSpace, class Scalar, class Offset, class Ordinal_>
class MatrixPlan {
 public:
  using plan_type = Plan<Scalar, ExecutionSpace>;

  MatrixPlan() = default;
  explicit MatrixPlan(const PlanOptions& options) : options_(options) {}
  MatrixPlan(const MatrixPlan&) = delete;
  MatrixPlan& operator=(const MatrixPlan&) = delete;

  /// Says that the values of A changed. The next product reads them, in one pass without analysis. From the first call
  /// on, the handle relies on a call for each change.
  void values_changed() {
    is_told_ = true;
    values_ = nullptr;
  }

  /// Forgets the matrix, which the handle no longer keeps alive, and frees the plan. Another matrix may follow.
  void reset() {
    workspaces_.reset();
    plan_.reset();
    graph_.set(nullptr);
  }

  /// \throws std::logic_error before the first product or prepare()
  const plan_type& plan() const {
    if (!plan_) throw std::logic_error("Tessera::SpmvHandle: there is no plan before the first product or prepare()");
    return *plan_;
  }
  /// Returns the choice in words: see Plan::explain().
  std::string explain() const { return plan().explain(); }

  /// Returns whether there is a plan and A, judged by addresses and extents, is the matrix that it was made for.
  template <class Matrix>
  bool is_for(const Matrix& A) const {
    return plan_ && MatrixIdentity::of(A) == identity_;
  }

  /// For the library: computes Y = alpha op(A) X + beta Y.
  template <class Matrix, class X, class Y>
  void multiply(const ExecutionSpace& exec, const char mode[], const typename Y::non_const_value_type& alpha,
                const Matrix& A, const X& x, const typename Y::non_const_value_type& beta, const Y& y) {
    const Mode op = mode_of(mode);
    const auto columns = static_cast<int>(X::rank() == 1 ? 1 : x.extent(1));
    multiply_prepared(exec, prepare_for(exec, A, op, columns, is_layout_left(x)), op, alpha, x, beta, y);
  }

  /// For the library: the second part of multiply(), after prepare_for().
  template <class X, class Y>
  void multiply_prepared(const ExecutionSpace& exec, Workspace<ExecutionSpace>& work, Mode mode,
                         const typename Y::non_const_value_type& alpha, const X& x,
                         const typename Y::non_const_value_type& beta, const Y& y) {
    spmm(exec, *plan_, work, mode, alpha, x, beta, y);
  }

  /// For the library: prepares plan and workspace. After the first call, this costs time only for more columns, new
  /// values or another instance.
  ///
  /// \param layout_left [in] whether X is LayoutLeft; a hint for the choice of the format
  template <class Matrix>
  Workspace<ExecutionSpace>& prepare_for(const ExecutionSpace& exec, const Matrix& A, Mode mode, int columns,
                                         bool layout_left = false) {
    if (last_.get() && !last_.is_one_queue_with(exec)) last_.get()->fence("Tessera::SpmvHandle: another instance");
    last_.set(exec);
    const auto identity = MatrixIdentity::of(A);
    if (!plan_) {
      PlanOptions options = options_.value_or(PlanOptions{});
      if (!options_) {
        options.hints.num_vectors = std::max(columns, 1);
        options.hints.layout_left = layout_left;
        options.shares_pattern = true;  // the graph stays as long as the plan
        options.shares_values = !is_told_;
      }
      options.hints.follow_values = !is_told_;
      plan_ = make_plan(exec, A, options);
      identity_ = identity;
      graph_.set(std::make_shared<decltype(A.graph)>(A.graph));
      if (is_told_) copied_.remember(exec, A.values);
    } else if (!(identity == identity_)) {
      throw std::invalid_argument("Tessera::SpmvHandle: A is another matrix (" + identity.text() +
                                  ") than the one that this handle was first used with (" + identity_.text() +
                                  "), or its graph has moved; expected the same, or reset() before");
    } else if (is_told_) {
      take_values(exec, A);
    }
    // The plan would build a transpose from the old address of the values.
    if (!is_told_ && A.values.data() != values_) plan_->follow_values(exec, A.values);
    values_ = A.values.data();
    Workspace<ExecutionSpace>& work = workspaces_.get(exec, *plan_, mode, columns);
    if (!is_told_) plan_->follow_values(exec, A.values, mode);
    return work;
  }

 private:
  /// Copies the values if values_changed() was called or their address has changed.
  template <class Matrix>
  void take_values(const ExecutionSpace& exec, const Matrix& A) {
    if (A.values.data() != values_) {
      plan_->update_values(exec, A.values);
      copied_.remember(exec, A.values);
    } else if (copied_.differ_from(exec, A.values)) {
      throw std::logic_error(
          "Tessera::SpmvHandle: the values of A are no longer those that the handle copied; expected a call of "
          "values_changed() after they changed, and before the next product");
    }
  }

  std::optional<PlanOptions> options_;
  std::optional<plan_type> plan_;
  MatrixIdentity identity_;
  // The graph of the matrix, if its Views own their arrays. While it is kept, no other matrix can have their addresses.
  Kept<std::shared_ptr<const void>> graph_;
  bool is_told_ = false;          // whether values_changed() was called
  const void* values_ = nullptr;  // address of the values; null if values_changed() was called since
  CopiedValues copied_;           // used if the handle is told of changes
  Workspaces<ExecutionSpace> workspaces_;
  KeptInstance<ExecutionSpace> last_;
};

}  // namespace Tessera::Impl
