// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Pieces.hpp"
#include "bmat/BmatView.hpp"
#include "voltrix/cuda/Schedule.hpp"

namespace Tessera::Bench {

/// The schedule of BMat on the device: pieces, and how blocks share them.
template <class Scalar>
class BmatPieces : public Pieces<Cuda::BmatItem<int>, Scalar> {
  using Base = Pieces<Cuda::BmatItem<int>, Scalar>;

 public:
  BmatPieces() = default;
  BmatPieces(const BmatPattern<int>& host, int columns, Cuda::BmatPartition partition)
      : BmatPieces(host, columns, partition, describe_machine().multiprocessors) {}

  template <class Arguments>
  void set(Arguments& arguments) const {
    Base::set(arguments);
    arguments.schedule.multiprocessors = multiprocessors_;
    arguments.schedule.points = points_.data();
  }
  std::size_t bytes() const { return Base::bytes() + points_.bytes(); }

 private:
  BmatPieces(const BmatPattern<int>& host, int columns, Cuda::BmatPartition partition, int multiprocessors)
      : BmatPieces(Cuda::build_bmat_schedule(host, Cuda::condensed_piece_tiles(host.window_offsets[host.windows()]),
                                             multiprocessors, partition),
                   columns, multiprocessors) {}
  BmatPieces(const Cuda::HostBmatSchedule<int>& schedule, int columns, int multiprocessors)
      : Base(schedule, 16, columns), multiprocessors_(multiprocessors), points_(schedule.points) {}

  int multiprocessors_ = 0;
  DeviceArray<Cuda::BmatPoint> points_;
};

}  // namespace Tessera::Bench
