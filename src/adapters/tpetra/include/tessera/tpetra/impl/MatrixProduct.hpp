// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_MultiVector.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tessera/ValueCheck.hpp>
#include <tessera/parallel/CurrentBuild.hpp>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/TpetraOptions.hpp>
#include <tessera/tpetra/impl/Collective.hpp>
#include <tessera/tpetra/impl/Exchange.hpp>
#include <tessera/tpetra/impl/GrowingMultivector.hpp>
#include <tessera/tpetra/impl/HaloExchange.hpp>
#include <tessera/tpetra/impl/HaloMemory.hpp>
#include <tessera/tpetra/impl/HaloRoom.hpp>
#include <tessera/tpetra/impl/LocalArrays.hpp>
#include <tessera/tpetra/impl/NcclOfComm.hpp>
#include <tessera/tpetra/impl/RankPlans.hpp>
#include <type_traits>
#include <utility>

namespace Tessera::Impl {

/// Computes Y = alpha op(A) X + beta Y for a matrix that is passed to each call: the common part of TpetraOperator and
/// CrsMatrix. The matrix is a Tpetra::CrsMatrix, or another of which there are MatrixParts. Detects whether A has other
/// Maps, another pattern or other values than in the last call.
///
/// All ranks of A's communicator must call a member together.
template <class AnyMatrix>
class MatrixProduct {
  static_assert(std::is_same_v<typename AnyMatrix::local_ordinal_type, int>,
                "Tessera: the LocalOrdinal of a matrix is int");

 public:
  using Matrix = AnyMatrix;
  using SC = typename Matrix::scalar_type;
  using MV = Tpetra::MultiVector<SC, int, typename Matrix::global_ordinal_type, typename Matrix::node_type>;

  /// \param name [in] the user's class, for messages; must outlive this object
  MatrixProduct(const char* name, const TpetraOptions& options) : name_(name), options_(options) {}

  /// Makes the plans, unless there are plans for A.
  void make(const Matrix& A) {
    look_at_maps(A);
    on_every_rank(comm(), [&] { look_at_pattern(LocalArrays<Matrix>(A)); });
  }

  /// Does in advance what the first apply() in this mode with this number of columns would do.
  void prepare(const Matrix& A, std::size_t columns, Teuchos::ETransp transp) {
    look_at_maps(A);
    make_room_everywhere(transp, Layout::Columns, columns, [&] {
      require_countable("prepare", columns);
      get_ready(A, mode_of(transp), columns, Layout::Columns);
    });
  }

  /// Does the same for apply_to_blocks().
  void prepare_blocks(const Matrix& A, std::size_t columns, Teuchos::ETransp transp) {
    look_at_maps(A);
    make_room_everywhere(transp, Layout::Rows, columns, [&] {
      require_countable("prepare_blocks", columns);
      get_ready_for_blocks(A, mode_of(transp), columns);
    });
  }

  /// Copies the present entries of A. From now on, apply() relies on being told of new values.
  void update(const Matrix& A) {
    look_at_maps(A);
    values_changed();  // even if the code below fails
    on_every_rank(comm(), [&] {
      const LocalArrays<Matrix> arrays(A);
      if (plans_ && plans_->is_for(arrays)) return plans_->take_values(arrays);
      plans_.reset();
      look_at_pattern(arrays);
    });
  }

  /// Makes the next apply() copy the values of A. From now on, apply() relies on being told of new values. Not
  /// collective.
  void values_changed() {
    options_.trusts_values = true;
    if (plans_) plans_->forget_values();
  }

  /// \param X     [in] may be Y or share memory with it
  /// \param alpha [in] if 0, neither A nor X is read
  /// \param beta  [in] if 0, Y may hold anything
  void apply(const Matrix& A, const MV& X, MV& Y, Teuchos::ETransp transp, SC alpha, SC beta) {
    look_at_maps(A);
    const std::size_t columns = X.getNumVectors();
    Mode mode{};
    agree_where_growing(transp, Layout::Columns, columns, [&] {
      mode = mode_of(transp);
      check(X, Y, mode);
      get_ready(A, mode, columns, Layout::Columns);
      if (copies_x(X, Y)) x_copy(mode).reserve(x_map(mode), columns);
      if (copies_y(Y)) y_copy(mode).reserve(y_map(mode), columns);
      if (alpha != SC(0)) require_device_views(X, Y);
    });
    if (columns == 0) return;
    if (alpha == SC(0)) return scale(beta, Y);

    const bool is_x_copied = copies_x(X, Y), is_y_copied = copies_y(Y);
    if (is_x_copied) Tpetra::deep_copy(x_copy(mode).first(columns), X);
    if (is_y_copied && beta != SC(0)) Tpetra::deep_copy(y_copy(mode).first(columns), Y);
    MV& y = is_y_copied ? y_copy(mode).first(columns) : Y;
    multiply(mode, alpha, is_x_copied ? x_copy(mode).first(columns) : X, beta, y);
    if (is_y_copied) Tpetra::deep_copy(Y, y);
  }

