// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_ArrayView.hpp>
#include <Teuchos_DataAccess.hpp>
#include <Teuchos_RCP.hpp>
#include <Teuchos_Range1D.hpp>
#include <Teuchos_SerialDenseMatrix.hpp>
#include <Tpetra_Map_fwd.hpp>
#include <Tpetra_MultiVector_fwd.hpp>
#include <Tpetra_Vector_fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tessera/dense/Orthonormalize.hpp>
#include <tessera/dense/TallBlock.hpp>
#include <tessera/tpetra/BlockVector_fwd.hpp>
#include <type_traits>
#include <vector>

namespace Tessera {

/// Several vectors whose rows are distributed over the ranks by a Tpetra::Map, for block solvers. The columns of a row
/// are adjacent in the memory of the device, unlike those of a Tpetra::MultiVector, and there is no copy on the host.
/// Functions have Tpetra's names. Belos and Anasazi accept it in place of a Tpetra::MultiVector (BelosBlockVector.hpp,
/// AnasaziBlockVector.hpp):
///
/// ```
///   auto X = Teuchos::rcp(new Tessera::BlockVector<>(map, 16));             // 0
///   auto B = Teuchos::rcp(new Tessera::BlockVector<>(*multivector));        // a copy of a Tpetra::MultiVector
///   matrix->apply(*X, *B);                                                  // Tessera::CrsMatrix, TpetraOperator
/// ```
///
/// **Views.** A copy of a BlockVector is a view of the same elements, as with Tpetra. subView() and subViewNonConst()
/// return views of some columns, which keep the elements alive. A function may read some columns and write other
/// columns of the same rows. If the two sets of columns overlap, it first copies the columns that it reads.
///
/// **Cost.** Each function reads and writes its operands once, for up to 128 columns. Functions with a result wait for
/// it once, and reduce it over the ranks in one MPI_Allreduce; the others do neither. The memory of a destroyed
/// BlockVector is kept for others, up to the peak in use. Kokkos::finalize() frees it.
///
/// **Results** are the same in each run, on any number of threads. MPI computes the sums over ranks.
///
/// orthonormalize(), functions with a result, and constructors from a Map are collective. Only local sizes are checked:
/// a function throws std::invalid_argument, before it communicates, if blocks do not fit each other.
///
/// \tparam Scalar        float or double
/// \tparam LocalOrdinal  int
/// \tparam GlobalOrdinal any of Tpetra's
/// \tparam Node          any of Tpetra's whose execution space Tessera is built for
///
/// Types for which Tpetra is not instantiated need tessera/tpetra/BlockVector_def.hpp. Functions that take or return
/// multivectors then need Tpetra_MultiVector_def.hpp as well; the others need only a Map.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
class BlockVector {
 public:
  using scalar_type = Scalar;                                       ///< the type of an element
  using local_ordinal_type = LocalOrdinal;                          ///< type of local row indices
  using global_ordinal_type = GlobalOrdinal;                        ///< type of global row indices
  using node_type = Node;                                           ///< the Node of the Map
  using map_type = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;  ///< the type of Maps
  using multivector_type = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;  ///< Tpetra's multivector
  using vector_type = Tpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;            ///< Tpetra's vector
  using small_matrix_type = Teuchos::SerialDenseMatrix<int, Scalar>;  ///< a small matrix on the host
  using execution_space = typename Node::execution_space;             ///< where kernels run
  using memory_space = typename Node::memory_space;                   ///< where elements are
  /// A View of the elements on this rank, which does not own them.
  using view_type =
      Kokkos::View<Scalar**, Kokkos::LayoutStride, typename Node::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  /// A View of the elements on this rank, to read.
  using const_view_type = typename view_type::const_type;

  /// A View of elements whose columns are adjacent.
  using row_major_view_type =
      Kokkos::View<Scalar**, Kokkos::LayoutRight, typename Node::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Makes columns of zeros or, if `zero_out` is false, of undefined values.
  BlockVector(const Teuchos::RCP<const map_type>& map, std::size_t columns, bool zero_out = true);

  /// Copies a multivector of any stride.
  explicit BlockVector(const multivector_type& vectors);

