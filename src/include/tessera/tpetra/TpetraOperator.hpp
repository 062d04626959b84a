// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_BlockCrsMatrix_fwd.hpp>
#include <Tpetra_CrsMatrix_fwd.hpp>
#include <Tpetra_Map_fwd.hpp>
#include <Tpetra_MultiVector_fwd.hpp>
#include <Tpetra_Operator.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <tessera/tpetra/BlockOperator.hpp>
#include <tessera/tpetra/TpetraOptions.hpp>
#include <type_traits>

namespace Tessera {

/// A Tpetra::CrsMatrix or BlockCrsMatrix that multiplies with Tessera: Y = alpha op(A) X + beta Y on distributed
/// multivectors.
///
/// ```
///   auto A = Teuchos::rcp(new Tessera::TpetraOperator<>(matrix));   // matrix: RCP of a fill-complete matrix
///   problem.setOperator(A);                                         // Belos, Anasazi: anything that takes an Operator
/// ```
///
/// **Blocks.** X and Y have the Maps of a BlockCrsMatrix' points, getDomainMap() and getRangeMap(). There is more than
/// in its own apply(): transposed modes, vectors of any stride, X that shares memory with Y, a range Map unlike the row
/// Map. Maps of the mesh must be distributed. Plans store elements, not blocks: a plan in compressed rows takes 16
/// bytes for each element of a double matrix besides A itself. It never reads A's own values, hence it follows them by
/// a fingerprint, in one pass. Pattern and Maps are those of the blocks.
///
/// A rank imports elements of X that others own (the *halo*). It usually has one plan: apply() receives the halo behind
/// the rank's own elements, or behind a copy of them, and then multiplies. If values are trusted on a host, or the halo
/// passes through the host on its way to a device, the rank splits its entries into two parts: apply() begins the
/// exchange, multiplies the entries in columns whose elements the rank owns while it waits, and then adds the product
/// of the other entries. TpetraOptions::overlap changes this. All Maps of a CrsMatrix work: a row Map unlike the range
/// Map, a column Map in any order, a locally replicated domain or range, ranks without rows.
///
/// **Nothing is ever stale.** apply() multiplies with the Maps, the pattern and the values that A has when it is
/// called, whoever changed them and in whatever way, except edits of the column indices in place. New values cost no
/// analysis. Plan::follow_values() says how they are detected: a plan of all entries in compressed rows reads A's own
/// values, at no cost; any other plan compares a fingerprint, in one pass over the values, or two if entries are split.
/// A rank that splits its entries stores their values twice, in the plans and as two separate arrays. A program that
/// knows when values change may call update() instead. From the first call on, apply() relies on these calls; if
/// entries are split, the memory of the separate arrays is kept for the next update().
///
/// The operator keeps the RCP of A and the View of A's row offsets. It keeps no other View of A, X or Y beyond a call.
///
/// Scratch memory (halo, workspaces) is allocated when a product has more columns than any before in its mode, and
/// never shrinks. If Tpetra sends (transposed products, a range Map unlike the row Map), its buffers are kept for each
/// number of columns that was used; if a block shrinks and grows again, only such buffers are allocated. The operator
/// is not thread-safe, because apply() uses the scratch memory.
///
/// **Messages.** In a product that is not transposed, a rank sends each neighbour one message, from the memory that
/// HaloMemory selects. If MPI cannot read the memory of the device, elements are copied through pinned host memory
/// while the device multiplies.
///
/// **Collective.** All ranks of A's communicator call the constructor, update(), prepare() and apply(). If a rank fails
/// in the first apply() with a given number of columns (a bad argument, no memory for plans or scratch), all ranks
/// throw that rank's message before anything is sent. Later calls reduce nothing over the ranks: an error on one rank
/// leaves the others waiting, as with Tpetra::CrsMatrix. With Agreement::EveryApply, all ranks agree in every call.
/// This does not cover Tpetra's own allocations for sending.
///
/// \tparam Scalar        float, double or std::complex of these
/// \tparam LocalOrdinal  int
/// \tparam GlobalOrdinal any of Tpetra's
/// \tparam Node          any of Tpetra's whose execution space Tessera is built for
///
/// Types for which Tpetra is not instantiated need tessera/tpetra/TpetraOperator_def.hpp.
template <class Scalar = Tpetra::Operator<>::scalar_type,
          class LocalOrdinal = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class TpetraOperator : public Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>,
                       public BlockOperator<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
  static_assert(!Impl::KernelScalar<Scalar>::supported || Impl::is_compiled_v<Impl::kernel_scalar_t<Scalar>>,
                "Tessera::TpetraOperator: this Tessera was configured without this Scalar (TESSERA_SCALARS)");

 public:
  using map_type = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;                          ///< the type of Maps
  using multivector_type = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;  ///< the type of X and Y
  using matrix_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;         ///< the type of A
  /// The type of an A of blocks.
  using block_matrix_type = Tpetra::BlockCrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  /// Makes the plans. Cost: a few passes over A's entries on each rank, and an exchange of the halo's indices.
  ///
  /// \param matrix [in] a fill-complete matrix
  /// \param options [in] options of the plans, when ranks agree on errors, and whether values are followed
  /// \throws std::invalid_argument if the matrix is null or not fill-complete, or an option cannot be met
  /// \throws std::bad_alloc, or what Kokkos throws for it, if memory runs out
  ///
  /// With MPI, if one rank throws, all throw the same error, unless the matrix is null.
  explicit TpetraOperator(const Teuchos::RCP<const matrix_type>& matrix, const TpetraOptions& options = {});

