// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Details_Profiling.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_MultiVector.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/spmm/Spmm.hpp>
#include <tessera/spmm/ValueCheck.hpp>
#include <tessera/spmm/Workspaces.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>
#include <tessera/tpetra/impl/Boundary.hpp>
#include <tessera/tpetra/impl/Collective.hpp>
#include <tessera/tpetra/impl/GrowingMultivector.hpp>
#include <tessera/tpetra/impl/RowSplit.hpp>
#include <type_traits>
#include <vector>

namespace Tessera {

namespace Impl {

inline Mode mode_of(Teuchos::ETransp mode) {
  switch (mode) {
    case Teuchos::NO_TRANS:
      return Mode::NoTranspose;
    case Teuchos::TRANS:
      return Mode::Transpose;
    case Teuchos::CONJ_TRANS:
      return Mode::ConjugateTranspose;
  }
  throw std::invalid_argument("Tessera::TpetraOperator: the mode is " + std::to_string(static_cast<int>(mode)) +
                              "; expected NO_TRANS, TRANS or CONJ_TRANS");
}

}  // namespace Impl

/// What a rank holds, and what it does in each step of an apply().
template <class SC, class LO, class GO, class NO>
struct TpetraOperator<SC, LO, GO, NO>::State {
  static_assert(std::is_same_v<LO, int>, "Tessera::TpetraOperator: LocalOrdinal is int");

  using MV = multivector_type;
  using Scalar = typename matrix_type::impl_scalar_type;
  using Exec = typename NO::execution_space;
  using Device = typename matrix_type::device_type;
  using PlanType = Plan<Scalar, int, std::size_t, typename Exec::device_type>;
  using LocalMatrix = typename matrix_type::local_matrix_device_type;

  /// A plan with its scratch memory.
  struct Part {
    PlanType plan;
    Workspaces<Exec> workspaces;

    void prepare(Mode mode, std::size_t columns) { workspaces.get(Exec(), plan, mode, static_cast<int>(columns)); }
    template <class X, class Y>
    void multiply(Mode mode, SC alpha, const X& x, SC beta, const Y& y) {
      const Exec exec;
      spmm(exec, plan, workspaces.get(exec, plan, mode, static_cast<int>(x.extent(1))), mode, Scalar(alpha), x,
           Scalar(beta), y);
    }
  };

  Teuchos::RCP<const matrix_type> matrix;
  TpetraOperatorOptions options;
  Teuchos::RCP<const Teuchos::Comm<int>> comm;
  Teuchos::RCP<const map_type> domain_map, range_map, row_map, column_map;
  Teuchos::RCP<const Tpetra::Export<LO, GO, NO>> exporter;  // row Map to range Map; null if they are the same
  Teuchos::RCP<const Tpetra::Import<LO, GO, NO>> importer;  // domain Map to halo; null if no rank has one
  Teuchos::RCP<const map_type> halo_map;
  std::uint64_t checksum = 0;
  Impl::CopiedValues copied;

  bool is_split = false;  // else A's own rows are those of `owned`
  Impl::RowSplit<Device> split;
  Part owned, halo;

  Impl::GrowingMultivector<MV> halo_vectors;  // halo Map: imported elements of X, or elements of Y to send home
  Impl::GrowingMultivector<MV> row_vectors;   // row Map, where the range Map is another
  Impl::GrowingMultivector<MV> domain_copy,
      range_copy;                                  // of X or Y, where they share memory or have no constant stride
  Impl::BoundaryVectors<Scalar, Device> boundary;  // rows with halo entries: products, or elements of X
  std::array<std::size_t, 4> agreed{};             // see make_room_everywhere()

  State(const Teuchos::RCP<const matrix_type>& A, const TpetraOperatorOptions& wanted) : matrix(A), options(wanted) {
    comm = matrix->getComm();
    Impl::ColumnSplit<map_type> columns;
    Impl::on_every_rank(*comm, [&] {
      check_fill_complete();
      domain_map = matrix->getDomainMap();
      range_map = matrix->getRangeMap();
      row_map = matrix->getRowMap();
      column_map = matrix->getColMap();
      exporter = matrix->getGraph()->getExporter();
      columns = Impl::ColumnSplit<map_type>::of(*column_map, *domain_map);
    });
    make_importer(columns.halo);
    Impl::on_every_rank(*comm, [&] { make_plans(columns); });
  }

  void check_fill_complete() const {
    if (!matrix->isFillComplete()) {
      throw std::invalid_argument(
          "Tessera::TpetraOperator: the matrix is not fill-complete; call fillComplete() first");
    }
  }