  /// Makes a view of elements that the caller owns, which must outlive it. Their columns are adjacent.
  ///
  /// \param halo_room [in] see getHaloRoom(): the caller's memory has this number of rows more than `elements`
  /// \throws std::invalid_argument if there is not a row for each of the Map on this rank, or no memory
  BlockVector(const Teuchos::RCP<const map_type>& map, const row_major_view_type& elements, std::size_t halo_room = 0);

  /// Makes a view of the elements of `other`, or a copy of them.
  BlockVector(const BlockVector& other, Teuchos::DataAccess access);

  BlockVector(const BlockVector& other);                 ///< a view of the same elements
  BlockVector(BlockVector&& other) noexcept;             ///< moves the elements
  BlockVector& operator=(const BlockVector& other);      ///< becomes a view of `other`
  BlockVector& operator=(BlockVector&& other) noexcept;  ///< moves the elements
  ~BlockVector() {
    // Checked here, not in the class, because the compiler considers all BlockVectors for overloads of apply().
    static_assert(Impl::has_blocks_v<Scalar>,
                  "Tessera::BlockVector: the Scalar is float or double, and this Tessera was configured with it");
    static_assert(std::is_same_v<LocalOrdinal, int>, "Tessera::BlockVector: the LocalOrdinal is int");
  }

  Teuchos::RCP<const map_type> getMap() const { return map_; }                      ///< the Map of the rows
  std::size_t getNumVectors() const { return static_cast<std::size_t>(columns_); }  ///< number of columns
  std::size_t getLocalLength() const { return static_cast<std::size_t>(rows_); }    ///< number of rows on this rank
  std::size_t getGlobalLength() const;                                              ///< number of rows on all ranks
  bool isDistributed() const;                                                       ///< same as Tpetra's
  bool isConstantStride() const { return !list_; }                                  ///< false for a list of columns
  std::size_t getStride() const { return static_cast<std::size_t>(row_stride_); }   ///< elements from row to row
  /// Returns the number of rows of memory behind the last row on this rank. Products receive elements of other ranks
  /// there, and thus need no copy of the block. A new BlockVector has room for the largest halo of this rank's matrices
  /// so far, but at most four times as many rows as its own. Products of a matrix with a larger halo, or one that is
  /// made later, copy the block.
  std::size_t getHaloRoom() const { return halo_room_; }

  /// Returns the elements on this rank, for dense algebra and kernels. Valid while the BlockVector exists.
  Impl::TallBlock<Scalar> block();
  Impl::TallBlock<const Scalar> block() const;  ///< the same, to read

  /// Returns the elements on this rank as a View of strides getStride() and 1, which does not own them.
  ///
  /// \throws std::logic_error if this is a list of columns
  view_type getLocalView();
  const_view_type getLocalView() const;  ///< the same, to read

  /// Returns whether this and `other` share, or may share, an element.
  bool aliases(const BlockVector& other) const;

  /// Returns a view of columns [range.lbound(), range.ubound()], without a copy.
  Teuchos::RCP<const BlockVector> subView(const Teuchos::Range1D& range) const;
  /// Returns a view of the listed columns, in this order and each at most once, without a copy.
  Teuchos::RCP<const BlockVector> subView(const Teuchos::ArrayView<const std::size_t>& columns) const;
  Teuchos::RCP<BlockVector> subViewNonConst(const Teuchos::Range1D& range);                         ///< a view to write
  Teuchos::RCP<BlockVector> subViewNonConst(const Teuchos::ArrayView<const std::size_t>& columns);  ///< a view to write
  Teuchos::RCP<BlockVector> subCopy(const Teuchos::Range1D& range) const;                           ///< a copy
  Teuchos::RCP<BlockVector> subCopy(const Teuchos::ArrayView<const std::size_t>& columns) const;    ///< a copy

  void assign(const BlockVector& other);  ///< copies all elements of a BlockVector of the same shape
  /// Copies all elements of a multivector of the same shape; copies twice if its stride is not constant.
  void assign(const multivector_type& vectors);
  /// Copies all elements to a multivector of the same shape; copies twice if its stride is not constant.
  void copyTo(multivector_type& vectors) const;
  Teuchos::RCP<multivector_type> toMultiVector() const;  ///< a copy of Tpetra's type

