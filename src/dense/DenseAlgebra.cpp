// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <stdexcept>
#include <string>
#include <tessera/dense/DenseAlgebra.hpp>
#include <tessera/dense/impl/JoinedColumns.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <vector>

#include "DeviceDense.hpp"
#include "HostDense.hpp"
#include "Workspace.hpp"

namespace Tessera::Impl {

template <class ExecutionSpace>
DenseWorkspace<ExecutionSpace>::DenseWorkspace() : memory_(std::make_unique<Memory>()) {}
template <class ExecutionSpace>
DenseWorkspace<ExecutionSpace>::~DenseWorkspace() = default;
template <class ExecutionSpace>
DenseWorkspace<ExecutionSpace>::DenseWorkspace(DenseWorkspace&&) noexcept = default;
template <class ExecutionSpace>
DenseWorkspace<ExecutionSpace>& DenseWorkspace<ExecutionSpace>::operator=(DenseWorkspace&&) noexcept = default;

namespace {

using Impl::is_host_space;
namespace OnDevice = Impl::OnDevice;
namespace OnHost = Impl::OnHost;

/// Returns the kernels for the instruction set of this processor.
template <class Scalar>
const Impl::DenseKernels<Scalar>& kernels() {
  return Impl::dense_kernels<Scalar>(Impl::simd_target());
}

std::string name_of_input(std::size_t k) { return "X[" + std::to_string(k) + "]"; }

/// Rejects invalid arguments of a function. Messages use the names of its declaration.
struct Check {
  const char* function;

  [[noreturn]] void reject(const std::string& found) const {
    throw std::invalid_argument("Tessera::" + std::string(function) + ": " + found);
  }

  template <class Scalar>
  void block(const char* name, const TallBlock<Scalar>& X) const {
    if (X.rows < 0 || X.columns < 0) {
      reject(std::string(name) + " has " + std::to_string(X.rows) + " rows and " + std::to_string(X.columns) +
             " columns; expected numbers from 0 on");
    }
    if (X.rows == 0 || X.columns == 0) return;
    if (X.data == nullptr) reject(std::string(name) + ".data is null; expected the address of its elements");
    if (X.column_list == nullptr) {
      if (X.rows > 1 && X.row_stride < X.columns) {
        reject(std::string(name) + ".row_stride is " + std::to_string(X.row_stride) + "; expected at least its " +
               std::to_string(X.columns) + " columns");
      }
      return;
    }
    for (Ordinal j = 0; j < X.columns; ++j) {
      if (X.place(j) >= 0 && X.place(j) < X.row_stride) continue;
      reject(std::string(name) + ".column_list[" + std::to_string(j) + "] is " + std::to_string(X.place(j)) +
             "; expected at least 0 and less than the row stride, " + std::to_string(X.row_stride));
    }
  }

  void rows(const char* name, Ordinal found, const char* other, Ordinal expected) const {
    number(name, "rows", found, other, expected);
  }
  void columns(const char* name, Ordinal found, const char* other, Ordinal expected) const {
    number(name, "columns", found, other, expected);
  }
  void number(const char* name, const char* what, Ordinal found, const char* other, Ordinal expected) const {
    if (found == expected) return;
    reject(std::string(name) + " has " + std::to_string(found) + " " + what + "; expected " + std::to_string(expected) +
           ", " + other);
  }

  /// Checks all blocks X and returns their number of columns.
  template <class Scalar>
  Ordinal inputs(std::span<const TallBlock<const Scalar>> X, Ordinal expected_rows, const char* other) const {
    Ordinal columns = 0;
    for (std::size_t k = 0; k < X.size(); ++k) {
      block(name_of_input(k).c_str(), X[k]);
      rows(name_of_input(k).c_str(), X[k].rows, other, expected_rows);
      columns += X[k].columns;
    }
    return columns;
  }

  template <class Scalar>
  void small(const char* name, const SmallMatrix<Scalar>& B) const {
    if (B.rows == 0 || B.columns == 0) return;
    if (B.data == nullptr) reject(std::string(name) + ".data is null; expected the address of its elements");
    if (B.columns > 1 && B.stride < B.rows) {
      reject(std::string(name) + ".stride is " + std::to_string(B.stride) + "; expected at least its " +
             std::to_string(B.rows) + " rows");
    }
  }

