// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tessera/dense/DenseAlgebra.hpp>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/impl/BlockMemory.hpp>
#include <tessera/tpetra/impl/HaloRoom.hpp>
#include <utility>
#include <vector>

namespace Tessera {

namespace Impl {

/// Returns the row stride: a multiple of 8, 4 or 2 elements if that makes rows longer by at most an eighth.
inline std::ptrdiff_t row_stride_of(std::size_t columns) {
  for (const std::size_t multiple : {8, 4, 2}) {
    const std::size_t stride = (columns + multiple - 1) / multiple * multiple;
    if ((stride - columns) * 8 <= columns) return static_cast<std::ptrdiff_t>(stride);
  }
  return static_cast<std::ptrdiff_t>(columns);
}

/// Returns a seed for random numbers that was not used before.
inline std::uint64_t next_seed() {
  static std::atomic<std::uint64_t> seed{0};
  return ++seed;
}

template <class Scalar>
SmallMatrix<Scalar> small(Teuchos::SerialDenseMatrix<int, Scalar>& matrix) {
  return {matrix.values(), matrix.numRows(), matrix.numCols(), matrix.stride()};
}
template <class Scalar>
SmallMatrix<const Scalar> small(const Teuchos::SerialDenseMatrix<int, Scalar>& matrix) {
  return {matrix.values(), matrix.numRows(), matrix.numCols(), matrix.stride()};
}

/// Converts a Tpetra View to the type that dense algebra takes.
template <class View>
auto strided(const View& view) {
  return Multivector<typename View::value_type>{
      view.data(), static_cast<Ordinal>(view.extent(0)), static_cast<Ordinal>(view.extent(1)),
      static_cast<std::ptrdiff_t>(view.stride(0)), static_cast<std::ptrdiff_t>(view.stride(1))};
}

inline std::string shape_of(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " local rows and " + std::to_string(columns) + " columns";
}

}  // namespace Impl

/// The operand that an operation reads: the block itself, or a copy if the operation writes some of it.
template <class SC, class LO, class GO, class NO>
class BlockVector<SC, LO, GO, NO>::Apart {
 public:
  /// \param may_be_same [in] whether the operation may write the same block that it reads
  Apart(const BlockVector& read, const BlockVector& written, bool may_be_same) {
    const bool is_apart = !read.aliases(written) || (may_be_same && Impl::are_same(read.block(), written.block()));
    if (!is_apart) copy_.emplace(read, Teuchos::Copy);
    block_ = is_apart ? read.block() : std::as_const(*copy_).block();
  }
  const Impl::TallBlock<const SC>& block() const { return block_; }

