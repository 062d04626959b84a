// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_fwd.hpp>
#include <Tpetra_Map_fwd.hpp>
#include <Tpetra_MultiVector_fwd.hpp>
#include <Tpetra_Operator.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <tessera/spmm/PlanOptions.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>

namespace Tessera {

/// When the ranks of a TpetraOperator ask each other whether one of them cannot go on.
enum class Agreement {
  EveryApply,  ///< in every apply(): an error on any rank throws on all; costs one MPI_Allreduce of an int
  WhenGrowing  ///< only when a mode comes with more columns than before: arguments that are wrong on some ranks alone,
               ///< or memory for copies of an X that is Y, may then leave the others waiting, as with Tpetra::CrsMatrix
};

struct TpetraOperatorOptions {
  PlanOptions plan;  ///< for each of the rank's own plans
  Agreement agreement = Agreement::EveryApply;
};

/// A Tpetra::CrsMatrix that multiplies with Tessera: Y = alpha op(A) X + beta Y on distributed multivectors.
///
///   auto A = Teuchos::rcp(new Tessera::TpetraOperator<>(matrix));   // matrix: RCP of a fill-complete CrsMatrix
///   problem.setOperator(A);                                         // Belos, Anasazi: anything that takes an Operator
///
/// Each rank cuts its rows in two: entries in columns whose elements of X it owns, and entries in columns that it
/// imports (the *halo*). apply() begins the exchange of the halo, multiplies the first part meanwhile, and adds the
/// second. Any Maps that a CrsMatrix has: row Map unlike range Map, column Map in any order, locally replicated domain
/// or range, ranks without rows.
///
/// The operator copies A's entries: after they change, call update(). (A debug build throws std::logic_error in apply()
/// when that was forgotten; see checks_values(), which must say the same on all ranks.) It keeps A itself only by its
/// RCP, and no View of A, X or Y beyond a call. Scratch memory (halo, workspaces) is made when a mode first comes with
/// more columns than before, and grows only; Tpetra's buffers for the exchange are kept for each number of columns that
/// has come. A block that deflates and grows again allocates nothing but those. Not thread-safe: apply() uses that
/// scratch.
///
/// **Collective.** Constructor, update(), prepare() and apply() are called by all ranks of A's communicator. If one
/// rank fails (a bad argument, memory for plans or scratch), all of them throw, with that rank's message, before
/// anything is sent. What Tpetra allocates to send it is not part of this.
///
/// \tparam Scalar        float, double or std::complex of these
/// \tparam LocalOrdinal  int
/// \tparam GlobalOrdinal any of Tpetra's
/// \tparam Node          any of Tpetra's whose execution space Tessera is built for
///
/// Types that Tpetra is not instantiated for need <tessera/tpetra/TpetraOperator_def.hpp>.
template <class Scalar = Tpetra::Operator<>::scalar_type,
          class LocalOrdinal = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class TpetraOperator : public Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
  static_assert(!Impl::KernelScalar<Scalar>::supported || is_compiled_v<Impl::kernel_scalar_t<Scalar>>,
                "Tessera::TpetraOperator: this Tessera was configured without this Scalar (TESSERA_SCALARS)");

 public:
  using map_type = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;
  using multivector_type = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using matrix_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  /// Cost: a few passes over A's entries on each rank, and an exchange of the halo's indices.
  ///
  /// \param matrix [in] fill-complete
  /// \throws std::invalid_argument if the matrix is null or not fill-complete, or an option cannot be met;
  ///         std::bad_alloc, or what this Kokkos throws for it; with MPI the same on every rank, but for a matrix that
  ///         is null
  explicit TpetraOperator(const Teuchos::RCP<const matrix_type>& matrix, const TpetraOperatorOptions& options = {});
  ~TpetraOperator() override;
  TpetraOperator(const TpetraOperator&) = delete;
  TpetraOperator& operator=(const TpetraOperator&) = delete;

  Teuchos::RCP<const map_type> getDomainMap() const override;
  Teuchos::RCP<const map_type> getRangeMap() const override;
  bool hasTransposeApply() const override { return true; }
  bool hasDiagonal() const override { return true; }
  /// The matrix's own diagonal, in its row Map: not that of the last update().
  void getLocalDiagCopy(Tpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& diagonal) const override;

  /// Y = alpha op(A) X + beta Y.
  ///
  /// beta = 0 overwrites Y, which may then hold anything, NaN included; alpha = 0 reads neither A nor X. X may be Y, or
  /// share memory with it (it is copied then), and both may have non-constant stride (copied as well).
  ///
  /// Bit for bit, a column of the result does not depend on the other columns, but for two sums over ranks. Those of a
  /// replicated Y are MPI's. And what two or more other ranks add to an element of Y (in transposed products, or for a
  /// range Map unlike the row Map) Tpetra adds in any order, unless its execution space has a single thread.
  ///
  /// \param X    [in]     in the domain Map (range Map for TRANS and CONJ_TRANS); of Maps, only the local lengths are
  ///                      checked
  /// \param Y    [in,out] in the range Map (domain Map), as many columns as X
  /// \param mode [in]     NO_TRANS, TRANS or CONJ_TRANS; the first of the latter two builds the transposed plans
  /// \throws std::invalid_argument if X or Y does not fit, naming both sizes; std::bad_alloc, or what this Kokkos
  ///         throws for it
  void apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override;

  /// Does now what the first apply() in this mode with up to `columns` columns would do: allocates, and builds the
  /// transposed plans where the mode asks for them.
  void prepare(std::size_t columns, Teuchos::ETransp mode = Teuchos::NO_TRANS);

  /// Takes A's present entries. If only values changed, wherever the arrays now are, this is a pass over the pattern,
  /// which is compared by a checksum, and two over the values (with a copy of them, if the rank has a halo). If the
  /// pattern or a Map changed on any rank (resumeFill, new entries), everything is made anew as by the constructor.
  ///
  /// \throws std::invalid_argument if the matrix is not fill-complete
  void update();

  /// This rank's plans in words: what was chosen and why; the entries on the rank and in the halo.
  std::string explain() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Tessera
