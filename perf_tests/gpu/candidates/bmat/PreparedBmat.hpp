// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <tessera/cuda/BmatSchedule.hpp>

#include "../condensed/PreparedCondensed.hpp"
#include "HostBmat.hpp"

namespace Tessera::Bench {

/// A matrix in BMat on the device, and its schedule, which candidates share: they take long to build.
template <class Scalar>
class PreparedBmat {
 public:
  explicit PreparedBmat(const HostMatrix& A) : PreparedBmat(build_bmat(A)) {}
  explicit PreparedBmat(const HostBmat& B)
      : rows_(B.rows),
        columns_(B.columns),
        multiprocessors_(describe_machine().multiprocessors),
        window_offsets_(B.window_offsets),
        value_offsets_(B.value_offsets),
        tile_columns_(B.tile_columns),
        tile_words_(B.tile_words),
        values_(std::vector<Scalar>(B.values.begin(), B.values.end())) {
    const auto schedule =
        Cuda::build_bmat_schedule(B.view(), Cuda::condensed_piece_tiles(B.window_offsets.back()), multiprocessors_);
    items_ = DeviceArray<Cuda::BmatItem<int>>(schedule.items);
    sums_ = DeviceArray<Cuda::CondensedSum>(schedule.sums);
    points_ = DeviceArray<Cuda::BmatPoint>(schedule.points);
    slots_ = schedule.slots;
  }

  BmatPattern<int> pattern() const {
    return {rows_, columns_, window_offsets_.data(), value_offsets_.data(), tile_columns_.data(), tile_words_.data()};
  }
  Cuda::BmatSchedule<int> schedule() const {
    return {static_cast<int>(items_.size()),
            static_cast<int>(sums_.size()),
            slots_,
            multiprocessors_,
            items_.data(),
            sums_.data(),
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

/// The matrix in BMat: the one that was asked for last, if it is that and a candidate still has it.
template <class Scalar>
std::shared_ptr<PreparedBmat<Scalar>> prepared_bmat(const HostMatrix& A) {
  static std::uint64_t last_hash = 0;
  static std::weak_ptr<PreparedBmat<Scalar>> last;
  const std::uint64_t hash = Impl::hash(A);
  std::shared_ptr<PreparedBmat<Scalar>> matrix = last_hash == hash ? last.lock() : nullptr;
  if (matrix == nullptr) {
    matrix = std::make_shared<PreparedBmat<Scalar>>(A);
    last = matrix, last_hash = hash;
  }
  return matrix;
}

}  // namespace Tessera::Bench
