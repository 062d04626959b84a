// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <tessera/common/StagedView.hpp>
#include <tessera/cuda/condensed/Schedule.hpp>

#include "../condensed/PreparedCondensed.hpp"
#include "HostStaged.hpp"

namespace Tessera::Bench {

/// A matrix in staged windows on the device, which candidates share: it takes long to build.
template <class Scalar>
class PreparedStaged {
 public:
  PreparedStaged(const HostMatrix& A, const StagedShape& shape)
      : PreparedStaged(A, build_staged(A, shape, sizeof(Scalar))) {}

  StagedPattern pattern() const {
    StagedPattern A;
    A.rows = rows_, A.columns = columns_;
    A.window_rows = shape_.window_rows;
    A.chunk_slots = shape_.chunk_slots, A.piece_chunks = shape_.piece_chunks;
    A.most_tile_bytes = most_tile_bytes_, A.most_value_bytes = most_value_bytes_;
    A.window_offsets = window_offsets_.data(), A.chunk_columns = chunk_columns_.data();
    A.chunks = chunks_.data(), A.tiles = tiles_.data();
    return A;
  }
  const std::vector<int>& window_offsets() const { return window_offsets_; }
  const Scalar* values() const { return values_.data(); }
  std::size_t bytes() const { return chunk_columns_.bytes() + chunks_.bytes() + tiles_.bytes() + values_.bytes(); }

 private:
  PreparedStaged(const HostMatrix& A, const HostStaged& B)
      : rows_(A.rows),
        columns_(A.columns),
        most_tile_bytes_(B.most_tile_bytes),
        most_value_bytes_(B.most_values * static_cast<int>(sizeof(Scalar))),
        shape_(B.shape),
        window_offsets_(B.window_offsets),
        chunk_columns_(B.chunk_columns),
        chunks_(B.chunks),
        tiles_(B.tiles),
        values_(std::vector<Scalar>(B.values.begin(), B.values.end())) {}

  int rows_, columns_, most_tile_bytes_, most_value_bytes_;
  StagedShape shape_;
  std::vector<int> window_offsets_;
  DeviceArray<int> chunk_columns_;
  DeviceArray<StagedChunk> chunks_;
  DeviceArray<std::byte> tiles_;
  DeviceArray<Scalar> values_;
};

/// The matrix in windows of this shape: the one that was asked for last, if it is that and a candidate still has it.
template <class Scalar>
std::shared_ptr<PreparedStaged<Scalar>> prepared_staged(const HostMatrix& A, const StagedShape& shape) {
  static std::uint64_t last_hash = 0;
  static StagedShape last_shape;
  static std::weak_ptr<PreparedStaged<Scalar>> last;
  const std::uint64_t hash = Impl::hash(A);
  std::shared_ptr<PreparedStaged<Scalar>> matrix = last_hash == hash && last_shape == shape ? last.lock() : nullptr;
  if (matrix == nullptr) {
    matrix = std::make_shared<PreparedStaged<Scalar>>(A, shape);
    last = matrix, last_hash = hash, last_shape = shape;
  }
  return matrix;
}

}  // namespace Tessera::Bench