  void make_importer(const std::vector<GO>& halo_columns) {
    const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    halo_map = Teuchos::rcp(
        new map_type(unknown, Teuchos::ArrayView<const GO>(halo_columns), domain_map->getIndexBase(), comm));
    if (halo_map->getGlobalNumElements() == 0) return;
    importer = Teuchos::rcp(new Tpetra::Import<LO, GO, NO>(domain_map, halo_map));
  }

  void make_plans(const Impl::ColumnSplit<map_type>& columns) {
    const Exec exec;
    const LocalMatrix A = matrix->getLocalMatrixDevice();
    const auto rows = static_cast<int>(A.numRows());
    const auto owned_columns = static_cast<int>(domain_map->getLocalNumElements());
    checksum = Impl::pattern_checksum(exec, A);
    copied.remember(exec, A.values);
    is_split = !columns.keeps_numbers;
    if (!is_split) {
      owned.plan = make_plan(exec, rows, owned_columns, A.graph.row_map, A.graph.entries, A.values, options.plan);
      return;
    }
    split = Impl::split_rows<Device>(exec, A, columns.targets);
    const auto [own, far] = Impl::cut<Scalar>(exec, A, split, true);
    owned.plan = make_plan(exec, rows, owned_columns, own.row_offsets, own.column_indices, own.values, options.plan);
    halo.plan = make_plan(exec, split.boundary_rows(), static_cast<int>(columns.halo.size()), far.row_offsets,
                          far.column_indices, far.values, options.plan);
  }

  /// Whether A is no longer what the plans were made from, values apart.
  bool is_changed() const {
    const auto other = [](const map_type& then, const map_type& now) { return !then.locallySameAs(now); };
    return other(*domain_map, *matrix->getDomainMap()) || other(*range_map, *matrix->getRangeMap()) ||
           other(*row_map, *matrix->getRowMap()) || other(*column_map, *matrix->getColMap()) ||
           checksum != Impl::pattern_checksum(Exec(), matrix->getLocalMatrixDevice());
  }

  void update_values() {
    const Exec exec;
    const LocalMatrix A = matrix->getLocalMatrixDevice();
    if (is_split) {
      const auto [own, far] = Impl::cut<Scalar>(exec, A, split, false);
      owned.plan.update_values(exec, own.values);
      halo.plan.update_values(exec, far.values);
    } else {
      owned.plan.update_values(exec, A.values);
    }
    copied.remember(exec, A.values);
    exec.fence("Tessera::TpetraOperator::update");
  }

  void check_values_are_copied() const {
    if (checks_values() && copied.differ_from(Exec(), matrix->getLocalMatrixDevice().values)) {
      throw std::logic_error(
          "Tessera::TpetraOperator::apply: the values of the matrix are no longer those that the operator copied; "
          "expected a call of update() after they changed, and before the next apply()");
    }
  }

  const Teuchos::RCP<const map_type>& x_map(Mode mode) const { return is_transposed(mode) ? range_map : domain_map; }
  const Teuchos::RCP<const map_type>& y_map(Mode mode) const { return is_transposed(mode) ? domain_map : range_map; }

  void check(const MV& X, const MV& Y, Mode mode) const {
    const auto x_rows = x_map(mode)->getLocalNumElements(), y_rows = y_map(mode)->getLocalNumElements();
    if (X.getLocalLength() == x_rows && Y.getLocalLength() == y_rows && X.getNumVectors() == Y.getNumVectors()) return;
    const auto shape = [](const MV& vectors) {
      return std::to_string(vectors.getLocalLength()) + " local rows and " + std::to_string(vectors.getNumVectors()) +
             " columns";
    };
    throw std::invalid_argument("Tessera::TpetraOperator::apply: in mode " + std::string(to_string(mode)) + ", X has " +
                                shape(X) + ", Y has " + shape(Y) + "; expected X with " + std::to_string(x_rows) +
                                " local rows, Y with " + std::to_string(y_rows) + ", and as many columns in both");
  }

  static bool copies_y(const MV& Y) { return !Y.isConstantStride(); }
  static bool copies_x(const MV& X, const MV& Y) { return !X.isConstantStride() || (!copies_y(Y) && X.aliases(Y)); }
  Impl::GrowingMultivector<MV>& x_copy(Mode mode) { return is_transposed(mode) ? range_copy : domain_copy; }
  Impl::GrowingMultivector<MV>& y_copy(Mode mode) { return is_transposed(mode) ? domain_copy : range_copy; }