  /// Does the same for blocks, whose rows are multiplied in place. Blocks are converted to multivectors if Tpetra adds
  /// up elements of Y: in transposed products with a halo, for a range Map unlike the row Map, and for a replicated Y.
  template <class Block>
  void apply_to_blocks(const Matrix& A, const Block& X, Block& Y, Teuchos::ETransp transp, SC alpha, SC beta) {
    look_at_maps(A);
    const std::size_t columns = X.getNumVectors();
    Mode mode{};
    std::optional<Block> x, y;  // copies of X and Y, if needed
    bool in_place = false;
    agree_where_growing(transp, Layout::Rows, columns, [&] {
      mode = mode_of(transp);
      check(X, Y, mode);
      in_place = multiplies_rows(mode);
      get_ready_for_blocks(A, mode, columns);
      if (!in_place) return;
      if (!Y.isConstantStride()) y.emplace(Y.getMap(), columns, false);
      const bool is_multiplied = !plans_->is_joined() || has_room(X, Y);  // otherwise a copy of X is multiplied
      if (!X.isConstantStride() || (is_multiplied && (has_sparse_rows(X) || (!y && X.aliases(Y))))) {
        x.emplace(X.getMap(), columns, false);
      }
    });
    if (columns == 0) return;
    if (alpha == SC(0)) return Y.scale(beta);
    if (!in_place) return multiply_copies(mode, alpha, X, beta, Y);
    if (x) x->assign(X);
    if (y && beta != SC(0)) y->assign(Y);
    multiply_rows(mode, alpha, x ? *x : X, beta, y ? *y : Y);
    if (y) Y.assign(*y);
  }

  const TpetraOptions& options() const { return options_; }

  std::string explain() const {
    if (!plans_) return "there are no plans before the first apply()\n";
    return "rank " + std::to_string(comm().getRank()) + " of " + std::to_string(comm().getSize()) + ": " +
           plans_->explain();
  }

 private:
  using Map = typename Matrix::map_type;
#ifdef KOKKOS_ENABLE_CUDA
  static constexpr bool sends_by_nccl = std::is_same_v<typename Matrix::execution_space, Kokkos::Cuda>;
#else
  static constexpr bool sends_by_nccl = false;
#endif

  /// Says whether the columns or the rows of X and Y are contiguous.
  enum class Layout { Columns, Rows };

  const Teuchos::Comm<int>& comm() const { return exchange_->comm(); }

  Mode mode_of(Teuchos::ETransp mode) const {
    switch (mode) {
      case Teuchos::NO_TRANS:
        return Mode::NoTranspose;
      case Teuchos::TRANS:
        return Mode::Transpose;
      case Teuchos::CONJ_TRANS:
        return Mode::ConjugateTranspose;
    }
    throw std::invalid_argument(name_ + ": the mode is " + std::to_string(static_cast<int>(mode)) +
                                "; expected NO_TRANS, TRANS or CONJ_TRANS");
  }

  const Teuchos::RCP<const Map>& x_map(Mode mode) const {
    return is_transposed(mode) ? exchange_->range_map() : exchange_->domain_map();
  }
  const Teuchos::RCP<const Map>& y_map(Mode mode) const {
    return is_transposed(mode) ? exchange_->domain_map() : exchange_->range_map();
  }

  void require_countable(const char* function, std::size_t columns) const {
    if (columns <= static_cast<std::size_t>(std::numeric_limits<int>::max())) return;
    throw std::invalid_argument(name_ + "::" + function + ": columns is " + std::to_string(columns) +
                                "; expected at most 2^31 - 1");
  }