  template <class Scalar>
  void given(const char* name, const Scalar* array, Ordinal elements) const {
    if (array == nullptr && elements > 0) {
      reject(std::string(name) + " is null; expected the address of " + std::to_string(elements) + " elements");
    }
  }

  template <class Input, class Output>
  void apart(const char* input, const TallBlock<Input>& X, const char* output, const TallBlock<Output>& Y) const {
    if (!share_memory(X, Y)) return;
    reject(std::string(output) + " shares memory with " + input + "; expected a block apart from it");
  }
  template <class Input, class Output>
  void apart_or_same(const char* input, const TallBlock<Input>& X, const char* output,
                     const TallBlock<Output>& Y) const {
    if (are_same(X, Y) || !share_memory(X, Y)) return;
    reject(std::string(output) + " shares memory with " + input + "; expected the same block, or one apart from it");
  }
};

bool is_empty(const auto& X) { return X.rows == 0 || X.columns == 0; }

/// Returns a copy, in `memory`, of some rows of B.
template <class Scalar>
SmallMatrix<const Scalar> rows_of(const SmallMatrix<const Scalar>& B, const std::vector<Ordinal>& rows,
                                  std::vector<Scalar>& memory) {
  memory.clear();
  for (Ordinal j = 0; j < B.columns; ++j)
    for (const Ordinal i : rows) memory.push_back(B(i, j));
  const auto count = static_cast<Ordinal>(rows.size());
  return {memory.data(), count, B.columns, count};
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    std::span<const BlockProducts<Scalar>> all) {
  const Check check{"inner_products"};
  std::vector<BlockProducts<Scalar>> some;
  for (const auto& [X, Y, C] : all) {
    check.block("Y", Y);
    const Ordinal columns = check.inputs(X, Y.rows, "as Y");
    check.rows("Y", Y.rows, "as the first Y", all.front().Y.rows);
    check.rows("C", C.rows, "the columns of all X", columns);
    check.columns("C", C.columns, "as Y", Y.columns);
    check.small("C", C);
    if (!is_empty(C)) some.push_back({X, Y, C});
  }
  if (some.empty()) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::inner_products<ExecutionSpace, Scalar>(exec, workspace, kernels<Scalar>(), some);
  } else {
    OnDevice::inner_products<ExecutionSpace, Scalar>(exec, workspace, some);
  }
}

template <class ExecutionSpace, class Scalar>
void inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    std::span<const TallBlock<const Scalar>> X, const TallBlock<const Scalar>& Y,
                    const SmallMatrix<Scalar>& C) {
  const BlockProducts<Scalar> one{X, Y, C};
  inner_products<ExecutionSpace, Scalar>(exec, workspace, std::span(&one, 1));
}

template <class ExecutionSpace, class Scalar>
void dots(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, const TallBlock<const Scalar>& X,
          const TallBlock<const Scalar>& Y, Scalar* result) {
  const Check check{"dots"};
  check.block("X", X);
  check.block("Y", Y);
  check.rows("Y", Y.rows, "as X", X.rows);
  check.columns("Y", Y.columns, "as X", X.columns);
  check.given("result", result, X.columns);
  if (X.columns == 0) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::dots<ExecutionSpace, Scalar>(exec, workspace, kernels<Scalar>(), X, Y, result);
  } else {
    OnDevice::dots<ExecutionSpace, Scalar>(exec, workspace, X, Y, result);
  }
}

template <class ExecutionSpace, class Scalar>
void sums_of_magnitudes(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                        const TallBlock<const Scalar>& X, Scalar* result) {
  const Check check{"sums_of_magnitudes"};
  check.block("X", X);
  check.given("result", result, X.columns);
  if (X.columns == 0) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::sums_of_magnitudes<ExecutionSpace, Scalar>(exec, workspace, kernels<Scalar>(), X, result);
  } else {
    OnDevice::sums_of_magnitudes<ExecutionSpace, Scalar>(exec, workspace, X, result);
  }
}

template <class ExecutionSpace, class Scalar>
void greatest_magnitudes(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                         const TallBlock<const Scalar>& X, Scalar* result) {
  const Check check{"greatest_magnitudes"};
  check.block("X", X);
  check.given("result", result, X.columns);
  if (X.columns == 0) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::greatest_magnitudes<ExecutionSpace, Scalar>(exec, workspace, kernels<Scalar>(), X, result);
  } else {
    OnDevice::greatest_magnitudes<ExecutionSpace, Scalar>(exec, workspace, X, result);
  }
}

