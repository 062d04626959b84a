// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <tessera/cuda/sorted_columns/Schedule.hpp>

#include "../HostFormats.hpp"
#include "../condensed/PreparedCondensed.hpp"
#include "Device.hpp"

namespace Tessera::Bench {

/// What becomes of the entries.
enum class SortedColumnsParts {
  Both,                  ///< blocks, and pieces of what fits in none
  Irregular,             ///< pieces of up to 32 entries of a column, and no blocks
  WholeIrregularColumns  ///< blocks, and a piece for each column with entries that fit in none
};

namespace Impl {

/// Pieces of the same column become one.
inline void join_pieces(HostSortedColumns& B) {
  const std::vector<std::uint32_t> columns = B.piece_columns;
  const std::vector<int> offsets = B.piece_offsets;
  B.piece_columns.clear();
  B.piece_offsets.resize(1);
  for (std::size_t piece = 0; piece < columns.size(); ++piece) {
    if (piece > 0 && columns[piece] == columns[piece - 1]) {
      B.piece_offsets.back() = offsets[piece + 1];
    } else {
      B.piece_columns.push_back(columns[piece]);
      B.piece_offsets.push_back(offsets[piece + 1]);
    }
  }
}

/// Pieces have at most 32 entries.
inline void cut_pieces(HostSortedColumns& B) {
  const std::vector<std::uint32_t> columns = B.piece_columns;
  const std::vector<int> offsets = B.piece_offsets;
  B.piece_columns.clear();
  B.piece_offsets.resize(1);
  for (std::size_t piece = 0; piece < columns.size(); ++piece) {
    for (int begin = offsets[piece]; begin < offsets[piece + 1]; begin += 32) {
      B.piece_columns.push_back(columns[piece]);
      B.piece_offsets.push_back(std::min(begin + 32, offsets[piece + 1]));
    }
  }
}

inline HostSortedColumns build_parts(const HostMatrix& A, SortedColumnsParts parts) {
  const bool has_blocks = parts != SortedColumnsParts::Irregular;
  HostSortedColumns B = build_sorted_columns(A, has_blocks ? 32 : std::max(A.rows, A.columns) + 1);
  if (parts == SortedColumnsParts::WholeIrregularColumns) join_pieces(B);
  if (!has_blocks) {
    cut_pieces(B);
    B.width = 32;
  }
  return B;
}

}  // namespace Impl

/// A matrix in sorted columns on the host and on the device, which candidates share: it takes long to build.
template <class Scalar>
class PreparedSortedColumns {
 public:
  PreparedSortedColumns(std::shared_ptr<const HostSortedColumns> host, std::uint64_t key)
      : host_(std::move(host)),
        key_(key),
        column_order_(host_->column_order),
        row_indices_(host_->row_indices),
        piece_offsets_(host_->piece_offsets),
        position_indices_(host_->position_indices),
        piece_columns_(host_->piece_columns),
        values_(std::vector<Scalar>(host_->values.begin(), host_->values.end())) {}

  const HostSortedColumns& host() const { return *host_; }
  std::uint64_t key() const { return key_; }  // tells matrices apart

  /// As far as the kernels read it: not the arrays of blocks, nor segment_lengths.
  SortedColumnsPattern<int> pattern() const {
    SortedColumnsPattern<int> A = host_->view();
    A.column_order = column_order_.data();
    A.block_offsets = nullptr;
    A.block_positions = nullptr;
    A.row_indices = row_indices_.data();
    A.position_indices = position_indices_.data();
    A.segment_lengths = nullptr;
    A.piece_offsets = piece_offsets_.data();
    A.piece_columns = piece_columns_.data();
    return A;
  }
  const Scalar* values() const { return values_.data(); }
  std::size_t bytes() const {
    return column_order_.bytes() + row_indices_.bytes() + piece_offsets_.bytes() + position_indices_.bytes() +
           piece_columns_.bytes() + values_.bytes();
  }