  template <class Vectors>
  void check(const Vectors& X, const Vectors& Y, Mode mode) const {
    const auto x_rows = x_map(mode)->getLocalNumElements(), y_rows = y_map(mode)->getLocalNumElements();
    if (X.getLocalLength() == x_rows && Y.getLocalLength() == y_rows && X.getNumVectors() == Y.getNumVectors()) return;
    const auto shape = [](const Vectors& vectors) {
      return std::to_string(vectors.getLocalLength()) + " local rows and " + std::to_string(vectors.getNumVectors()) +
             " columns";
    };
    throw std::invalid_argument(name_ + "::apply: in mode " + std::string(to_string(mode)) + ", X has " + shape(X) +
                                ", Y has " + shape(Y) + "; expected X with " + std::to_string(x_rows) +
                                " local rows, Y with " + std::to_string(y_rows) + ", and as many columns in both");
  }

  /// Throws if the caller holds a host view of X or Y and the device is not the host. Later views then cannot throw
  /// while other ranks wait for rows. Writes nothing, because the product may be rejected on another rank.
  static void require_device_views(const MV& X, const MV& Y) {
    static_cast<void>(X.getLocalViewDevice(Tpetra::Access::ReadOnly));
    static_cast<void>(Y.getLocalViewDevice(Tpetra::Access::ReadOnly));
  }

  /// Makes everything anew if A has other Maps. No other step before a product communicates by itself, and this step
  /// communicates only if all ranks know that they must.
  void look_at_maps(const Matrix& A) {
    if (!A.isFillComplete()) {
      throw std::invalid_argument(name_ + ": the matrix is not fill-complete; call fillComplete() first");
    }
    if (exchange_ && exchange_->is_of(A)) return;
    plans_.reset();
    for (auto* vectors : {&halo_vectors_, &row_vectors_, &domain_copy_, &range_copy_}) *vectors = {};
    halo_.reset();
    agreed_.fill(0);
    exchange_.reset();  // if the next line throws, which it does on all ranks, no exchange remains
    exchange_.emplace(A);
    make_halo_room(exchange_->halo_map()->getLocalNumElements());
    try {
      choose_halo_memory();
    } catch (...) {
      exchange_.reset();
      throw;
    }
  }

  /// Chooses how rows of X are sent. The choice of Nccl must be that of all ranks, because it makes a communicator.
  void choose_halo_memory() {
    on_every_rank(comm(), [&] { halo_memory_ = chosen_halo_memory(options_.halo_memory); });
    nccl_ = nullptr;
    if (HaloExchange<Matrix>::is_host || exchange_->importer().is_null()) return;
    if (!on_any_rank(comm(), halo_memory_ == HaloMemory::Nccl)) return;
    on_every_rank(comm(), [&] {
      if (halo_memory_ != HaloMemory::Nccl) {
        throw std::invalid_argument(name_ + ": other ranks send halos by NCCL; expected the same on all ranks");
      }
      if (!NcclComm::is_built() || !sends_by_nccl) {
        throw std::invalid_argument(name_ +
                                    ": halos cannot be sent by NCCL; expected Kokkos::Cuda, and a Tessera with the "
                                    "component Nccl (TESSERA_ENABLE_NCCL)");
      }
    });
    nccl_ = &nccl_of(exchange_->comm_pointer(), device_of_instance(typename Matrix::execution_space()));
  }

  /// Makes plans for a new pattern on this rank. Other ranks may keep their plans.
  void look_at_pattern(const LocalArrays<Matrix>& A) {
    if (plans_ && plans_->is_for(A)) return;
    plans_.reset();  // freed before new plans are allocated
    const auto owned_columns = static_cast<int>(exchange_->domain_map()->getLocalNumElements());
    PlanOptions plan = options_.plan;
    plan.hints.layout_left = true;  // true for all MultiVectors
    plan.hints.follow_values = !options_.trusts_values;
    plans_.emplace(A, exchange_->columns(), owned_columns, plan, overlaps(), options_.trusts_values);
  }

