// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda/launch/Operands.hpp>
#include <string>

#include "Device.hpp"
#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Bench {

/// "a, b, c" of numbers and texts, for names.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string text;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  };
  (add(parts), ...);
  return text;
}

/// The schedule of a product on the device, and room for the sums of windows that are cut into pieces.
template <class Item, class Scalar>
class Pieces {
 public:
  Pieces() = default;
  /// \param schedule    [in] of the host: items, sums and slots
  /// \param window_rows [in] rows of a window
  /// \param columns     [in] columns of X
  template <class HostSchedule>
  Pieces(const HostSchedule& schedule, int window_rows, int columns)
      : items_(schedule.items),
        sums_(schedule.sums),
        slots_(schedule.slots),
        stride_(Cuda::padded<Scalar>(columns)),
        partials_(std::size_t(slots_) * window_rows * stride_) {}

  /// Fills in the schedule, but for pointers to items of another type than CondensedItem, and the room for sums.
  template <class Arguments>
  void set(Arguments& arguments) const {
    auto& schedule = arguments.schedule;
    schedule.item_count = static_cast<int>(items_.size());
    schedule.sum_count = static_cast<int>(sums_.size());
    schedule.slot_count = slots_;
    schedule.sums = sums_.data();
    if constexpr (std::is_same_v<decltype(schedule.items), const Item*>) schedule.items = items_.data();
    arguments.partials = partials_.data();
    arguments.partials_stride = stride_;
  }

  const Item* items() const { return items_.data(); }
  std::ptrdiff_t stride() const { return stride_; }
  std::size_t bytes() const { return items_.bytes() + sums_.bytes(); }

 private:
  DeviceArray<Item> items_;
  DeviceArray<Cuda::CondensedSum> sums_;
  int slots_ = 0;
  std::ptrdiff_t stride_ = 0;
  DeviceArray<Scalar> partials_;
};

template <class Scalar>
using CondensedPieces = Pieces<Cuda::CondensedItem<int>, Scalar>;

}  // namespace Tessera::Bench