  /// Does the same for an RCP of a BlockCrsMatrix, const or not, or of a class derived from it.
  template <class Matrix>
  requires std::is_convertible_v < Matrix*, const Tpetra::BlockCrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>
  * > explicit TpetraOperator(const Teuchos::RCP<Matrix>& matrix, const TpetraOptions& options = {})
      : TpetraOperator(options, Teuchos::RCP<const block_matrix_type>(matrix)) {}

  ~TpetraOperator() override;
  TpetraOperator(const TpetraOperator&) = delete;
  TpetraOperator& operator=(const TpetraOperator&) = delete;

  Teuchos::RCP<const map_type> getDomainMap() const override;  ///< the domain Map of A
  Teuchos::RCP<const map_type> getRangeMap() const override;   ///< the range Map of A
  bool hasTransposeApply() const override { return true; }     ///< true: apply() takes all modes
  bool hasDiagonal() const override { return true; }           ///< true: see getLocalDiagCopy()
  /// Copies the present diagonal of the matrix, in its row Map (of a BlockCrsMatrix: the row Map of its points).
  /// Collective.
  ///
  /// \throws std::invalid_argument on all ranks if the Map of `diagonal` is another
  void getLocalDiagCopy(Tpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& diagonal) const override;

  /// Computes Y = alpha op(A) X + beta Y.
  ///
  /// beta = 0 overwrites Y, which may then hold anything, NaN included. alpha = 0 reads neither A nor X. X may be Y or
  /// share memory with it, and both may have non-constant stride; apply() then copies them.
  ///
  /// A column of the result has the same bits in each run, whatever the other columns are (for a column alone on a GPU:
  /// only with PlanOptions::same_bits_alone), if this rank computes all of it: in products that are not transposed,
  /// with a range Map that is the row Map. Two kinds of sums over ranks do not promise this. MPI computes the sums of a
  /// replicated Y, in an order that may depend on the number of columns. Tpetra adds what other ranks send for an
  /// element of Y (in transposed products, or for a range Map unlike the row Map). On several threads it does so
  /// atomically, in any order: if two or more ranks send for the same element, the last bits may differ in each run.
  ///
  /// \param X     [in]     in the domain Map (range Map for TRANS and CONJ_TRANS); only local lengths are checked
  /// \param Y     [in,out] in the range Map (domain Map for TRANS and CONJ_TRANS), with the number of columns of X
  /// \param mode  [in]     NO_TRANS, TRANS or CONJ_TRANS; the first transposed product builds the transposed plans
  /// \param alpha [in]     the factor of op(A) X
  /// \param beta  [in]     the factor of Y
  /// \throws std::invalid_argument if X or Y does not fit, naming both sizes, or the matrix is not fill-complete
  /// \throws std::bad_alloc, or what Kokkos throws for it, if memory runs out
  void apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override;

  /// Does the same for BlockVectors. Their rows are sent to other ranks without a copy, and multiplied in place if the
  /// rank splits its entries or has no halo.
  ///
  /// X is copied if it is Y or overlaps Y, if it is a list of columns, or if it is a few columns of long rows. Y is
  /// copied if it is a list of columns. Both are converted to multivectors if elements of Y are summed over ranks: in
  /// transposed products, for a range Map unlike the row Map, and for a replicated Y. For these sums, see above.
  void apply(const BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& X,
             BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override;

  /// Allocates the memory for products of Tpetra's multivectors in this mode with up to `columns` columns, and builds
  /// the plans of a transposed mode, as the first apply() would. Collective.
  ///
  /// \throws the errors of apply(), and std::invalid_argument if columns is 2^31 or more
  void prepare(std::size_t columns, Teuchos::ETransp mode = Teuchos::NO_TRANS);

  /// Does the same for BlockVectors: afterwards, an apply() that copies no block allocates nothing. If apply()
  /// converts blocks to multivectors, this allocates the multivectors, but not Tpetra's memory for sending.
  void prepare_blocks(std::size_t columns, Teuchos::ETransp mode = Teuchos::NO_TRANS);

  /// Copies A's present entries. From now on, apply() relies on being told of new values by update(), and products do
  /// not check values. A new pattern is still detected. Costs two passes over the values and, if A has other arrays for
  /// its pattern, a pass over these, which are compared by a checksum.
  ///
  /// A debug build throws std::logic_error in apply() if a later update() is missing; see checks_values(), which must
  /// return the same on all ranks.
  ///
  /// \throws std::invalid_argument if the matrix is not fill-complete
  void update();

  /// Describes this rank's plans: what was chosen and why, and how much of it is in the halo.
  std::string explain() const;

 private:
  struct State;
  TpetraOperator(const TpetraOptions& options, const Teuchos::RCP<const block_matrix_type>& matrix);

  std::unique_ptr<State> state_;
};

/// Takes the types from the matrix, a Tpetra::CrsMatrix, a Tpetra::BlockCrsMatrix or a class derived from one of them.
template <class Matrix>
TpetraOperator(const Teuchos::RCP<Matrix>& matrix, const TpetraOptions& options = {})
    -> TpetraOperator<typename Matrix::scalar_type, typename Matrix::local_ordinal_type,
                      typename Matrix::global_ordinal_type, typename Matrix::node_type>;

}  // namespace Tessera