 private:
  std::shared_ptr<const HostSortedColumns> host_;
  std::uint64_t key_;
  DeviceArray<int> column_order_, row_indices_, piece_offsets_;
  DeviceArray<std::uint16_t> position_indices_;
  DeviceArray<std::uint32_t> piece_columns_;
  DeviceArray<Scalar> values_;
};

/// A schedule on the device.
class PreparedSortedColumnsSchedule {
 public:
  PreparedSortedColumnsSchedule(const SortedColumnsPattern<int>& host, int group_steps, Cuda::SegmentRule rule)
      : PreparedSortedColumnsSchedule(Cuda::build_sorted_columns_schedule(host, group_steps, rule)) {}

  const Cuda::SortedColumnsSchedule<int>& view() const { return view_; }
  std::size_t bytes() const {
    return step_positions_.bytes() + places_.bytes() + group_segments_.bytes() + segment_ends_.bytes() +
           row_offsets_.bytes() + row_slots_.bytes() + long_rows_.bytes();
  }

 private:
  explicit PreparedSortedColumnsSchedule(const Cuda::HostSortedColumnsSchedule<int>& host)
      : view_(host.view()),
        step_positions_(host.step_positions),
        group_segments_(host.group_segments),
        row_offsets_(host.row_offsets),
        row_slots_(host.row_slots),
        long_rows_(host.long_rows),
        places_(host.places),
        segment_ends_(host.segment_ends) {
    view_.step_positions = step_positions_.data();
    view_.places = places_.data();
    view_.group_segments = group_segments_.data();
    view_.segment_ends = segment_ends_.data();
    view_.row_offsets = row_offsets_.data();
    view_.row_slots = row_slots_.data();
    view_.long_rows = long_rows_.data();
  }

  Cuda::SortedColumnsSchedule<int> view_;
  DeviceArray<int> step_positions_, group_segments_, row_offsets_, row_slots_, long_rows_;
  DeviceArray<std::uint16_t> places_, segment_ends_;
};

namespace Impl {

/// The last few things that were made, by what they were made from: for candidates that are prepared one after the
/// other.
template <class Thing>
class Recent {
 public:
  template <class Make>
  std::shared_ptr<Thing> get(std::uint64_t key, const Make& make) {
    for (const auto& [known, thing] : things_) {
      if (known == key) return thing;
    }
    if (things_.size() == most) things_.erase(things_.begin());
    things_.emplace_back(key, make());
    return things_.back().second;
  }

 private:
  static constexpr std::size_t most = 6;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Thing>>> things_;
};

}  // namespace Impl

template <class Scalar>
std::shared_ptr<PreparedSortedColumns<Scalar>> prepared_sorted_columns(const HostMatrix& A, SortedColumnsParts parts) {
  // NOTE: never freed: the device may be gone before static objects are.
  static auto& hosts = *new Impl::Recent<const HostSortedColumns>;
  static auto& matrices = *new Impl::Recent<PreparedSortedColumns<Scalar>>;
  const std::uint64_t key = Impl::hash(A) * 4 + static_cast<std::uint64_t>(parts);
  return matrices.get(key, [&] {
    auto host = hosts.get(key, [&] { return std::make_shared<const HostSortedColumns>(Impl::build_parts(A, parts)); });
    return std::make_shared<PreparedSortedColumns<Scalar>>(std::move(host), key);
  });
}

template <class Scalar>
std::shared_ptr<PreparedSortedColumnsSchedule> prepared_sorted_columns_schedule(
    const PreparedSortedColumns<Scalar>& matrix, int group_steps, Cuda::SegmentRule rule) {
  static auto& schedules = *new Impl::Recent<PreparedSortedColumnsSchedule>;
  const std::uint64_t key =
      (matrix.key() * 4096 + static_cast<std::uint64_t>(group_steps)) * 2 + (rule == Cuda::SegmentRule::Rows);
  return schedules.get(
      key, [&] { return std::make_shared<PreparedSortedColumnsSchedule>(matrix.host().view(), group_steps, rule); });
}

}  // namespace Tessera::Bench