  /// Prepares plans, values and memory for products in this mode, but not memory for copies of X and Y.
  void get_ready(const Matrix& A, Mode mode, std::size_t columns, Layout layout) {
    const LocalArrays<Matrix> arrays(A);
    look_at_pattern(arrays);
    if (options_.trusts_values) {
      plans_->take_moved_values(arrays);
      if (checks_values() && plans_->values_differ_from(arrays)) {
        throw std::logic_error(
            name_ +
            "::apply: the values of the matrix are no longer those that were copied; expected a call "
            "of update() or values_changed() after they changed, and before the next apply()");
      }
    } else {
      plans_->follow_moved_values(arrays);
    }
    if (layout == Layout::Rows) {
      plans_->template prepare<Kokkos::LayoutRight>(mode, columns);
    } else {
      plans_->template prepare<Kokkos::LayoutLeft>(mode, columns);
    }
    if (!options_.trusts_values) plans_->follow(arrays, mode);
    if (!exchange_->importer().is_null()) {
      if (is_transposed(mode)) {
        halo_vectors_.reserve(exchange_->halo_map(), columns);
      } else {
        if (!halo_) halo_.emplace(exchange_->importer(), stages_halo(), joined_rows(), nccl_);
        halo_->reserve(columns);
      }
    }
    if (!exchange_->exporter().is_null()) row_vectors_.reserve(exchange_->row_map(), columns);
  }

  /// Does the same for blocks.
  void get_ready_for_blocks(const Matrix& A, Mode mode, std::size_t columns) {
    if (multiplies_rows(mode)) return get_ready(A, mode, columns, Layout::Rows);
    get_ready(A, mode, columns, Layout::Columns);
    x_copy(mode).reserve(x_map(mode), columns);
    y_copy(mode).reserve(y_map(mode), columns);
  }

  bool overlaps() const {
    if (options_.overlap != Overlap::Auto) return options_.overlap == Overlap::Always;
    return stages_halo() || (HaloExchange<Matrix>::is_host && options_.trusts_values);
  }
  /// Returns the number of rows of X that are joined with the halo.
  std::size_t joined_rows() const { return plans_->is_joined() ? exchange_->domain_map()->getLocalNumElements() : 0; }

  bool stages_halo() const { return halo_memory_ == HaloMemory::Host && !HaloExchange<Matrix>::is_host; }

  bool always_agrees() const {
    return options_.agreement == Agreement::EveryApply || (options_.trusts_values && checks_values());
  }

  /// Returns the recorded number of columns that all ranks have had memory for; null for a mode that does not exist.
  std::size_t* agreed(Teuchos::ETransp mode, Layout layout) {
    const std::size_t index = 2 * static_cast<std::size_t>(mode) + (layout == Layout::Rows ? 1 : 0);
    return index < agreed_.size() ? &agreed_[index] : nullptr;
  }

  /// Returns whether all ranks have had memory for products in this mode with this number of columns. The result must
  /// be the same on all ranks: a rank that does not communicate would leave the others waiting.
  bool has_room_everywhere(Teuchos::ETransp mode, Layout layout, std::size_t columns) {
    const std::size_t* const limit = agreed(mode, layout);
    return limit != nullptr && *limit > columns;
  }

  /// Calls a function that allocates, on every rank. If it fails on one rank, all ranks forget the recorded numbers,
  /// because memory is freed before more is requested.
  template <class Function>
  void make_room_everywhere(Teuchos::ETransp mode, Layout layout, std::size_t columns, const Function& function) {
    const auto before = agreed_;
    if (!has_room_everywhere(mode, layout, columns)) agreed_.fill(0);
    on_every_rank(comm(), function);
    agreed_ = before;
    std::size_t* const limit = agreed(mode, layout);
    *limit = std::max(*limit, columns + 1);
  }

  /// Calls a function that allocates if memory is short. If it may fail, all ranks agree on whether it succeeded.
  template <class Function>
  void agree_where_growing(Teuchos::ETransp mode, Layout layout, std::size_t columns, const Function& function) {
    if (!always_agrees() && has_room_everywhere(mode, layout, columns)) return function();
    make_room_everywhere(mode, layout, columns, function);
  }

  static bool copies_y(const MV& Y) { return !Y.isConstantStride(); }
  static bool copies_x(const MV& X, const MV& Y) { return !X.isConstantStride() || (!copies_y(Y) && X.aliases(Y)); }
  GrowingMultivector<MV>& x_copy(Mode mode) { return is_transposed(mode) ? range_copy_ : domain_copy_; }
  GrowingMultivector<MV>& y_copy(Mode mode) { return is_transposed(mode) ? domain_copy_ : range_copy_; }

  /// Computes Y = alpha op(A) X + beta Y; X and Y have constant stride and share no memory.
  void multiply(Mode mode, SC alpha, const MV& X, SC beta, MV& Y) {
    // A replicated Y is summed over the ranks in the end: only one rank may add its present value.
    const bool is_summed = !Y.isDistributed() && comm().getSize() > 1;
    if (is_summed && comm().getRank() > 0) beta = SC(0);
    const auto compute = [&] {
      if (is_transposed(mode)) {
        multiply_transposed(mode, alpha, X, beta, Y);
      } else {
        multiply_plain(alpha, X, beta, Y);
      }
    };
    if (!is_summed) return compute();
    compute_and_send(Y, compute, [&] { Y.reduce(); });
  }