  void putScalar(Scalar value);                                 ///< all elements = value
  void randomize();                                             ///< uniform in [-1, 1), different in each call
  void randomize(std::uint64_t seed);                           ///< uniform in [-1, 1), the same for a seed
  void scale(Scalar factor);                                    ///< this = factor * this
  void scale(const Teuchos::ArrayView<const Scalar>& factors);  ///< column j is multiplied by factors[j]
  void scale(Scalar factor, const BlockVector& A);              ///< this = factor * A

  /// this = alpha A + beta this. A block whose factor is 0 is not read.
  void update(Scalar alpha, const BlockVector& A, Scalar beta);
  /// this = alpha A + beta B + gamma this. A block whose factor is 0 is not read. Takes one pass if gamma = 0 or if A
  /// or B is this, otherwise two.
  void update(Scalar alpha, const BlockVector& A, Scalar beta, const BlockVector& B, Scalar gamma);

  /// this = alpha X B + beta this. X may be this. If beta = 0, this may hold anything on entry.
  ///
  /// \param B [in] a row for each column of X, and a column for each column of this
  void multiply(Scalar alpha, const BlockVector& X, const small_matrix_type& B, Scalar beta);

  /// C = alpha this^T Y, summed over the ranks. If alpha is 0, nothing is read.
  ///
  /// \param C [out] a row for each column of this, and a column for each column of Y
  void innerProducts(Scalar alpha, const BlockVector& Y, small_matrix_type& C) const;

  /// this = diagonal(factors) X, with an element of `factors` for each row. X may be this.
  void scaleRows(const vector_type& factors, const BlockVector& X);

  /// result[j] = x_j . y_j
  void dot(const BlockVector& Y, const Teuchos::ArrayView<Scalar>& result) const;
  void norm1(const Teuchos::ArrayView<Scalar>& result) const;  ///< the sum of |x_ij| over the rows, for each column
  void norm2(const Teuchos::ArrayView<Scalar>& result) const;  ///< the root of the sum of squares, for each column
  void normInf(
      const Teuchos::ArrayView<Scalar>& result) const;  ///< the largest |x_ij|, or NaN if there is one, for each column

  /// Makes the columns orthonormal, and orthogonal to the orthonormal blocks Q, by Tessera::orthonormalize() over all
  /// ranks. Afterwards X0 = Q C + X R, where X0 is the old and X the new content of this.
  ///
  /// \param Q       [in]  orthonormal blocks that are orthogonal to each other; may be empty
  /// \param C       [out] a row for each column of the blocks in Q, and a column for each column of this; or null
  /// \param R       [out] upper triangular, with a row and a column for each column of this; or null
  /// \param options [in]  says what happens to dependent columns; first_row is overwritten
  /// \return the number of columns that were independent
  /// \throws std::runtime_error if this holds NaN or Inf; it is then unchanged
  int orthonormalize(const Teuchos::ArrayView<const Teuchos::RCP<const BlockVector>>& Q = {},
                     small_matrix_type* C = nullptr, small_matrix_type* R = nullptr,
                     const Impl::OrthonormalizeOptions& options = {});

 private:
  class Apart;

  BlockVector columns_of(const Teuchos::Range1D& range) const;
  BlockVector columns_of(const Teuchos::ArrayView<const std::size_t>& columns) const;
  void require_same_shape(const char* function, const BlockVector& other) const;
  void require_shape(const char* function, const multivector_type& vectors) const;
  void require_results(const char* function, std::size_t size) const;
  std::int64_t first_row() const;
  void sum_over_ranks(Scalar* sums, int count) const;

  Teuchos::RCP<const map_type> map_;
  std::shared_ptr<Scalar> data_;  // element (0, 0); with a list, the element of row 0 at position 0
  Impl::Ordinal rows_ = 0, columns_ = 0;
  std::ptrdiff_t row_stride_ = 0;
  std::size_t halo_room_ = 0;
  std::shared_ptr<const std::vector<Impl::Ordinal>>
      list_;  // positions of the columns in a row; null if they are adjacent
};

}  // namespace Tessera