template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Scalar alpha,
                  const TallBlock<const Scalar>& X, const SmallMatrix<const Scalar>& B, Scalar beta,
                  const TallBlock<Scalar>& Y) {
  const Check check{"multiply_add"};
  check.block("X", X);
  check.block("Y", Y);
  check.rows("Y", Y.rows, "as X", X.rows);
  check.rows("B", B.rows, "the columns of X", X.columns);
  check.columns("B", B.columns, "as Y", Y.columns);
  check.small("B", B);
  if (beta != Scalar(0) || B.rows != B.columns) {
    check.apart("X", X, "Y", Y);
  } else {
    check.apart_or_same("X", X, "Y", Y);
  }
  if (is_empty(Y)) return;
  if (X.columns == 0) return add<ExecutionSpace, Scalar>(exec, beta, Y, Scalar(0), Y, Y);
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::multiply_add<ExecutionSpace, Scalar>(exec, workspace, kernels<Scalar>(), alpha, X, B, beta, Y);
  } else {
    OnDevice::multiply_add<ExecutionSpace, Scalar>(exec, workspace, alpha, X, B, beta, Y);
  }
}

template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Scalar alpha,
                  std::span<const TallBlock<const Scalar>> X, const SmallMatrix<const Scalar>& B, Scalar beta,
                  const TallBlock<Scalar>& Y) {
  const Check check{"multiply_add"};
  check.block("Y", Y);
  const Ordinal columns = check.inputs(X, Y.rows, "as Y");
  for (std::size_t k = 0; k < X.size(); ++k) {
    if (beta != Scalar(0)) check.apart(name_of_input(k).c_str(), X[k], "Y", Y);
    check.apart_or_same(name_of_input(k).c_str(), X[k], "Y", Y);
  }
  const auto is_y = [&](const auto& block) { return are_same(block, Y); };
  if (!is_empty(Y) && std::count_if(X.begin(), X.end(), is_y) > 1) {
    check.reject("Y is several blocks of X; expected at most one");
  }
  check.rows("B", B.rows, "the columns of all X", columns);
  check.columns("B", B.columns, "as Y", Y.columns);
  check.small("B", B);
  if (is_empty(Y)) return;
  if (columns == 0) return add<ExecutionSpace, Scalar>(exec, beta, Y, Scalar(0), Y, Y);
  auto blocks = is_host_space<ExecutionSpace> ? Impl::separate_columns(X) : Impl::join_columns(X, Impl::panel_columns);
  // The block that contains Y comes first: it must be read before Y is written.
  std::stable_partition(blocks.begin(), blocks.end(), [&](const auto& some) { return share_memory(some.block, Y); });
  if constexpr (is_host_space<ExecutionSpace>) {
    const auto fits = [](const auto& some) { return some.block.columns <= Impl::panel_columns; };
    if (blocks.size() > 1 && Y.columns <= Impl::panel_columns && std::all_of(blocks.begin(), blocks.end(), fits)) {
      return OnHost::multiply_several<ExecutionSpace, Scalar>(exec, workspace, kernels<Scalar>(), alpha, blocks, B,
                                                              beta, Y);
    }
  }
  std::vector<Scalar> rows;
  for (const auto& some : blocks) {
    const SmallMatrix<const Scalar> part = rows_of(B, some.rows, rows);
    if constexpr (is_host_space<ExecutionSpace>) {
      OnHost::multiply_add<ExecutionSpace, Scalar>(exec, workspace, kernels<Scalar>(), alpha, some.block, part, beta,
                                                   Y);
    } else {
      OnDevice::multiply_add<ExecutionSpace, Scalar>(exec, workspace, alpha, some.block, part, beta, Y);
    }
    beta = Scalar(1);
  }
}

