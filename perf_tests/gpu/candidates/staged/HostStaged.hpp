// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <tessera/common/StagedPacking.hpp>
#include <thread>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Bench {

/// A matrix in two levels of condensed windows (tessera/common/StagedView.hpp), on the host.
struct HostStaged {
  StagedShape shape;
  std::vector<int> window_offsets = {0}, chunk_columns;
  std::vector<StagedChunk> chunks = {{0, 0}};
  std::vector<std::byte> tiles;
  std::vector<double> values;
  int most_tile_bytes = 0, most_values = 0;
  std::size_t tile_count = 0;
};

namespace Impl {

using Tessera::Impl::pack_staged_tiles;
using Tessera::Impl::staged_chunk_end;
using Tessera::Impl::staged_rows_before;
using Tessera::Impl::staged_strip_rows;
using Tessera::Impl::staged_strip_slots;
using Tessera::Impl::StagedColumns;
using Tessera::Impl::StagedSlot;

/// Builds the windows of a matrix one after the other.
class StagedBuilder {
 public:
  /// scalar_bytes: of a value on the device.
  StagedBuilder(const HostMatrix& A, const StagedShape& shape, int scalar_bytes) : A_(A), granule_(16 / scalar_bytes) {
    B_.shape = shape;
  }

  HostStaged build(int first_window, int last_window) {
    for (int window = first_window; window < last_window; ++window) add_window(window * B_.shape.window_rows);
    return std::move(B_);
  }

 private:
  void add_window(int first_row) {
    list_columns(first_row);
    const StagedShape& shape = B_.shape;
    const int last = static_cast<int>(columns_.size());
    strips_.assign(shape.strips(), {0, 0});
    int first = 0, chunks = 0;
    for (int end; first < last; first = end, ++chunks) {
      end = staged_chunk_end(shape, entry_offsets_.data(), first, last);
      const bool is_last = end == last || (chunks + 1) % shape.piece_chunks == 0;
      add_chunk(first, end, is_last);
    }
    B_.window_offsets.push_back(B_.window_offsets.back() + chunks);
  }

  // The distinct columns of a window, and the entries of each.
  void list_columns(int first_row) {
    std::vector<std::array<int, 3>> entries;  // column, row of the window, entry
    const int last_row = std::min(A_.rows, first_row + B_.shape.window_rows);
    for (int row = first_row; row < last_row; ++row) {
      for (int k = A_.row_offsets[row]; k < A_.row_offsets[row + 1]; ++k) {
        entries.push_back({A_.column_indices[k], row - first_row, k});
      }
    }
    std::sort(entries.begin(), entries.end());
    columns_.clear(), entry_offsets_.clear(), entries_.clear(), rows_.clear();
    for (const auto& [column, row, k] : entries) {
      if (columns_.empty() || columns_.back() != column) {
        columns_.push_back(column);
        entry_offsets_.push_back(static_cast<int>(entries_.size()));
        rows_.resize(rows_.size() + B_.shape.row_words());
      }
      rows_[rows_.size() - B_.shape.row_words() + row / 64] |= std::uint64_t(1) << (row % 64);
      entries_.push_back(k);
    }
    entry_offsets_.push_back(static_cast<int>(entries_.size()));
  }

  void add_chunk(int first, int end, bool is_last) {
    const StagedShape& shape = B_.shape;
    const std::size_t begin = B_.tiles.size(), first_value = B_.values.size();
    B_.chunk_columns.insert(B_.chunk_columns.end(), columns_.begin() + first, columns_.begin() + end);
    B_.chunk_columns.resize(B_.chunk_columns.size() + shape.chunk_slots - (end - first), -1);
    B_.tiles.resize(begin + staged_header_bytes(shape.strips()));
    std::uint16_t tile = 0;
    for (int strip = 0; strip < shape.strips(); ++strip) {
      std::memcpy(&B_.tiles[begin + 2 * strip], &tile, 2);
      auto& columns = strips_[strip];
      columns.own = staged_strip_slots(shape, &rows_[first * shape.row_words()], end - first, strip);
      const std::uint64_t rest = is_last ? 0 : columns.rest();
      columns.own ^= rest;
      tile = static_cast<std::uint16_t>(tile + columns.tiles());
      add_tiles(columns, strip, first, first_value);
      columns.carried = rest;
    }
    std::memcpy(&B_.tiles[begin + 2 * shape.strips()], &tile, 2);
    previous_ = first;
    B_.tile_count += tile;
    B_.values.resize((B_.values.size() + granule_ - 1) / granule_ * granule_);
    B_.most_tile_bytes = std::max(B_.most_tile_bytes, static_cast<int>(B_.tiles.size() - begin));
    B_.most_values = std::max(B_.most_values, static_cast<int>(B_.values.size() - first_value));
    B_.chunks.push_back(
        {static_cast<unsigned>(B_.tiles.size() / 16), static_cast<unsigned>(B_.values.size() / granule_)});
  }

