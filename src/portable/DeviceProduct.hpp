// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tessera/common/Product.hpp>

#include "DeviceColumn.hpp"
#include "DevicePack.hpp"
#include "DevicePieces.hpp"
#include "DeviceRows.hpp"
#include "RowItems.hpp"
#include "Slabs.hpp"

/// The product of compressed rows on a device of any vendor: which kernels multiply which columns.
namespace Tessera::Impl {

/// The scratch memory of a product of compressed rows, for some columns at a time: first packed rows of X, then the
/// sums of pieces.
template <class VectorScalar>
class RowsScratch {
  static constexpr Ordinal lane = lane_elements<VectorScalar>;

 public:
  RowsScratch(Ordinal packed_rows, Ordinal pieces) : packed_rows_(packed_rows), pieces_(pieces) {}

  /// Returns the distance of packed rows, which begin at multiples of 16 bytes.
  static Ordinal padded(Ordinal columns) { return window_count(columns, lane) * lane; }
  std::size_t packed_elements(Ordinal columns) const {
    return static_cast<std::size_t>(packed_rows_) * static_cast<std::size_t>(padded(columns));
  }
  std::size_t bytes(Ordinal columns) const {
    const std::size_t sums = static_cast<std::size_t>(pieces_) * static_cast<std::size_t>(columns);
    return (packed_elements(columns) + sums) * sizeof(VectorScalar);
  }
  /// Returns the number of columns that are multiplied at a time; 0 if there is no room for one.
  Ordinal columns_in(Ordinal columns, std::size_t room) const {
    if (packed_rows_ == 0 && pieces_ == 0) return columns;
    Ordinal width = std::min(columns, slab_columns<VectorScalar>);
    while (width > 0 && bytes(width) > room) --width;
    return width;
  }

 private:
  Ordinal packed_rows_, pieces_;
};

/// Columns of an X that is read in place, whatever its layout.
inline constexpr Ordinal most_columns_in_place = 2;

/// Returns the bytes of scratch memory with which products of rows run at full speed for any layout of X.
template <class VectorScalar>
std::size_t rows_scratch_bytes(const RowSchedule& schedule, Ordinal x_rows, Ordinal columns) {
  const RowsScratch<VectorScalar> scratch(columns > most_columns_in_place ? x_rows : 0, schedule.pieces);
  return scratch.bytes(std::min(columns, slab_columns<VectorScalar>));
}

/// Multiplies compressed rows on a device.
template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar>
class DeviceProduct {
 public:
  using Operands = Product<MatrixScalar, VectorScalar>;
  using Items = RowItems<Pattern, MatrixScalar, VectorScalar>;

  /// \param A        [in] a pattern in compressed rows, with the column of each entry
  /// \param schedule [in] how its rows are shared
  /// \param scratch  [in] at least a column's sums of pieces; see rows_scratch_bytes()
  DeviceProduct(const ExecutionSpace& exec, const Pattern& A, std::size_t nonzeros, const RowSchedule& schedule,
                const Operands& product, Scratch scratch)
      : exec_(exec), A_(A), schedule_(schedule), product_(product), scratch_(scratch) {
    const auto& x = product.x;
    const auto entries = static_cast<double>(nonzeros);
    has_many_short_rows_ = A.rows > many_rows && entries < short_row * A.rows;
    has_many_long_rows_ = entries > many_entries && entries >= long_row * A.rows;
    const bool may_pack =
        x.columns > most_columns_in_place && x.column_stride != 1 && entries >= packing_entries * x.rows;
    const auto width = [&](Ordinal packed_rows) {
      return RowsScratch<VectorScalar>(packed_rows, schedule.pieces).columns_in(x.columns, scratch.bytes);
    };
    width_ = may_pack ? width(x.rows) : 0;
    packs_ = may_pack && width_ >= std::min(x.columns, narrow);
    if (!packs_) width_ = width(0);
    if (width_ == 0 && x.columns > 0)
      throw std::invalid_argument("a product of rows on a device: " + std::to_string(scratch.bytes) +
                                  " bytes of scratch are too few for a column's sums of " +
                                  std::to_string(schedule.pieces) + " pieces");
  }

