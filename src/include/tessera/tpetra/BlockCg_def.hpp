// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_RowMatrix.hpp>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/BlockCg.hpp>
#include <tessera/tpetra/impl/Collective.hpp>
#include <tessera/tpetra/impl/HaloRoom.hpp>
#include <vector>

namespace Tessera {

namespace Impl {

/// The system A X = B of block_cg() for BlockVectors.
template <class SC, class LO, class GO, class NO>
class BlockCgOnRanks {
 public:
  using Operator = Tpetra::Operator<SC, LO, GO, NO>;
  using Block = BlockVector<SC, LO, GO, NO>;
  using Exec = typename NO::execution_space;
  using Workspace = BlockCgWorkspace<Exec, SC>;

  BlockCgOnRanks(const Operator& A, const BlockCgOptions<SC>& options) : map_(A.getDomainMap()), options_(options) {
    if (map_.is_null()) {
      throw std::invalid_argument("Tessera::block_cg: A has no domain Map; expected a fill-complete matrix");
    }
    options_.halo_room = room_for(A);
    options_.sum_over_ranks = {};
    if (comm().getSize() > 1 && map_->isDistributed()) {
      options_.sum_over_ranks = [this](SC* sums, Ordinal count) {
        std::vector<SC> mine(sums, sums + count);
        Teuchos::reduceAll(comm(), Teuchos::REDUCE_SUM, static_cast<int>(count), mine.data(), sums);
      };
    }
  }

  /// \param M [in] a preconditioner; null if there is none
  BlockCgResult solve(const Operator& A, const Operator* M, const Block& B, Block& X, Workspace& workspace) const {
    on_every_rank(comm(), [&] {
      require_map("range Map of A", A.getRangeMap());
      if (M != nullptr) require_map("domain Map of M", M->getDomainMap());
      if (M != nullptr) require_map("range Map of M", M->getRangeMap());
      require_block("B", B);
      require_block("X", X);
      if (X.getNumVectors() != B.getNumVectors()) {
        reject("X has " + std::to_string(X.getNumVectors()) + " columns; expected " +
               std::to_string(B.getNumVectors()) + ", as B");
      }
      if (X.aliases(B)) reject("X shares memory with B; expected memory apart from it");
    });
    const auto b = B.getLocalView();
    const auto x = X.getLocalView();
    const auto multiply = [&](const auto& P, const auto& Q) { apply_to_views(A, P, Q); };
    if (M == nullptr) return block_cg(Exec(), multiply, b, x, options_, workspace);
    const auto precondition = [&](const auto& R, const auto& Z) { apply_to_views(*M, R, Z); };
    return block_cg(Exec(), multiply, precondition, b, x, options_, workspace);
  }

 private:
  using Map = Tpetra::Map<LO, GO, NO>;

  const Teuchos::Comm<int>& comm() const { return *map_->getComm(); }

  [[noreturn]] static void reject(const std::string& found) {
    throw std::invalid_argument("Tessera::block_cg: " + found);
  }
  void require_map(const char* name, const Teuchos::RCP<const Map>& map) const {
    if (map == map_ || (!map.is_null() && map->locallySameAs(*map_))) return;
    reject(std::string("the ") + name + " is not the domain Map of A; expected the same");
  }
  void require_block(const char* name, const Block& block) const {
    if (block.getLocalLength() != map_->getLocalNumElements()) {
      reject(std::string(name) + " has " + std::to_string(block.getLocalLength()) + " local rows; expected " +
             std::to_string(map_->getLocalNumElements()) + ", as the domain Map of A");
    }
    if (!block.isConstantStride()) reject(std::string(name) + " is a list of columns; expected adjacent columns");
  }

  /// Returns upper bound on the rows that A receives from other ranks, if they are known before the first product.
  static int room_for(const Operator& A) {
    std::size_t rows = largest_halo();
    const auto* const matrix = dynamic_cast<const Tpetra::RowMatrix<SC, LO, GO, NO>*>(&A);
    if (matrix != nullptr && matrix->isFillComplete()) {
      const std::size_t columns = matrix->getColMap()->getLocalNumElements();
      rows = std::max(rows, columns - std::min(columns, matrix->getDomainMap()->getLocalNumElements()));
    }
    rows = halo_room_of(A.getDomainMap()->getLocalNumElements(), rows);
    return static_cast<int>(std::min<std::size_t>(rows, std::numeric_limits<int>::max()));
  }

  template <class From, class To>
  void apply_to_views(const Operator& op, const From& from, const To& to) const {
    using View = typename Block::row_major_view_type;
    const Block read(map_, View(const_cast<SC*>(from.data()), from.extent(0), from.extent(1)),
                     static_cast<std::size_t>(options_.halo_room));
    Block written(map_, View(to.data(), to.extent(0), to.extent(1)));
    apply(op, read, written);
  }

  Teuchos::RCP<const Map> map_;
  BlockCgOptions<SC> options_;
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
BlockCgResult block_cg(const Tpetra::Operator<SC, LO, GO, NO>& A, const Tpetra::Operator<SC, LO, GO, NO>& M,
                       const BlockVector<SC, LO, GO, NO>& B, BlockVector<SC, LO, GO, NO>& X,
                       const BlockCgOptions<SC>& options,
                       BlockCgWorkspace<typename NO::execution_space, SC>& workspace) {
  return Impl::BlockCgOnRanks<SC, LO, GO, NO>(A, options).solve(A, &M, B, X, workspace);
}

template <class SC, class LO, class GO, class NO>
BlockCgResult block_cg(const Tpetra::Operator<SC, LO, GO, NO>& A, const Tpetra::Operator<SC, LO, GO, NO>& M,
                       const BlockVector<SC, LO, GO, NO>& B, BlockVector<SC, LO, GO, NO>& X,
                       const BlockCgOptions<SC>& options) {
  BlockCgWorkspace<typename NO::execution_space, SC> workspace;
  return block_cg(A, M, B, X, options, workspace);
}

template <class SC, class LO, class GO, class NO>
BlockCgResult block_cg(const Tpetra::Operator<SC, LO, GO, NO>& A, const BlockVector<SC, LO, GO, NO>& B,
                       BlockVector<SC, LO, GO, NO>& X, const BlockCgOptions<SC>& options,
                       BlockCgWorkspace<typename NO::execution_space, SC>& workspace) {
  return Impl::BlockCgOnRanks<SC, LO, GO, NO>(A, options).solve(A, nullptr, B, X, workspace);
}

template <class SC, class LO, class GO, class NO>
BlockCgResult block_cg(const Tpetra::Operator<SC, LO, GO, NO>& A, const BlockVector<SC, LO, GO, NO>& B,
                       BlockVector<SC, LO, GO, NO>& X, const BlockCgOptions<SC>& options) {
  BlockCgWorkspace<typename NO::execution_space, SC> workspace;
  return block_cg(A, B, X, options, workspace);
}

}  // namespace Tessera
