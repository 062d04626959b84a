// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tessera/common/Multivector.hpp>
#include <tessera/dense/TallBlock.hpp>

/// Algebra of tall blocks: the operations of a block Krylov solver between two products with its matrix.
///
/// Every function reads and writes its blocks once for up to 128 columns, and once more for each further 128 columns.
/// Rows are cut into parts that depend only on the number of rows and columns. Each part is summed in order, and so are
/// the sums of the parts: the same blocks give the same bits in every run and for any number of threads.
///
/// Small matrices and results are in host memory. Functions with a result wait for it, once. Other functions do not
/// wait, but have read their small matrix when they return. All blocks of a call have the same number of rows unless
/// the function says otherwise. An output must not overlap an input. If the function says so, it may be the same block
/// (are_same). Other overlaps, and numbers of rows or columns that do not fit, throw std::invalid_argument.
///
/// The functions are compiled for float and double on every backend.
namespace Tessera::Impl {

/// A small column-major matrix in host memory: element (i, j) is data[i + j * stride].
template <class Scalar>
struct SmallMatrix {
  Scalar* data = nullptr;     ///< element (0, 0)
  Ordinal rows = 0;           ///< number of rows
  Ordinal columns = 0;        ///< number of columns
  std::ptrdiff_t stride = 0;  ///< elements from one column to the next

  Scalar& operator()(Ordinal i, Ordinal j) const { return data[i + j * stride]; }  ///< element (i, j)

  /// Converts to a read-only matrix.
  template <class T>
  operator SmallMatrix<T>() const requires(!std::is_const_v<Scalar> && std::is_same_v<T, const Scalar>) {
    return {data, rows, columns, stride};
  }
};

/// Memory for sums and small matrices, kept from call to call. It grows with the largest call, to at most a few MiB
/// plus, where a function says so, copies of operands with other layouts. A workspace serves one instance of a backend
/// at a time.
template <class ExecutionSpace>
class DenseWorkspace {
 public:
  DenseWorkspace();
  ~DenseWorkspace();
  DenseWorkspace(DenseWorkspace&&) noexcept;             ///< moves the memory
  DenseWorkspace& operator=(DenseWorkspace&&) noexcept;  ///< moves the memory

  struct Memory;                               ///< the arrays; they depend on the kind of backend
  Memory& memory() const { return *memory_; }  ///< for the functions below

 private:
  std::unique_ptr<Memory> memory_;
};

/// Computes C = X^T Y, where X has all columns of several blocks: C has the rows of X[0], then those of X[1], and so
/// on. Reads Y and each block of X once, and waits once. If Y is one of the blocks of X, it is read once. On devices,
/// blocks whose columns are side by side in the same rows count as one block.
template <class ExecutionSpace, class Scalar>
void inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    std::span<const TallBlock<const Scalar>> X, const TallBlock<const Scalar>& Y,
                    const SmallMatrix<Scalar>& C);

/// The arguments of a call of inner_products(): C = X^T Y.
template <class Scalar>
struct BlockProducts {
  std::span<const TallBlock<const Scalar>> X;  ///< blocks
  TallBlock<const Scalar> Y;                   ///< the other factor
  SmallMatrix<Scalar> C;                       ///< the result
};

/// Computes several products of blocks with the same rows, and waits once. Results may have other bits than those of
/// single calls. Hosts read a block once for all products of up to 128 columns, devices once for each product.
template <class ExecutionSpace, class Scalar>
void inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    std::span<const BlockProducts<Scalar>> all);

/// Computes result[j] = x_j . y_j for each column. Waits once.
template <class ExecutionSpace, class Scalar>
void dots(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, const TallBlock<const Scalar>& X,
          const TallBlock<const Scalar>& Y, Scalar* result);

/// Computes result[j], the sum of |x_ij| over the rows. Waits once.
template <class ExecutionSpace, class Scalar>
void sums_of_magnitudes(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                        const TallBlock<const Scalar>& X, Scalar* result);

/// Computes result[j], the greatest |x_ij| over the rows: 0 if there are no rows, NaN if an element is NaN. Waits once.
template <class ExecutionSpace, class Scalar>
void greatest_magnitudes(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                         const TallBlock<const Scalar>& X, Scalar* result);

/// Computes Y = alpha X B + beta Y, where B has a row for each column of X. Y may be X if B is square and beta is 0. If
/// beta is 0, Y may hold anything on entry. Elements of B that are 0 are multiplied, too.
template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Scalar alpha,
                  const TallBlock<const Scalar>& X, const SmallMatrix<const Scalar>& B, Scalar beta,
                  const TallBlock<Scalar>& Y);

/// Does the same for an X whose columns are in several blocks. The rows of B for X[0] come first, then those for X[1],
/// and so on. If beta is 0, Y may be one of the blocks. On devices, blocks whose columns are side by side in the same
/// rows are read together; otherwise Y is read and written again for each block. Hosts read and write Y once for blocks
/// of up to 128 columns.
template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Scalar alpha,
                  std::span<const TallBlock<const Scalar>> X, const SmallMatrix<const Scalar>& B, Scalar beta,
                  const TallBlock<Scalar>& Y);

/// Computes Y = alpha X B + beta Z. Y may be X if B is square. Devices read and write Y twice.
template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Scalar alpha,
                  const TallBlock<const Scalar>& X, const SmallMatrix<const Scalar>& B, Scalar beta,
                  const TallBlock<const Scalar>& Z, const TallBlock<Scalar>& Y);

/// Computes C = alpha A + beta B. C may be A or B. A block whose factor is 0 is not read.
template <class ExecutionSpace, class Scalar>
void add(const ExecutionSpace& exec, Scalar alpha, const TallBlock<const Scalar>& A, Scalar beta,
         const TallBlock<const Scalar>& B, const TallBlock<Scalar>& C);

/// Computes x_ij = factors[j] x_ij. `factors` has an element for each column, in host memory.
template <class ExecutionSpace, class Scalar>
void scale(const ExecutionSpace& exec, const Scalar* factors, const TallBlock<Scalar>& X);

/// Computes Y = diagonal(factors) X. `factors` has an element for each row, in memory of the backend. Y may be X.
template <class ExecutionSpace, class Scalar>
void scale_rows(const ExecutionSpace& exec, const Scalar* factors, const TallBlock<const Scalar>& X,
                const TallBlock<Scalar>& Y);

/// Computes Y = X. X and Y may share memory only if they are the same block, or different columns of the same rows.
template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const TallBlock<const Scalar>& X, const TallBlock<Scalar>& Y);

/// Computes Y = X for an X with any strides, in memory of the backend.
template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const Multivector<const Scalar>& X, const TallBlock<Scalar>& Y);

/// Computes Y = X for a Y with any strides, in memory of the backend.
template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const TallBlock<const Scalar>& X, const Multivector<Scalar>& Y);

/// Sets all elements to `value`.
template <class ExecutionSpace, class Scalar>
void fill(const ExecutionSpace& exec, Scalar value, const TallBlock<Scalar>& X);

/// Makes elements uniform in [-1, 1). They depend only on the seed, on first_row + i and on j. Hence a block whose rows
/// are distributed over ranks is the same for any number of ranks if first_row is the number of rows on lower ranks.
template <class ExecutionSpace, class Scalar>
void randomize(const ExecutionSpace& exec, std::uint64_t seed, std::int64_t first_row, const TallBlock<Scalar>& X);

}  // namespace Tessera::Impl