  void run() const {
    auto* const memory = reinterpret_cast<VectorScalar*>(scratch_.data);
    const RowsScratch<VectorScalar> scratch(packs_ ? product_.x.rows : 0, schedule_.pieces);
    for_each_part(product_.x.columns, width_, [&](Ordinal first, Ordinal count) {
      auto slab = columns_of(product_, first, count);
      if (packs_) slab.x = packed(slab.x, memory);
      const Items items{A_, schedule_, slab, memory + scratch.packed_elements(width_)};
      if (product_.y.columns == 1 && !product_.same_bits_alone) {
        multiply_column(items);
      } else {
        multiply(items);
      }
      DevicePieces<ExecutionSpace, Pattern, MatrixScalar, VectorScalar>(items).run(exec_);
    });
  }

 private:
  static constexpr Ordinal narrow = 8;    ///< with narrower slabs, reading A for each would take longer than X in place
  static constexpr double short_row = 8;  ///< mean entries of short rows
  static constexpr double long_row = 32;  ///< mean entries of long rows
  static constexpr double many_entries = 2e6;
  static constexpr Ordinal many_rows = 1 << 17, many_lanes = 8;
  static constexpr double packing_entries = 4;  ///< entries of A for each row of X with which packing pays
  static constexpr int lane = lane_elements<VectorScalar>;

  Multivector<const VectorScalar> packed(const Multivector<const VectorScalar>& x, VectorScalar* to) const {
    const Ordinal stride = RowsScratch<VectorScalar>::padded(x.columns);
    PackRows<ExecutionSpace, VectorScalar>(x, to, stride).run(exec_);
    return {to, x.rows, stride, stride, 1};
  }

  void multiply_column(const Items& items) const {
    constexpr int most = sizeof(VectorScalar) > 8 ? 6 : 8;  // with more, complex doubles have too few registers
    if (has_many_short_rows_) {
      multiply_column_by<most>(items);
    } else if (has_many_long_rows_) {
      multiply_column_by<4>(items);
    } else {
      multiply_column_by<6>(items);
    }
  }
  template <int teams_at_a_time>
  void multiply_column_by(const Items& items) const {
    DeviceColumn<ExecutionSpace, Items, teams_at_a_time>(items).run(exec_);
  }

  /// Lanes read whole vectors of rows of X if they can: two of them if rows are so short that all else takes longer. If
  /// the columns of X are not adjacent, a lane has some columns of a row, and adjacent lanes have other entries or
  /// rows.
  void multiply(const Items& items) const {
    if (has_whole_lanes(items.product.x)) {
      const Ordinal columns = items.product.x.columns;
      const bool is_wide = has_many_short_rows_ && columns >= many_lanes * lane && columns % (2 * lane) == 0;
      if (is_wide) {
        multiply_by<2 * lane, true>(items, slab_columns<VectorScalar> / (2 * lane));
      } else {
        multiply_by<lane, true>(items, slab_columns<VectorScalar> / lane);
      }
    } else if (items.product.x.column_stride == 1) {
      multiply_by<1, false>(items, slab_columns<VectorScalar>);
    } else {
      multiply_by<lane, false>(items, 1);
    }
  }

  template <int width, bool is_packed>
  void multiply_by(const Items& items, int most_lanes) const {
    const DeviceRowsShape shape(items.product.y.columns, width, most_lanes, schedule_.parts);
    DeviceRows<ExecutionSpace, Items, width, is_packed>(items, shape).run(exec_);
  }

  ExecutionSpace exec_;
  Pattern A_;
  RowSchedule schedule_;
  Operands product_;
  Scratch scratch_;
  bool has_many_short_rows_ = false, has_many_long_rows_ = false, packs_ = false;
  Ordinal width_ = 0;  // columns that are multiplied at a time
};

}  // namespace Tessera::Impl