  void add_tiles(const StagedColumns& columns, int strip, int first, std::size_t chunk_values) {
    const StagedShape& shape = B_.shape;
    const auto column_of = [&](StagedSlot slot) { return (slot.carried ? previous_ : first) + slot.slot; };
    std::vector<StagedTile> tiles(columns.tiles());
    pack_staged_tiles(
        columns, static_cast<std::uint32_t>(B_.values.size() - chunk_values),
        [&](StagedSlot slot) { return staged_strip_rows(&rows_[column_of(slot) * shape.row_words()], strip); },
        tiles.data(),
        [&](StagedSlot slot, int row, std::uint32_t) {
          const int column = column_of(slot);
          const int before =
              staged_rows_before(&rows_[column * shape.row_words()], strip * StagedPattern::strip_rows + row);
          B_.values.push_back(A_.values[entries_[entry_offsets_[column] + before]]);
        });
    const auto* bytes = reinterpret_cast<const std::byte*>(tiles.data());
    B_.tiles.insert(B_.tiles.end(), bytes, bytes + tiles.size() * sizeof(StagedTile));
  }

  const HostMatrix& A_;
  int granule_;
  HostStaged B_;
  // Of the window: its distinct columns, ascending, the rows that each has entries in, and these, by column and row.
  std::vector<int> columns_, entry_offsets_, entries_;
  std::vector<std::uint64_t> rows_;
  std::vector<StagedColumns> strips_;  // what they take from the chunk at hand
  int previous_ = 0;                   // first column of the chunk before
};

/// Adds the windows of C after those of B.
inline void append(HostStaged& B, const HostStaged& C) {
  const auto add = [](auto& to, const auto& from, std::size_t first) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first), from.end());
  };
  const int chunk = static_cast<int>(B.chunks.size()) - 1;
  const StagedChunk end = B.chunks.back();
  const std::size_t windows = B.window_offsets.size(), chunks = B.chunks.size();
  add(B.window_offsets, C.window_offsets, 1);
  add(B.chunks, C.chunks, 1);
  for (std::size_t w = windows; w < B.window_offsets.size(); ++w) B.window_offsets[w] += chunk;
  for (std::size_t c = chunks; c < B.chunks.size(); ++c)
    B.chunks[c].tiles += end.tiles, B.chunks[c].values += end.values;
  add(B.chunk_columns, C.chunk_columns, 0);
  add(B.tiles, C.tiles, 0);
  add(B.values, C.values, 0);
  B.most_tile_bytes = std::max(B.most_tile_bytes, C.most_tile_bytes);
  B.most_values = std::max(B.most_values, C.most_values);
  B.tile_count += C.tile_count;
}

}  // namespace Impl

/// With all the host's threads. Cost: a sort of each window's entries.
inline HostStaged build_staged(const HostMatrix& A, const StagedShape& shape, int scalar_bytes) {
  const int windows = (A.rows + shape.window_rows - 1) / shape.window_rows;
  const int parts = std::clamp(windows / 16, 1, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  std::vector<std::future<HostStaged>> futures;
  for (int part = 0; part < parts; ++part) {
    const auto begin = [=](long p) { return static_cast<int>(p * windows / parts); };
    futures.push_back(std::async(std::launch::async, [&A, &shape, scalar_bytes, begin, part] {
      return Impl::StagedBuilder(A, shape, scalar_bytes).build(begin(part), begin(part + 1));
    }));
  }
  HostStaged B = futures[0].get();
  for (std::size_t part = 1; part < futures.size(); ++part) Impl::append(B, futures[part].get());
  return B;
}

}  // namespace Tessera::Bench