  /// All memory of products in this mode, but for copies of X and Y.
  void make_room(Mode mode, std::size_t columns) {
    owned.prepare(mode, columns);
    if (is_split) {
      halo.prepare(mode, columns);
      boundary.reserve(split.boundary_rows(), columns);
    }
    if (!importer.is_null()) halo_vectors.reserve(halo_map, columns);
    if (!exporter.is_null()) row_vectors.reserve(row_map, columns);
  }
  void make_room(const MV& X, const MV& Y, Mode mode) {
    const std::size_t columns = X.getNumVectors();
    make_room(mode, columns);
    if (copies_x(X, Y)) x_copy(mode).reserve(x_map(mode), columns);
    if (copies_y(Y)) y_copy(mode).reserve(y_map(mode), columns);
  }

  /// Whether all ranks have had memory for products in this mode with as many columns. Asks for nothing that may differ
  /// from rank to rank: those who would not ask the others are waited for.
  bool has_room_everywhere(Teuchos::ETransp mode, std::size_t columns) const {
    const auto index = static_cast<std::size_t>(mode);
    return index < agreed.size() && agreed[index] >= columns;
  }

  /// Calls the function, which makes room, on every rank. If it fails on one, no rank has room for anything: memory is
  /// given up before more is asked for.
  template <class Function>
  void make_room_everywhere(Teuchos::ETransp mode, std::size_t columns, const Function& function) {
    std::array<std::size_t, 4> before = agreed;
    if (!has_room_everywhere(mode, columns)) agreed.fill(0);
    Impl::on_every_rank(*comm, function);
    std::size_t& most = before[static_cast<std::size_t>(mode)];
    most = std::max(most, columns);
    agreed = before;
  }

  /// Y = alpha op(owned part) X + beta Y; both with constant stride.
  void multiply_owned(Mode mode, SC alpha, const MV& X, SC beta, MV& Y) {
    const auto x = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
    if (beta == SC(0)) {
      owned.multiply(mode, alpha, x, SC(0), Y.getLocalViewDevice(Tpetra::Access::OverwriteAll));
    } else {
      owned.multiply(mode, alpha, x, beta, Y.getLocalViewDevice(Tpetra::Access::ReadWrite));
    }
  }

  /// Y += alpha (halo part) (imported elements of X)
  void add_halo(SC alpha, const MV& imported, MV& Y) {
    if (!is_split) return;
    const auto sums = boundary.first(Y.getNumVectors());
    halo.multiply(Mode::NoTranspose, alpha, imported.getLocalViewDevice(Tpetra::Access::ReadOnly), SC(0), sums);
    Impl::add_to_rows(Exec(), split.boundary, sums, Y.getLocalViewDevice(Tpetra::Access::ReadWrite));
  }

  /// sent = alpha op(halo part) X
  void multiply_halo(Mode mode, SC alpha, const MV& X, MV& sent) {
    if (!is_split) return;
    const auto rows = boundary.first(X.getNumVectors());
    Impl::take_rows(Exec(), split.boundary, X.getLocalViewDevice(Tpetra::Access::ReadOnly), rows);
    halo.multiply(mode, alpha, rows, SC(0), sent.getLocalViewDevice(Tpetra::Access::OverwriteAll));
  }

  void apply_plain(SC alpha, const MV& X, SC beta, MV& Y) {
    const std::size_t columns = X.getNumVectors();
    const bool is_exported = !exporter.is_null();
    MV* imported = importer.is_null() ? nullptr : &halo_vectors.first(columns);
    if (imported != nullptr) imported->beginImport(X, *importer, Tpetra::INSERT);
    MV& rows = is_exported ? row_vectors.first(columns) : Y;
    multiply_owned(Mode::NoTranspose, alpha, X, is_exported ? SC(0) : beta, rows);
    if (imported != nullptr) {
      imported->endImport(X, *importer, Tpetra::INSERT);
      add_halo(alpha, *imported, rows);
    }
    if (!is_exported) return;
    scale(beta, Y);
    Y.doExport(rows, *exporter, Tpetra::ADD_ASSIGN);
  }

  void apply_transposed(Mode mode, SC alpha, const MV& X, SC beta, MV& Y) {
    const std::size_t columns = X.getNumVectors();
    if (!exporter.is_null()) row_vectors.first(columns).doImport(X, *exporter, Tpetra::INSERT);
    const MV& rows = exporter.is_null() ? X : row_vectors.first(columns);
    MV* sent = importer.is_null() ? nullptr : &halo_vectors.first(columns);
    if (sent != nullptr) {
      multiply_halo(mode, alpha, rows, *sent);
      Y.beginExport(*sent, *importer, Tpetra::ADD_ASSIGN);
    }
    multiply_owned(mode, alpha, rows, beta, Y);
    if (sent != nullptr) Y.endExport(*sent, *importer, Tpetra::ADD_ASSIGN);
  }