 private:
  std::optional<BlockVector> copy_;
  Impl::TallBlock<const SC> block_;
};

template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO>::BlockVector(const Teuchos::RCP<const map_type>& map, std::size_t columns, bool zero_out)
    : map_(map) {
  if (map.is_null()) throw std::invalid_argument("Tessera::BlockVector: the Map is null");
  if (columns > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::invalid_argument("Tessera::BlockVector: there are " + std::to_string(columns) +
                                " columns; expected at most 2^31 - 1");
  }
  rows_ = static_cast<Impl::Ordinal>(map->getLocalNumElements());
  columns_ = static_cast<Impl::Ordinal>(columns);
  row_stride_ = Impl::row_stride_of(columns);
  halo_room_ = Impl::halo_room_of(map->getLocalNumElements());
  const std::size_t rows = map->getLocalNumElements() + halo_room_;
  const std::size_t bytes = rows * static_cast<std::size_t>(row_stride_) * sizeof(SC);
  const std::shared_ptr<void> memory = Impl::BlockMemory<memory_space>::instance().take(bytes);
  data_ = std::shared_ptr<SC>(memory, static_cast<SC*>(memory.get()));
  if (zero_out) putScalar(SC(0));
}

template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO>::BlockVector(const multivector_type& vectors)
    : BlockVector(vectors.getMap(), vectors.getNumVectors(), false) {
  assign(vectors);
}

template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO>::BlockVector(const Teuchos::RCP<const map_type>& map, const row_major_view_type& elements,
                                         std::size_t halo_room)
    : map_(map), data_(std::shared_ptr<SC>(), elements.data()), halo_room_(halo_room) {
  if (map.is_null()) throw std::invalid_argument("Tessera::BlockVector: the Map is null");
  const std::size_t rows = map->getLocalNumElements();
  if (elements.extent(0) != rows || elements.extent(1) > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::invalid_argument("Tessera::BlockVector: there are " + std::to_string(elements.extent(0)) + " rows and " +
                                std::to_string(elements.extent(1)) + " columns; expected " + std::to_string(rows) +
                                " rows, as in the Map, and at most 2^31 - 1 columns");
  }
  if (rows > 0 && elements.extent(1) > 0 && elements.data() == nullptr) {
    throw std::invalid_argument("Tessera::BlockVector: the elements have no memory");
  }
  rows_ = static_cast<Impl::Ordinal>(elements.extent(0));
  columns_ = static_cast<Impl::Ordinal>(elements.extent(1));
  // Of a part of a View. The stride of a single row does not matter, unless there is room behind it.
  row_stride_ = rows > 1 || halo_room > 0 ? static_cast<std::ptrdiff_t>(elements.stride(0)) : columns_;
}

template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO>::BlockVector(const BlockVector& other, Teuchos::DataAccess access) : BlockVector(other) {
  if (access == Teuchos::View) return;
  *this = BlockVector(other.map_, other.getNumVectors(), false);
  assign(other);
}

template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO>::BlockVector(const BlockVector& other) = default;
template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO>::BlockVector(BlockVector&& other) noexcept = default;
template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO>& BlockVector<SC, LO, GO, NO>::operator=(const BlockVector& other) = default;
template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO>& BlockVector<SC, LO, GO, NO>::operator=(BlockVector&& other) noexcept = default;

template <class SC, class LO, class GO, class NO>
std::size_t BlockVector<SC, LO, GO, NO>::getGlobalLength() const {
  return static_cast<std::size_t>(map_->getGlobalNumElements());
}

template <class SC, class LO, class GO, class NO>
bool BlockVector<SC, LO, GO, NO>::isDistributed() const {
  return map_->isDistributed();
}

template <class SC, class LO, class GO, class NO>
Impl::TallBlock<SC> BlockVector<SC, LO, GO, NO>::block() {
  return {data_.get(), rows_, columns_, row_stride_, list_ ? list_->data() : nullptr};
}

template <class SC, class LO, class GO, class NO>
Impl::TallBlock<const SC> BlockVector<SC, LO, GO, NO>::block() const {
  return {data_.get(), rows_, columns_, row_stride_, list_ ? list_->data() : nullptr};
}

template <class SC, class LO, class GO, class NO>
typename BlockVector<SC, LO, GO, NO>::view_type BlockVector<SC, LO, GO, NO>::getLocalView() {
  if (list_) throw std::logic_error("Tessera::BlockVector::getLocalView: a list of columns has no constant stride");
  return view_type(data_.get(), Kokkos::LayoutStride(getLocalLength(), getStride(), getNumVectors(), 1));
}

template <class SC, class LO, class GO, class NO>
typename BlockVector<SC, LO, GO, NO>::const_view_type BlockVector<SC, LO, GO, NO>::getLocalView() const {
  return BlockVector(*this).getLocalView();
}

template <class SC, class LO, class GO, class NO>
bool BlockVector<SC, LO, GO, NO>::aliases(const BlockVector& other) const {
  return Impl::share_memory(block(), other.block());
}

template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO> BlockVector<SC, LO, GO, NO>::columns_of(const Teuchos::Range1D& range) const {
  const auto first = static_cast<std::ptrdiff_t>(range.lbound()), count = static_cast<std::ptrdiff_t>(range.size());
  if (first < 0 || first + count > columns_) {
    throw std::invalid_argument("Tessera::BlockVector: there are " + std::to_string(columns_) +
                                " columns; expected a range of these, not [" + std::to_string(range.lbound()) + ", " +
                                std::to_string(range.ubound()) + "]");
  }
  BlockVector result(*this);
  result.columns_ = static_cast<Impl::Ordinal>(count);
  if (list_) {
    result.list_ =
        std::make_shared<const std::vector<Impl::Ordinal>>(list_->begin() + first, list_->begin() + first + count);
  } else if (data_) {
    result.data_ = std::shared_ptr<SC>(data_, data_.get() + first);
  }
  return result;
}

template <class SC, class LO, class GO, class NO>
BlockVector<SC, LO, GO, NO> BlockVector<SC, LO, GO, NO>::columns_of(
    const Teuchos::ArrayView<const std::size_t>& columns) const {
  bool are_adjacent = true;
  std::vector<Impl::Ordinal> places;
  for (const std::size_t column : columns) {
    if (column >= getNumVectors()) {
      throw std::invalid_argument("Tessera::BlockVector: there are " + std::to_string(columns_) +
                                  " columns; expected a list of these, not " + std::to_string(column));
    }
    places.push_back(block().place(static_cast<Impl::Ordinal>(column)));
    are_adjacent = are_adjacent && places.back() == places.front() + static_cast<Impl::Ordinal>(places.size()) - 1;
  }
  BlockVector result(*this);
  result.columns_ = static_cast<Impl::Ordinal>(places.size());
  result.list_.reset();
  if (!are_adjacent) {
    result.list_ = std::make_shared<const std::vector<Impl::Ordinal>>(std::move(places));
  } else if (data_ && !places.empty()) {
    result.data_ = std::shared_ptr<SC>(data_, data_.get() + places.front());
  }
  return result;
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const BlockVector<SC, LO, GO, NO>> BlockVector<SC, LO, GO, NO>::subView(
    const Teuchos::Range1D& range) const {
  return Teuchos::rcp(new BlockVector(columns_of(range)));
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const BlockVector<SC, LO, GO, NO>> BlockVector<SC, LO, GO, NO>::subView(
    const Teuchos::ArrayView<const std::size_t>& columns) const {
  return Teuchos::rcp(new BlockVector(columns_of(columns)));
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<BlockVector<SC, LO, GO, NO>> BlockVector<SC, LO, GO, NO>::subViewNonConst(const Teuchos::Range1D& range) {
  return Teuchos::rcp(new BlockVector(columns_of(range)));
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<BlockVector<SC, LO, GO, NO>> BlockVector<SC, LO, GO, NO>::subViewNonConst(
    const Teuchos::ArrayView<const std::size_t>& columns) {
  return Teuchos::rcp(new BlockVector(columns_of(columns)));
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<BlockVector<SC, LO, GO, NO>> BlockVector<SC, LO, GO, NO>::subCopy(const Teuchos::Range1D& range) const {
  return Teuchos::rcp(new BlockVector(columns_of(range), Teuchos::Copy));
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<BlockVector<SC, LO, GO, NO>> BlockVector<SC, LO, GO, NO>::subCopy(
    const Teuchos::ArrayView<const std::size_t>& columns) const {
  return Teuchos::rcp(new BlockVector(columns_of(columns), Teuchos::Copy));
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::require_same_shape(const char* function, const BlockVector& other) const {
  if (other.rows_ == rows_ && other.columns_ == columns_) return;
  throw std::invalid_argument("Tessera::BlockVector::" + std::string(function) + ": the blocks have " +
                              Impl::shape_of(getLocalLength(), getNumVectors()) + ", and " +
                              Impl::shape_of(other.getLocalLength(), other.getNumVectors()) + "; expected the same");
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::require_shape(const char* function, const multivector_type& vectors) const {
  if (vectors.getLocalLength() == getLocalLength() && vectors.getNumVectors() == getNumVectors()) return;
  throw std::invalid_argument("Tessera::BlockVector::" + std::string(function) + ": the block has " +
                              Impl::shape_of(getLocalLength(), getNumVectors()) + ", the multivector " +
                              Impl::shape_of(vectors.getLocalLength(), vectors.getNumVectors()) +
                              "; expected the same");
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::require_results(const char* function, std::size_t size) const {
  if (size == getNumVectors()) return;
  throw std::invalid_argument("Tessera::BlockVector::" + std::string(function) + ": there are " +
                              std::to_string(columns_) + " columns, and an array of " + std::to_string(size) +
                              "; expected as many");
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::assign(const BlockVector& other) {
  require_same_shape("assign", other);
  if (columns_ == 0 || Impl::are_same(std::as_const(other).block(), block())) return;
  copy(execution_space(), Apart(other, *this, true).block(), block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::assign(const multivector_type& vectors) {
  require_shape("assign", vectors);
  if (columns_ == 0) return;
  if (!vectors.isConstantStride()) return assign(multivector_type(vectors, Teuchos::Copy));
  copy(execution_space(), Impl::strided(vectors.getLocalViewDevice(Tpetra::Access::ReadOnly)), block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::copyTo(multivector_type& vectors) const {
  require_shape("copyTo", vectors);
  if (columns_ == 0) return;
  if (!vectors.isConstantStride()) return Tpetra::deep_copy(vectors, *toMultiVector());
  copy(execution_space(), block(), Impl::strided(vectors.getLocalViewDevice(Tpetra::Access::ReadWrite)));
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<typename BlockVector<SC, LO, GO, NO>::multivector_type> BlockVector<SC, LO, GO, NO>::toMultiVector()
    const {
  const auto result = Teuchos::rcp(new multivector_type(map_, getNumVectors(), false));
  copyTo(*result);
  return result;
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::putScalar(SC value) {
  if (columns_ > 0) fill(execution_space(), value, block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::randomize() {
  randomize(Impl::next_seed());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::randomize(std::uint64_t seed) {
  if (columns_ > 0) Impl::randomize(execution_space(), seed, first_row(), block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::scale(SC factor) {
  update(SC(0), *this, factor);
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::scale(const Teuchos::ArrayView<const SC>& factors) {
  require_results("scale", static_cast<std::size_t>(factors.size()));
  if (columns_ > 0) Impl::scale(execution_space(), factors.getRawPtr(), block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::scale(SC factor, const BlockVector& A) {
  update(factor, A, SC(0));
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::update(SC alpha, const BlockVector& A, SC beta) {
  require_same_shape("update", A);
  if (columns_ == 0 || (alpha == SC(0) && beta == SC(1))) return;
  const Impl::TallBlock<const SC> old = block();
  if (alpha == SC(0)) return add(execution_space(), beta, old, SC(0), old, block());
  add(execution_space(), alpha, Apart(A, *this, true).block(), beta, old, block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::update(SC alpha, const BlockVector& A, SC beta, const BlockVector& B, SC gamma) {
  require_same_shape("update", A);
  require_same_shape("update", B);
  if (columns_ == 0) return;
  if (alpha == SC(0)) return update(beta, B, gamma);
  if (beta == SC(0)) return update(alpha, A, gamma);
  const Impl::TallBlock<const SC> old = block();
  const Apart a(A, *this, true), b(B, *this, true);
  if (gamma == SC(0)) return add(execution_space(), alpha, a.block(), beta, b.block(), block());
  if (Impl::are_same(a.block(), old)) return add(execution_space(), alpha + gamma, old, beta, b.block(), block());
  if (Impl::are_same(b.block(), old)) return add(execution_space(), alpha, a.block(), beta + gamma, old, block());
  add(execution_space(), alpha, a.block(), gamma, old, block());
  add(execution_space(), beta, b.block(), SC(1), old, block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::multiply(SC alpha, const BlockVector& X, const small_matrix_type& B, SC beta) {
  if (X.rows_ != rows_ || B.numRows() != X.columns_ || B.numCols() != columns_) {
    throw std::invalid_argument("Tessera::BlockVector::multiply: X has " +
                                Impl::shape_of(X.getLocalLength(), X.getNumVectors()) + ", B is " +
                                std::to_string(B.numRows()) + " x " + std::to_string(B.numCols()) + ", Y has " +
                                Impl::shape_of(getLocalLength(), getNumVectors()) + "; expected them to fit");
  }
  if (columns_ == 0) return;
  if (alpha == SC(0) || X.columns_ == 0) return update(SC(0), *this, beta);
  Impl::multiply_add(execution_space(), Impl::dense_workspace<execution_space>(), alpha,
                     Apart(X, *this, beta == SC(0)).block(), Impl::small(B), beta, block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::innerProducts(SC alpha, const BlockVector& Y, small_matrix_type& C) const {
  if (Y.rows_ != rows_ || C.numRows() != columns_ || C.numCols() != Y.columns_) {
    throw std::invalid_argument(
        "Tessera::BlockVector::innerProducts: X has " + Impl::shape_of(getLocalLength(), getNumVectors()) + ", Y has " +
        Impl::shape_of(Y.getLocalLength(), Y.getNumVectors()) + ", C is " + std::to_string(C.numRows()) + " x " +
        std::to_string(C.numCols()) + "; expected them to fit");
  }
  if (columns_ == 0 || Y.columns_ == 0) return;
  if (alpha == SC(0)) return static_cast<void>(C.putScalar(SC(0)));
  const Impl::TallBlock<const SC> x = block();
  small_matrix_type sums(columns_, Y.columns_, false);
  Impl::inner_products(execution_space(), Impl::dense_workspace<execution_space>(), std::span(&x, 1), Y.block(),
                       Impl::small(sums));
  sum_over_ranks(sums.values(), columns_ * Y.columns_);
  if (alpha != SC(1)) sums.scale(alpha);
  C.assign(sums);
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::scaleRows(const vector_type& factors, const BlockVector& X) {
  require_same_shape("scaleRows", X);
  if (factors.getLocalLength() != getLocalLength()) {
    throw std::invalid_argument("Tessera::BlockVector::scaleRows: there are " + std::to_string(rows_) +
                                " local rows, and " + std::to_string(factors.getLocalLength()) +
                                " factors; expected as many");
  }
  if (columns_ == 0) return;
  const auto view = factors.getLocalViewDevice(Tpetra::Access::ReadOnly);
  Impl::scale_rows(execution_space(), view.data(), Apart(X, *this, true).block(), block());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::dot(const BlockVector& Y, const Teuchos::ArrayView<SC>& result) const {
  require_same_shape("dot", Y);
  require_results("dot", static_cast<std::size_t>(result.size()));
  if (columns_ == 0) return;
  Impl::dots(execution_space(), Impl::dense_workspace<execution_space>(), block(), Y.block(), result.getRawPtr());
  sum_over_ranks(result.getRawPtr(), columns_);
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::norm1(const Teuchos::ArrayView<SC>& result) const {
  require_results("norm1", static_cast<std::size_t>(result.size()));
  if (columns_ == 0) return;
  Impl::sums_of_magnitudes(execution_space(), Impl::dense_workspace<execution_space>(), block(), result.getRawPtr());
  sum_over_ranks(result.getRawPtr(), columns_);
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::norm2(const Teuchos::ArrayView<SC>& result) const {
  dot(*this, result);
  for (SC& norm : result) norm = std::sqrt(norm);
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::normInf(const Teuchos::ArrayView<SC>& result) const {
  require_results("normInf", static_cast<std::size_t>(result.size()));
  if (columns_ == 0) return;
  Impl::greatest_magnitudes(execution_space(), Impl::dense_workspace<execution_space>(), block(), result.getRawPtr());
  if (!isDistributed() || map_->getComm()->getSize() == 1) return;
  // MPI may lose a NaN when it computes a maximum, so NaNs are counted separately.
  const auto count = getNumVectors();
  std::vector<SC> here(2 * count), all(2 * count);
  for (std::size_t j = 0; j < count; ++j) {
    const SC norm = result[static_cast<Impl::Ordinal>(j)];
    here[j] = std::isnan(norm) ? SC(0) : norm;
    here[count + j] = std::isnan(norm) ? SC(1) : SC(0);
  }
  Teuchos::reduceAll(*map_->getComm(), Teuchos::REDUCE_MAX, 2 * columns_, here.data(), all.data());
  for (std::size_t j = 0; j < count; ++j) {
    result[static_cast<Impl::Ordinal>(j)] = all[count + j] > SC(0) ? std::numeric_limits<SC>::quiet_NaN() : all[j];
  }
}

template <class SC, class LO, class GO, class NO>
int BlockVector<SC, LO, GO, NO>::orthonormalize(const Teuchos::ArrayView<const Teuchos::RCP<const BlockVector>>& Q,
                                                small_matrix_type* C, small_matrix_type* R,
                                                const Impl::OrthonormalizeOptions& options) {
  std::vector<Apart> apart;
  std::vector<Impl::TallBlock<const SC>> blocks;
  Impl::Ordinal q_columns = 0;
  apart.reserve(static_cast<std::size_t>(Q.size()));
  for (const auto& q : Q) {
    if (q->columns_ == 0) continue;
    apart.emplace_back(*q, *this, false);
    blocks.push_back(apart.back().block());
    q_columns += q->columns_;
  }
  if (C != nullptr) C->shapeUninitialized(q_columns, columns_);
  if (R != nullptr) R->shape(columns_, columns_);
  if (columns_ == 0) return 0;
  Impl::SumOverRanks<SC> sum;
  if (isDistributed() && map_->getComm()->getSize() > 1) {
    sum = [this](SC* sums, Impl::Ordinal count) { sum_over_ranks(sums, count); };
  }
  Impl::OrthonormalizeOptions all_options = options;
  all_options.first_row = first_row();
  return Impl::orthonormalize(execution_space(), Impl::dense_workspace<execution_space>(),
                              std::span<const Impl::TallBlock<const SC>>(blocks), block(),
                              C == nullptr ? Impl::SmallMatrix<SC>{} : Impl::small(*C),
                              R == nullptr ? Impl::SmallMatrix<SC>{} : Impl::small(*R), sum, all_options);
}

/// Returns the number of rows on lower ranks or, if the Map does not give it, a number that is unique to this rank.
template <class SC, class LO, class GO, class NO>
std::int64_t BlockVector<SC, LO, GO, NO>::first_row() const {
  if (!isDistributed()) return 0;
  if (!map_->isContiguous()) return static_cast<std::int64_t>(map_->getComm()->getRank()) << 32;
  return static_cast<std::int64_t>(map_->getMinGlobalIndex() - map_->getIndexBase());
}

template <class SC, class LO, class GO, class NO>
void BlockVector<SC, LO, GO, NO>::sum_over_ranks(SC* sums, int count) const {
  if (!isDistributed() || map_->getComm()->getSize() == 1) return;
  const std::vector<SC> here(sums, sums + count);
  Teuchos::reduceAll(*map_->getComm(), Teuchos::REDUCE_SUM, count, here.data(), sums);
}

}  // namespace Tessera