  /// Computes what other ranks add to their elements of Y, and sends it. If compute() throws, sends NaN instead: no
  /// rank waits forever, and none takes an incomplete sum for the result.
  template <class Compute, class Send>
  static void compute_and_send(MV& sent, const Compute& compute, const Send& send) {
    try {
      compute();
    } catch (...) {
      static_cast<void>(Failure::of([&] { sent.putScalar(SC(std::numeric_limits<double>::quiet_NaN())); }));
      static_cast<void>(Failure::of(send));  // the first failure is the one to report
      throw;
    }
    send();
  }

  /// Returns whether blocks need no copy, because no rank adds to elements of Y that another rank owns.
  bool multiplies_rows(Mode mode) const {
    if (comm().getSize() == 1) return exchange_->exporter().is_null();
    if (!exchange_->exporter().is_null() || !y_map(mode)->isDistributed()) return false;
    return !is_transposed(mode) || exchange_->importer().is_null();
  }

  /// Returns whether the halo can be received behind the rows of X, which are multiplied in place.
  template <class Block>
  bool has_room(const Block& X, const Block& Y) const {
    const std::size_t rows = exchange_->halo_map()->getLocalNumElements();
    if (!X.isConstantStride() || has_sparse_rows(X)) return false;
    auto with_room = X.block();
    with_room.rows += static_cast<Ordinal>(rows);
    return X.getHaloRoom() >= rows && !share_memory(with_room, Y.block());
  }

  /// Returns whether X has a few columns of long rows. A cache line then holds elements of one row only, and products
  /// read each line several times.
  template <class Block>
  static bool has_sparse_rows(const Block& X) {
    constexpr std::size_t line = 64 / sizeof(SC);
    return X.getNumVectors() < line && X.getStride() >= 2 * X.getNumVectors() && X.getStride() > line / 2;
  }

  /// Computes Y = alpha op(A) X + beta Y, row by row; X and Y have constant stride and share no memory.
  template <class Block>
  void multiply_rows(Mode mode, SC alpha, const Block& X, SC beta, Block& Y) {
    const auto x = X.getLocalView();
    const auto y = Y.getLocalView();
    const auto multiply = [&] { plans_->multiply(mode, alpha, x, beta, y); };
    if (exchange_->importer().is_null()) return multiply();
    if (plans_->is_joined()) {
      if (has_room(X, Y)) return plans_->multiply(mode, alpha, halo_->exchange_behind(x), beta, y);
      return plans_->multiply(mode, alpha, halo_->exchange_all(x), beta, y);
    }
    const auto imported = halo_->exchange(x, multiply);
    if (plans_->is_split()) plans_->template add_halo<Kokkos::LayoutRight>(alpha, imported, y);
  }

  /// Does the same with multivectors.
  template <class Block>
  void multiply_copies(Mode mode, SC alpha, const Block& X, SC beta, Block& Y) {
    MV &x = x_copy(mode).first(X.getNumVectors()), &y = y_copy(mode).first(X.getNumVectors());
    X.copyTo(x);
    if (beta != SC(0)) Y.copyTo(y);
    multiply(mode, alpha, x, beta, y);
    Y.assign(y);
  }

  void multiply_plain(SC alpha, const MV& X, SC beta, MV& Y) {
    const std::size_t columns = X.getNumVectors();
    const auto& exporter = exchange_->exporter();
    const bool is_exported = !exporter.is_null();
    MV& rows = is_exported ? row_vectors_.first(columns) : Y;
    const auto x = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
    const auto multiply = [&](const auto& all) {
      multiply_local(Mode::NoTranspose, alpha, all, is_exported ? SC(0) : beta, rows);
    };
    const auto compute = [&] {
      if (exchange_->importer().is_null()) {
        multiply(x);
      } else if (plans_->is_joined()) {
        multiply(halo_->exchange_all(x));
      } else {
        add_halo(alpha, halo_->exchange(x, [&] { multiply(x); }), rows);
      }
    };
    if (!is_exported) return compute();
    compute_and_send(rows, compute, [&] {
      scale(beta, Y);
      Y.doExport(rows, *exporter, Tpetra::ADD_ASSIGN);
    });
  }