  /// Y = alpha op(A) X + beta Y; both with constant stride and apart from each other.
  void apply(Mode mode, SC alpha, const MV& X, SC beta, MV& Y) {
    // A replicated Y is summed over the ranks in the end: its present value must come from one of them.
    const bool is_summed = !Y.isDistributed() && comm->getSize() > 1;
    if (is_summed && comm->getRank() > 0) beta = SC(0);
    if (is_transposed(mode)) {
      apply_transposed(mode, alpha, X, beta, Y);
    } else {
      apply_plain(alpha, X, beta, Y);
    }
    if (is_summed) Y.reduce();
  }

  static void scale(SC beta, MV& Y) {
    if (beta == SC(0)) {
      Y.putScalar(SC(0));  // whatever it holds
    } else if (beta != SC(1)) {
      Y.scale(beta);
    }
  }
};

template <class SC, class LO, class GO, class NO>
TpetraOperator<SC, LO, GO, NO>::TpetraOperator(const Teuchos::RCP<const matrix_type>& matrix,
                                               const TpetraOperatorOptions& options) {
  if (matrix.is_null()) throw std::invalid_argument("Tessera::TpetraOperator: the matrix is null");
  state_ = std::make_unique<State>(matrix, options);
}

template <class SC, class LO, class GO, class NO>
TpetraOperator<SC, LO, GO, NO>::~TpetraOperator() = default;

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TpetraOperator<SC, LO, GO, NO>::map_type> TpetraOperator<SC, LO, GO, NO>::getDomainMap()
    const {
  return state_->domain_map;
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TpetraOperator<SC, LO, GO, NO>::map_type> TpetraOperator<SC, LO, GO, NO>::getRangeMap()
    const {
  return state_->range_map;
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::getLocalDiagCopy(Tpetra::Vector<SC, LO, GO, NO>& diagonal) const {
  state_->matrix->getLocalDiagCopy(diagonal);
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp transp,
                                           SC alpha, SC beta) const {
  const Tpetra::Details::ProfilingRegion region("Tessera::TpetraOperator::apply");
  State& s = *state_;
  Mode mode{};
  const auto get_ready = [&] {
    mode = Impl::mode_of(transp);
    s.check(X, Y, mode);
    s.check_values_are_copied();
    s.make_room(X, Y, mode);
  };
  if (s.options.agreement == Agreement::EveryApply || checks_values() ||
      !s.has_room_everywhere(transp, X.getNumVectors())) {
    s.make_room_everywhere(transp, X.getNumVectors(), get_ready);
  } else {
    get_ready();
  }
  if (Y.getNumVectors() == 0) return;
  if (alpha == SC(0)) return State::scale(beta, Y);

  const bool copies_x = State::copies_x(X, Y), copies_y = State::copies_y(Y);
  if (copies_x) Tpetra::deep_copy(s.x_copy(mode).first(X.getNumVectors()), X);
  if (copies_y && beta != SC(0)) Tpetra::deep_copy(s.y_copy(mode).first(Y.getNumVectors()), Y);
  multivector_type& y = copies_y ? s.y_copy(mode).first(Y.getNumVectors()) : Y;
  s.apply(mode, alpha, copies_x ? s.x_copy(mode).first(X.getNumVectors()) : X, beta, y);
  if (copies_y) Tpetra::deep_copy(Y, y);
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::prepare(std::size_t columns, Teuchos::ETransp mode) {
  state_->make_room_everywhere(mode, columns, [&] {
    if (columns > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::invalid_argument("Tessera::TpetraOperator::prepare: columns is " + std::to_string(columns) +
                                  "; expected at most 2^31 - 1");
    }
    state_->make_room(Impl::mode_of(mode), columns);
  });
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::update() {
  State& s = *state_;
  bool is_changed = false;
  Impl::on_every_rank(*s.comm, [&] {
    s.check_fill_complete();
    is_changed = s.is_changed();
  });
  if (Impl::on_any_rank(*s.comm, is_changed)) {
    state_ = std::make_unique<State>(s.matrix, s.options);
  } else {
    Impl::on_every_rank(*s.comm, [&] { s.update_values(); });
  }
}

template <class SC, class LO, class GO, class NO>
std::string TpetraOperator<SC, LO, GO, NO>::explain() const {
  const State& s = *state_;
  std::string text = "rank " + std::to_string(s.comm->getRank()) + " of " + std::to_string(s.comm->getSize()) + ": ";
  if (!s.is_split) return text + "all columns are its own\n" + s.owned.plan.explain();
  text += std::to_string(s.split.owned_entries) + " entries in columns of its own, " +
          std::to_string(s.split.halo_entries) + " in a halo of " + std::to_string(s.halo_map->getLocalNumElements()) +
          " columns, which " + std::to_string(s.split.boundary_rows()) + " rows need\n";
  return text + "own columns: " + s.owned.plan.explain() + "halo: " + s.halo.plan.explain();
}

}  // namespace Tessera
