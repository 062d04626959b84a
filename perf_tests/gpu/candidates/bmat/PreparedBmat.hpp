// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <tessera/cuda/bmat/Schedule.hpp>

#include "../HostFormats.hpp"
#include "../condensed/PreparedCondensed.hpp"

namespace Tessera::Bench {

/// A matrix in BMat on the device, and its schedule.
template <class Scalar>
class PreparedBmat {
 public:
  explicit PreparedBmat(const HostMatrix& A) : PreparedBmat(build_bmat(A), Cuda::BmatPartition::Best) {}
  PreparedBmat(const HostBmat& B, Cuda::BmatPartition partition)
      : rows_(B.rows),
        columns_(B.columns),
        multiprocessors_(describe_machine().multiprocessors),
        window_offsets_(B.window_offsets),
        value_offsets_(B.value_offsets),
        tile_columns_(B.tile_columns),
        tile_words_(B.tile_words),
        values_(std::vector<Scalar>(B.values.begin(), B.values.end())) {
    const auto schedule = Cuda::build_bmat_schedule(B.view(), Cuda::condensed_piece_tiles(B.window_offsets.back()),
                                                    multiprocessors_, partition);
    items_ = DeviceArray<Cuda::BmatItem<int>>(schedule.items);
    sums_ = DeviceArray<Cuda::CondensedSum>(schedule.sums);
    points_ = DeviceArray<Cuda::BmatPoint>(schedule.points);
    slots_ = schedule.slots;
  }

  BmatPattern<int> pattern() const {
    return {rows_, columns_, window_offsets_.data(), value_offsets_.data(), tile_columns_.data(), tile_words_.data()};
  }
  Cuda::BmatSchedule<int> schedule() const {
    return {{static_cast<int>(items_.size()), static_cast<int>(sums_.size()), slots_, items_.data(), sums_.data()},
            multiprocessors_,
            points_.data()};
  }
  const Scalar* values() const { return values_.data(); }
  int slots() const { return slots_; }
  std::size_t bytes() const {
    return window_offsets_.bytes() + value_offsets_.bytes() + tile_columns_.bytes() + tile_words_.bytes() +
           values_.bytes() + items_.bytes() + sums_.bytes() + points_.bytes();
  }

 private:
  int rows_, columns_, multiprocessors_, slots_ = 0;
  DeviceArray<int> window_offsets_, value_offsets_, tile_columns_;
  DeviceArray<std::uint32_t> tile_words_;
  DeviceArray<Scalar> values_;
  DeviceArray<Cuda::BmatItem<int>> items_;
  DeviceArray<Cuda::CondensedSum> sums_;
  DeviceArray<Cuda::BmatPoint> points_;
};

/// The matrix in BMat; what is built on the host is kept until another one is asked for.
template <class Scalar>
std::shared_ptr<PreparedBmat<Scalar>> prepared_bmat(const HostMatrix& A, Cuda::BmatPartition partition) {
  static std::uint64_t last_hash = 0;
  static HostBmat last;
  const std::uint64_t hash = Impl::hash(A);
  if (last_hash != hash) last = build_bmat(A), last_hash = hash;
  return std::make_shared<PreparedBmat<Scalar>>(last, partition);
}

}  // namespace Tessera::Bench