  void multiply_transposed(Mode mode, SC alpha, const MV& X, SC beta, MV& Y) {
    const std::size_t columns = X.getNumVectors();
    const auto& importer = exchange_->importer();
    const auto& exporter = exchange_->exporter();
    if (!exporter.is_null()) row_vectors_.first(columns).doImport(X, *exporter, Tpetra::INSERT);
    const MV& rows = exporter.is_null() ? X : row_vectors_.first(columns);
    const auto multiply = [&] {
      if (plans_->is_joined()) return add_joined(beta, Y);
      multiply_local(mode, alpha, rows.getLocalViewDevice(Tpetra::Access::ReadOnly), beta, Y);
    };
    if (importer.is_null()) return multiply();
    MV& sent = halo_vectors_.first(columns);
    bool is_computed = false;
    const auto compute = [&] {
      multiply_halo(mode, alpha, rows, sent);
      is_computed = true;
    };
    const auto multiply_the_rest = [&] {
      if (is_computed) multiply();
    };
    compute_and_send(sent, compute, [&] {
      Y.beginExport(sent, *importer, Tpetra::ADD_ASSIGN);
      call_both(multiply_the_rest, [&] { Y.endExport(sent, *importer, Tpetra::ADD_ASSIGN); });
    });
  }

  /// Computes Y = alpha op(A) x + beta Y, without the halo if entries are split; x and Y have constant stride.
  template <class X>
  void multiply_local(Mode mode, SC alpha, const X& x, SC beta, MV& Y) {
    if (beta == SC(0)) {
      plans_->multiply(mode, alpha, x, SC(0), Y.getLocalViewDevice(Tpetra::Access::OverwriteAll));
    } else {
      plans_->multiply(mode, alpha, x, beta, Y.getLocalViewDevice(Tpetra::Access::ReadWrite));
    }
  }

  /// Computes Y += alpha (halo part) (imported elements of X).
  void add_halo(SC alpha, const typename HaloExchange<Matrix>::Rows& imported, MV& Y) {
    if (!plans_->is_split()) return;
    plans_->template add_halo<Kokkos::LayoutLeft>(alpha, imported, Y.getLocalViewDevice(Tpetra::Access::ReadWrite));
  }

  /// Computes sent = alpha op(A) X, for elements of the halo.
  void multiply_halo(Mode mode, SC alpha, const MV& X, MV& sent) {
    if (!plans_->is_split() && !plans_->is_joined()) return;
    const auto x = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
    const auto halo = sent.getLocalViewDevice(Tpetra::Access::OverwriteAll);  // beta is SC(0), hence all are written
    if (plans_->is_joined()) return plans_->multiply_joined(mode, alpha, x, halo);
    plans_->multiply_halo(mode, alpha, x, SC(0), halo);
  }

  /// Computes Y = alpha op(A) X + beta Y for the rank's own elements, after multiply_halo().
  void add_joined(SC beta, MV& Y) {
    if (beta == SC(0)) {
      plans_->add_joined(SC(0), Y.getLocalViewDevice(Tpetra::Access::OverwriteAll));
    } else {
      plans_->add_joined(beta, Y.getLocalViewDevice(Tpetra::Access::ReadWrite));
    }
  }

  static void scale(SC beta, MV& Y) {
    if (beta == SC(0)) {
      Y.putScalar(SC(0));  // Y may hold anything
    } else if (beta != SC(1)) {
      Y.scale(beta);
    }
  }

  std::string name_;
  TpetraOptions options_;
  std::optional<Exchange<Matrix>> exchange_;
  std::optional<RankPlans<Matrix>> plans_;
  HaloMemory halo_memory_ = HaloMemory::Host;  // not Auto
  NcclComm* nccl_ = nullptr;                   // sends elements of X; null if MPI does

  std::optional<HaloExchange<Matrix>> halo_;         // imports elements of X; made at first use
  GrowingMultivector<MV> halo_vectors_;              // halo Map: elements of Y to send to their owners
  GrowingMultivector<MV> row_vectors_;               // row Map, if the range Map is another
  GrowingMultivector<MV> domain_copy_, range_copy_;  // copies of X or Y, if they overlap or lack a constant stride
  // By mode and layout: the number of columns that all ranks have had memory for, plus one.
  std::array<std::size_t, 8> agreed_{};
};

}  // namespace Tessera::Impl
