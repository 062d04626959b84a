// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <span>
#include <tessera/dense/impl/SumsOfRows.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <vector>

#include "PlanMembers.hpp"
#include "Region.hpp"

namespace Tessera::Impl {

namespace {

template <class Scalar>
bool is_wanted(const SmallMatrix<Scalar>& C) {
  return C.data != nullptr || C.rows != 0 || C.columns != 0;
}

/// Checks a result matrix that the caller passes to spmm_with_inner_products().
template <class Scalar>
void check_inner_products(const char* name, const SmallMatrix<Scalar>& C, Ordinal columns) {
  const char* who = "Tessera::spmm_with_inner_products";
  if (C.rows != columns || C.columns != columns) {
    reject_product(who, std::string(name) + " is " + shape(C.rows, C.columns) + "; expected " +
                            shape(columns, columns) + ", the columns of X and Y");
  }
  if (columns == 0) return;
  if (C.data == nullptr) {
    reject_product(who, std::string(name) + " has no memory (its data is null); expected allocated memory");
  }
}

template <class Scalar>
bool are_same(const Multivector<const Scalar>& B, const Multivector<Scalar>& R) {
  return B.data == R.data && (R.rows <= 1 || B.row_stride == R.row_stride) &&
         (R.columns <= 1 || B.column_stride == R.column_stride);
}

/// Returns whether inner products are faster if computed piece by piece than after the product. With fewer columns,
/// pieces cost more than they save. With more columns, the sums evict pieces from cache. If X and Y are small, they
/// remain in cache anyway.
template <class Scalar>
bool inner_products_pay_in_pieces(const Multivector<Scalar>& Y) {
  const std::size_t bytes = 2 * sizeof(Scalar) * std::size_t(Y.rows) * std::size_t(Y.columns);
  return Y.columns >= 4 && Y.columns <= 32 && bytes >= std::size_t(1) << 24;
}
/// Does the same for a residual, which saves more passes.
template <class Scalar>
bool norms_pay_in_pieces(const Multivector<Scalar>& R) {
  return R.columns >= 8 && R.columns <= 128;
}

/// Copies rows [first, last) of B to R, on the calling thread.
template <class Scalar>
void copy_rows(const Multivector<const Scalar>& B, const Multivector<Scalar>& R, Ordinal first, Ordinal last) {
  const auto have_no_gaps = [](const auto& v) {
    return (v.columns == 1 || v.column_stride == 1) && v.row_stride == v.columns;
  };
  if (have_no_gaps(B) && have_no_gaps(R)) {
    std::copy_n(&B(first, 0), std::ptrdiff_t(last - first) * R.columns, &R(first, 0));
    return;
  }
  for (Ordinal i = first; i < last; ++i)
    for (Ordinal j = 0; j < R.columns; ++j) R(i, j) = B(i, j);
}

/// Copies B to R, with any strides.
template <class ExecutionSpace, class Scalar>
void copy_all(const ExecutionSpace& exec, const Multivector<const Scalar>& B, const Multivector<Scalar>& R) {
  if (R.rows == 0) return;
  const auto are_adjacent = [](const auto& v) {
    return (v.columns == 1 || v.column_stride == 1) && (v.rows == 1 || v.row_stride >= v.columns);
  };
  if (!are_adjacent(B) || !are_adjacent(R)) return copy(exec, B, R);
  const TallBlock<const Scalar> from{B.data, B.rows, B.columns, B.row_stride, nullptr};
  copy(exec, from, TallBlock<Scalar>{R.data, R.rows, R.columns, R.row_stride, nullptr});
}

}  // namespace

/// Returns functions that compute rows of a counted product with checked arguments. They refer to this plan and to
/// `work`.
template <class Scalar, class ExecutionSpace>
template <class VectorScalar>
RowProducer PlanState<Scalar, ExecutionSpace>::producer(const ExecutionSpace& exec,
                                                        const Workspace<ExecutionSpace>& work, Mode mode,
                                                        VectorScalar alpha, const Multivector<const VectorScalar>& X,
                                                        VectorScalar beta, const Multivector<VectorScalar>& Y) const {
  RowProducer rows;
  rows.make_all = [=, this, &work] { multiply(exec, work, mode, alpha, X, beta, Y); };
  const auto& block = members_->blocks.front();
  const bool is_one = members_->blocks.size() == 1 && (!is_transposed(mode) || block.transposed.size() == 1);
  if (alpha == VectorScalar(0) || members_->nonzeros == 0 || !is_one) return rows;
  const auto& stored = is_transposed(mode) ? block.transposed.front().matrix : block.plain;
  if (!stored.makes_rows(X, Y)) return rows;
  const Product<Scalar, VectorScalar> product{nullptr, false, alpha, X, beta, Y};
  rows.make_rows = [=, &stored](Ordinal first, Ordinal last) { stored.multiply_rows(product, first, last); };
  const std::int64_t row_bytes = 2 * std::int64_t(sizeof(VectorScalar)) * Y.columns;
  rows.bytes_before = [=, &stored](Ordinal row) { return stored.bytes_before(row) + row_bytes * row; };
  return rows;
}

template <class Scalar, class ExecutionSpace>
template <class VectorScalar>
void PlanState<Scalar, ExecutionSpace>::apply_with_inner_products(
    const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work, Mode mode, VectorScalar alpha,
    const Multivector<const VectorScalar>& X, VectorScalar beta, const Multivector<VectorScalar>& Y,
    const SmallMatrix<VectorScalar>& XtY, const SmallMatrix<VectorScalar>& YtY) const {
  const char* who = "Tessera::spmm_with_inner_products";
  const Region<ExecutionSpace> region(who);
  check_product(who, exec, work, *members_, mode, X, "Y", Y);
  const Multivector<const VectorScalar> made{Y.data, Y.rows, Y.columns, Y.row_stride, Y.column_stride};
  std::vector<Multivector<const VectorScalar>> blocks;
  std::vector<SmallMatrix<VectorScalar>> results;
  const auto want = [&](const char* name, const auto& block, const SmallMatrix<VectorScalar>& C) {
    if (!is_wanted(C)) return;
    check_inner_products(name, C, Y.columns);
    blocks.push_back(block);
    results.push_back(C);
  };
  want("XtY", X, XtY);
  want("YtY", made, YtY);
  if (is_wanted(XtY) && X.rows != Y.rows) {
    reject_product(who, "XtY is wanted and op(A) is " + shape(Y.rows, X.rows) + " in mode " +
                            std::string(to_string(mode)) + "; expected a square op(A), or no XtY");
  }
  if (blocks.empty() && Y.columns > 0) reject_product(who, "neither XtY nor YtY is given; expected one or both");
  if (Y.columns == 0) return;
  const auto reading = begin_product(exec, work, mode, X.columns);
  RowProducer rows = producer(exec, work, mode, alpha, X, beta, Y);
  if (!inner_products_pay_in_pieces(Y)) rows.make_rows = nullptr;
  const Ordinal k = Y.columns;
  if (results.size() == 1)
    return make_with_inner_products<ExecutionSpace, VectorScalar>(exec, Access::dense(work), rows, blocks, made,
                                                                  results[0]);
  std::vector<VectorScalar> both(2 * std::size_t(k) * std::size_t(k));
  const SmallMatrix<VectorScalar> stacked{both.data(), 2 * k, k, 2 * std::ptrdiff_t(k)};
  make_with_inner_products<ExecutionSpace, VectorScalar>(exec, Access::dense(work), rows, blocks, made, stacked);
  for (Ordinal j = 0; j < k; ++j) {
    for (Ordinal i = 0; i < k; ++i) {
      XtY(i, j) = stacked(i, j);
      YtY(i, j) = stacked(k + i, j);
    }
  }
}

template <class Scalar, class ExecutionSpace>
template <class VectorScalar>
void PlanState<Scalar, ExecutionSpace>::residual(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                                                 Mode mode, const Multivector<const VectorScalar>& X,
                                                 const Multivector<const VectorScalar>& B,
                                                 const Multivector<VectorScalar>& R,
                                                 VectorScalar* squared_norms) const {
  const char* who = "Tessera::residual";
  const Region<ExecutionSpace> region(who);
  check_product(who, exec, work, *members_, mode, X, "R", R);
  if (B.rows != R.rows || B.columns != R.columns) {
    reject_product(who, "B is " + shape(B.rows, B.columns) + ", R is " + shape(R.rows, R.columns) +
                            "; expected B of the shape of R");
  }
  check_has_memory(who, "B", B);
  const bool is_in_place = are_same(B, R);
  if (!is_in_place) check_apart(who, "B", B, "R", R);
  if (squared_norms == nullptr && R.columns > 0) {
    reject_product(who, "squared_norms has no memory (its data is null); expected allocated memory");
  }
  if (R.columns == 0) return;
  const auto reading = begin_product(exec, work, mode, X.columns);
  RowProducer rows = producer(exec, work, mode, VectorScalar(-1), X, VectorScalar(1), R);
  if (!norms_pay_in_pieces(R)) rows.make_rows = nullptr;
  if (!is_in_place) {
    rows.make_all = [=, multiply = std::move(rows.make_all)] {
      copy_all(exec, B, R);
      multiply();
    };
    if (rows.make_rows) {
      rows.make_rows = [=, multiply = std::move(rows.make_rows)](Ordinal first, Ordinal last) {
        copy_rows(B, R, first, last);
        multiply(first, last);
      };
    }
  }
  const Multivector<const VectorScalar> made{R.data, R.rows, R.columns, R.row_stride, R.column_stride};
  make_with_dots<ExecutionSpace, VectorScalar>(exec, Access::dense(work), rows, made, squared_norms);
}

#define TESSERA_FOR_EACH_REAL_PRODUCT(Exec, M) \
  TESSERA_IF_FLOAT(M, Exec, float, float)      \
  TESSERA_IF_DOUBLE(M, Exec, double, double)   \
  TESSERA_IF_FLOAT_AND_DOUBLE(M, Exec, float, double)
#define TESSERA_INSTANTIATE(Exec, M, V)                                                                              \
  template void PlanState<M, Exec>::apply_with_inner_products(const Exec&, const Workspace<Exec>&, Mode, V,          \
                                                              const Multivector<const V>&, V, const Multivector<V>&, \
                                                              const SmallMatrix<V>&, const SmallMatrix<V>&) const;   \
  template void PlanState<M, Exec>::residual(const Exec&, const Workspace<Exec>&, Mode, const Multivector<const V>&, \
                                             const Multivector<const V>&, const Multivector<V>&, V*) const;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_REAL_PRODUCT, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