template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Scalar alpha,
                  const TallBlock<const Scalar>& X, const SmallMatrix<const Scalar>& B, Scalar beta,
                  const TallBlock<const Scalar>& Z, const TallBlock<Scalar>& Y) {
  const Check check{"multiply_add"};
  check.block("Z", Z);
  check.rows("Z", Z.rows, "as Y", Y.rows);
  check.columns("Z", Z.columns, "as Y", Y.columns);
  check.apart("Z", Z, "Y", Y);
  if constexpr (is_host_space<ExecutionSpace>) {
    check.block("X", X);
    check.block("Y", Y);
    check.rows("Y", Y.rows, "as X", X.rows);
    check.rows("B", B.rows, "the columns of X", X.columns);
    check.columns("B", B.columns, "as Y", Y.columns);
    check.small("B", B);
    if (B.rows == B.columns) check.apart_or_same("X", X, "Y", Y);
    if (B.rows != B.columns) check.apart("X", X, "Y", Y);
    if (is_empty(Y)) return;
    if (X.columns > 0) {
      return OnHost::multiply_add<ExecutionSpace, Scalar>(exec, workspace, kernels<Scalar>(), alpha, X, B, beta, Z, Y);
    }
  }
  multiply_add<ExecutionSpace, Scalar>(exec, workspace, alpha, X, B, Scalar(0), Y);
  add<ExecutionSpace, Scalar>(exec, Scalar(1), Y, beta, Z, Y);
}

template <class ExecutionSpace, class Scalar>
void add(const ExecutionSpace& exec, Scalar alpha, const TallBlock<const Scalar>& A, Scalar beta,
         const TallBlock<const Scalar>& B, const TallBlock<Scalar>& C) {
  const Check check{"add"};
  check.block("A", A);
  check.block("B", B);
  check.block("C", C);
  check.rows("A", A.rows, "as C", C.rows);
  check.columns("A", A.columns, "as C", C.columns);
  check.rows("B", B.rows, "as C", C.rows);
  check.columns("B", B.columns, "as C", C.columns);
  check.apart_or_same("A", A, "C", C);
  check.apart_or_same("B", B, "C", C);
  if (is_empty(C)) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::add<ExecutionSpace, Scalar>(exec, kernels<Scalar>(), alpha, A, beta, B, C);
  } else {
    OnDevice::add<ExecutionSpace, Scalar>(exec, alpha, A, beta, B, C);
  }
}

template <class ExecutionSpace, class Scalar>
void scale(const ExecutionSpace& exec, const Scalar* factors, const TallBlock<Scalar>& X) {
  const Check check{"scale"};
  check.block("X", X);
  check.given("factors", factors, X.columns);
  if (is_empty(X)) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::scale<ExecutionSpace, Scalar>(exec, kernels<Scalar>(), factors, X);
  } else {
    OnDevice::scale<ExecutionSpace, Scalar>(exec, factors, X);
  }
}

template <class ExecutionSpace, class Scalar>
void scale_rows(const ExecutionSpace& exec, const Scalar* factors, const TallBlock<const Scalar>& X,
                const TallBlock<Scalar>& Y) {
  const Check check{"scale_rows"};
  check.block("X", X);
  check.block("Y", Y);
  check.rows("Y", Y.rows, "as X", X.rows);
  check.columns("Y", Y.columns, "as X", X.columns);
  check.given("factors", factors, X.rows);
  check.apart_or_same("X", X, "Y", Y);
  if (is_empty(X)) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::scale_rows<ExecutionSpace, Scalar>(exec, kernels<Scalar>(), factors, X, Y);
  } else {
    OnDevice::scale_rows<ExecutionSpace, Scalar>(exec, factors, X, Y);
  }
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const TallBlock<const Scalar>& X, const TallBlock<Scalar>& Y) {
  const Check check{"copy"};
  check.block("X", X);
  check.block("Y", Y);
  check.rows("Y", Y.rows, "as X", X.rows);
  check.columns("Y", Y.columns, "as X", X.columns);
  if (are_same(X, Y)) return;
  check.apart("X", X, "Y", Y);
  if (is_empty(X)) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::copy<ExecutionSpace, Scalar>(exec, X, Y);
  } else {
    OnDevice::copy<ExecutionSpace, Scalar>(exec, X, Y);
  }
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const Multivector<const Scalar>& X, const TallBlock<Scalar>& Y) {
  const Check check{"copy"};
  check.block("Y", Y);
  check.rows("Y", Y.rows, "as X", X.rows);
  check.columns("Y", Y.columns, "as X", X.columns);
  if (is_empty(X)) return;
  check.given("X.data", X.data, X.columns);
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::copy<ExecutionSpace, Scalar>(exec, X, Y);
  } else {
    OnDevice::copy<ExecutionSpace, Scalar>(exec, X, Y);
  }
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const TallBlock<const Scalar>& X, const Multivector<Scalar>& Y) {
  const Check check{"copy"};
  check.block("X", X);
  check.rows("Y", Y.rows, "as X", X.rows);
  check.columns("Y", Y.columns, "as X", X.columns);
  if (is_empty(X)) return;
  check.given("Y.data", Y.data, Y.columns);
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::copy<ExecutionSpace, Scalar>(exec, X, Y);
  } else {
    OnDevice::copy<ExecutionSpace, Scalar>(exec, X, Y);
  }
}

