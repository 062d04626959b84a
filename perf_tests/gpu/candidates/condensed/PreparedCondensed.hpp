// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <memory>
#include <tessera/cuda/condensed/DenseTiles.hpp>
#include <tessera/cuda/condensed/Schedule.hpp>
#include <tessera/cuda/condensed/View.hpp>

#include "../HostFormats.hpp"
#include "Device.hpp"

namespace Tessera::Bench {

/// A matrix in condensed windows on the device, which candidates share: it takes long to build.
template <class Scalar>
class PreparedCondensed {
 public:
  PreparedCondensed(const HostMatrix& A, int strips) : PreparedCondensed(A, build_condensed(A, strips)) {}

  Cuda::CondensedPattern<int> pattern() const {
    return {rows_,        columns_, strips_, window_offsets_.data(), tile_offsets_.data(), columns_of_tiles_.data(),
            masks_.data()};
  }
  const std::vector<int>& host_window_offsets() const { return host_window_offsets_; }
  std::size_t tiles() const { return tile_offsets_.size() - 1; }

  /// Expanded when they are wanted for the first time.
  const Scalar* values(Cuda::TileValues kind) {
    if (kind == Cuda::TileValues::Compact) return compact_.data();
    if (dense_.size() == 0 && tiles() > 0) {
      dense_ = DeviceArray<Scalar>(tiles() * strips_ * 64);
      Cuda::expand_tiles<int, Scalar>(nullptr, pattern(), tiles(), compact_.data(), dense_.data());
      check(cudaDeviceSynchronize(), "expand_tiles");
    }
    return dense_.data();
  }

  std::size_t bytes(Cuda::TileValues kind) const {
    return window_offsets_.bytes() + tile_offsets_.bytes() + columns_of_tiles_.bytes() + masks_.bytes() +
           (kind == Cuda::TileValues::Compact ? compact_.bytes() : dense_.bytes());
  }

 private:
  PreparedCondensed(const HostMatrix& A, const HostCondensed& B)
      : rows_(A.rows),
        columns_(A.columns),
        strips_(B.strips),
        host_window_offsets_(B.window_offsets),
        window_offsets_(B.window_offsets),
        tile_offsets_(B.tile_offsets),
        columns_of_tiles_(B.tile_columns),
        masks_(B.tile_masks),
        compact_(std::vector<Scalar>(B.values.begin(), B.values.end())) {}

  int rows_, columns_, strips_;
  std::vector<int> host_window_offsets_;
  DeviceArray<int> window_offsets_, tile_offsets_, columns_of_tiles_;
  DeviceArray<std::uint64_t> masks_;
  DeviceArray<Scalar> compact_, dense_;
};

namespace Impl {

/// Tells matrices apart: FNV-1a over sizes, addresses and up to a few thousand elements of each array.
inline std::uint64_t hash(const HostMatrix& A) {
  std::uint64_t h = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t word) { h = (h ^ word) * 0x100000001b3u; };
  const auto add_sample = [&](const auto& array) {
    add(reinterpret_cast<std::uintptr_t>(array.data()));
    add(array.size());
    for (std::size_t i = 0; i < array.size(); i += 1 + array.size() / 4096) {
      std::uint64_t word = 0;
      std::memcpy(&word, &array[i], sizeof(array[i]));
      add(word);
    }
  };
  add(static_cast<std::uint64_t>(A.columns));
  add_sample(A.row_offsets);
  add_sample(A.column_indices);
  add_sample(A.values);
  return h;
}

}  // namespace Impl

/// The matrix in windows of so many strips: the one that was asked for last, if it is that and a candidate still has
/// it.
template <class Scalar>
std::shared_ptr<PreparedCondensed<Scalar>> prepared_condensed(const HostMatrix& A, int strips) {
  static std::uint64_t hashes[3] = {};
  static std::weak_ptr<PreparedCondensed<Scalar>> last[3];
  const std::uint64_t hash = Impl::hash(A);
  std::shared_ptr<PreparedCondensed<Scalar>> matrix = hashes[strips] == hash ? last[strips].lock() : nullptr;
  if (matrix == nullptr) {
    matrix = std::make_shared<PreparedCondensed<Scalar>>(A, strips);
    last[strips] = matrix;
    hashes[strips] = hash;
  }
  return matrix;
}

}  // namespace Tessera::Bench