template <class ExecutionSpace, class Scalar>
void fill(const ExecutionSpace& exec, Scalar value, const TallBlock<Scalar>& X) {
  const Check check{"fill"};
  check.block("X", X);
  if (is_empty(X)) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::fill<ExecutionSpace, Scalar>(exec, value, X);
  } else {
    OnDevice::fill<ExecutionSpace, Scalar>(exec, value, X);
  }
}

template <class ExecutionSpace, class Scalar>
void randomize(const ExecutionSpace& exec, std::uint64_t seed, std::int64_t first_row, const TallBlock<Scalar>& X) {
  const Check check{"randomize"};
  check.block("X", X);
  if (is_empty(X)) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    OnHost::randomize<ExecutionSpace, Scalar>(exec, seed, first_row, X);
  } else {
    OnDevice::randomize<ExecutionSpace, Scalar>(exec, seed, first_row, X);
  }
}

#define TESSERA_INSTANTIATE_WORKSPACE(Exec, Ignored) template class DenseWorkspace<Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE_WORKSPACE, )

#define TESSERA_FOR_EACH_REAL(Exec, M) TESSERA_IF_FLOAT(M, Exec, float) TESSERA_IF_DOUBLE(M, Exec, double)
#define TESSERA_INSTANTIATE(Exec, S)                                                                                 \
  template void inner_products(const Exec&, const DenseWorkspace<Exec>&, std::span<const TallBlock<const S>>,        \
                               const TallBlock<const S>&, const SmallMatrix<S>&);                                    \
  template void inner_products(const Exec&, const DenseWorkspace<Exec>&, std::span<const BlockProducts<S>>);         \
  template void dots(const Exec&, const DenseWorkspace<Exec>&, const TallBlock<const S>&, const TallBlock<const S>&, \
                     S*);                                                                                            \
  template void sums_of_magnitudes(const Exec&, const DenseWorkspace<Exec>&, const TallBlock<const S>&, S*);         \
  template void greatest_magnitudes(const Exec&, const DenseWorkspace<Exec>&, const TallBlock<const S>&, S*);        \
  template void multiply_add(const Exec&, const DenseWorkspace<Exec>&, S, const TallBlock<const S>&,                 \
                             const SmallMatrix<const S>&, S, const TallBlock<S>&);                                   \
  template void multiply_add(const Exec&, const DenseWorkspace<Exec>&, S, const TallBlock<const S>&,                 \
                             const SmallMatrix<const S>&, S, const TallBlock<const S>&, const TallBlock<S>&);        \
  template void multiply_add(const Exec&, const DenseWorkspace<Exec>&, S, std::span<const TallBlock<const S>>,       \
                             const SmallMatrix<const S>&, S, const TallBlock<S>&);                                   \
  template void add(const Exec&, S, const TallBlock<const S>&, S, const TallBlock<const S>&, const TallBlock<S>&);   \
  template void scale(const Exec&, const S*, const TallBlock<S>&);                                                   \
  template void scale_rows(const Exec&, const S*, const TallBlock<const S>&, const TallBlock<S>&);                   \
  template void copy(const Exec&, const TallBlock<const S>&, const TallBlock<S>&);                                   \
  template void copy(const Exec&, const Multivector<const S>&, const TallBlock<S>&);                                 \
  template void copy(const Exec&, const TallBlock<const S>&, const Multivector<S>&);                                 \
  template void fill(const Exec&, S, const TallBlock<S>&);                                                           \
  template void randomize(const Exec&, std::uint64_t, std::int64_t, const TallBlock<S>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_REAL, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
