// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <tessera/cuda/StagedView.hpp>
#include <thread>
#include <vector>

#include "Candidate.hpp"

namespace Tessera::Bench {

/// How a matrix is cut for staged products.
struct StagedShape {
  int window_rows, strip_blocks, chunk_slots, piece_chunks;
  int most_values;  // of a chunk, if it has more than one column
  bool operator==(const StagedShape&) const = default;
};

/// A matrix in two levels of condensed windows (tessera/cuda/StagedView.hpp), on the host.
struct HostStaged {
  StagedShape shape;
  std::vector<int> window_offsets = {0}, chunk_columns;
  std::vector<Cuda::StagedChunk> chunks = {{0, 0}};
  std::vector<std::byte> tiles;
  std::vector<double> values;
  int most_tile_bytes = 0, most_values = 0;
  std::size_t tile_count = 0;
};

namespace Impl {

/// Builds the windows of a matrix one after the other.
class StagedBuilder {
 public:
  /// scalar_bytes: of a value on the device.
  StagedBuilder(const HostMatrix& A, const StagedShape& shape, int scalar_bytes)
      : A_(A),
        granule_(16 / scalar_bytes),
        strip_rows_(8 * shape.strip_blocks),
        strips_(shape.window_rows / strip_rows_) {
    B_.shape = shape;
  }

  HostStaged build(int first_window, int last_window) {
    for (int window = first_window; window < last_window; ++window) add_window(window * B_.shape.window_rows);
    return std::move(B_);
  }

 private:
  struct Entry {
    int column, row, k;  // row of the window
  };
  // A column of a strip: its entries, and where its row of X is staged.
  struct StripColumn {
    int first, last;  // entries
    int chunk, slot;
    int bank() const { return slot % 4; }
  };

  void add_window(int first_row) {
    sort_entries(first_row);
    std::vector<std::vector<StripColumn>> strips(strips_);
    const int first_chunk = static_cast<int>(B_.chunks.size()) - 1;
    const int chunk_count = cut_chunks(strips);
    std::vector<std::size_t> next(strips_);
    std::vector<std::vector<StripColumn>> carried(strips_);
    for (int chunk = 0; chunk < chunk_count; ++chunk) {
      const bool end = chunk + 1 == chunk_count || (chunk + 1) % B_.shape.piece_chunks == 0;
      std::vector<std::vector<StripColumn>> packed(strips_);
      for (int strip = 0; strip < strips_; ++strip) {
        std::vector<StripColumn> pool = std::move(carried[strip]);
        const std::size_t old = pool.size();
        for (; next[strip] < strips[strip].size() && strips[strip][next[strip]].chunk == chunk; ++next[strip]) {
          pool.push_back(strips[strip][next[strip]]);
        }
        carried[strip] = take_rest(pool, old, end);
        packed[strip] = spread_banks(std::move(pool));
      }
      add_chunk(packed, chunk);
    }
    B_.window_offsets.push_back(first_chunk + chunk_count);
  }

  void sort_entries(int first_row) {
    entries_.clear();
    const int last_row = std::min(A_.rows, first_row + B_.shape.window_rows);
    for (int row = first_row; row < last_row; ++row) {
      for (int k = A_.row_offsets[row]; k < A_.row_offsets[row + 1]; ++k) {
        entries_.push_back({A_.column_indices[k], row - first_row, k});
      }
    }
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
  }

  // Gives columns to chunks and slots, and to the strips that touch them; the number of chunks, at least 1 unless
  // empty.
  int cut_chunks(std::vector<std::vector<StripColumn>>& strips) {
    int chunk = -1, slot = B_.shape.chunk_slots, values = 0;
    for (std::size_t first = 0, last; first < entries_.size(); first = last) {
      last = first + 1;
      while (last < entries_.size() && entries_[last].column == entries_[first].column) ++last;
      const int count = static_cast<int>(last - first);
      if (slot == B_.shape.chunk_slots || values + count > B_.shape.most_values) {
        B_.chunk_columns.resize((B_.chunk_columns.size() / B_.shape.chunk_slots + 1) * B_.shape.chunk_slots, -1);
        ++chunk, slot = 0, values = 0;
      }
      B_.chunk_columns[B_.chunk_columns.size() - B_.shape.chunk_slots + slot] = entries_[first].column;
      for (std::size_t e = first, end; e < last; e = end) {
        const int strip = entries_[e].row / strip_rows_;
        end = e + 1;
        while (end < last && entries_[end].row / strip_rows_ == strip) ++end;
        strips[strip].push_back({static_cast<int>(e), static_cast<int>(end), chunk, slot});
      }
      ++slot, values += count;
    }
    return chunk + 1;
  }

  // Leaves whole tiles in the pool, the `old` first columns of it in any case, and gives back the rest for the next
  // chunk.
  static std::vector<StripColumn> take_rest(std::vector<StripColumn>& pool, std::size_t old, bool end) {
    std::vector<StripColumn> rest;
    std::size_t surplus = pool.size() % 8;
    if (end || pool.size() - surplus < old) return rest;
    int count[4] = {};
    for (const StripColumn& column : pool) ++count[column.bank()];
    for (; surplus > 0; --surplus) {
      // The last of the fullest bank; else the last.
      const int bank = static_cast<int>(std::max_element(count, count + 4) - count);
      std::size_t at = pool.size() - 1;
      while (at > old && pool[at].bank() != bank) --at;
      if (pool[at].bank() != bank) at = pool.size() - 1;
      --count[pool[at].bank()];
      rest.push_back(pool[at]);
      pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return rest;
  }

  // Orders columns so that each four adjacent ones are of different banks, wherever possible.
  static std::vector<StripColumn> spread_banks(std::vector<StripColumn> pool) {
    std::vector<StripColumn> banks[4], result;
    for (auto column = pool.rbegin(); column != pool.rend(); ++column) banks[column->bank()].push_back(*column);
    while (result.size() < pool.size()) {
      int order[4] = {0, 1, 2, 3};
      std::stable_sort(order, order + 4, [&](int a, int b) { return banks[a].size() > banks[b].size(); });
      std::size_t taken = 0;
      for (const int bank : order) {
        if (banks[bank].empty()) continue;
        result.push_back(banks[bank].back());
        banks[bank].pop_back();
        ++taken;
      }
      for (; taken < 4 && result.size() < pool.size(); ++taken) {
        auto& fullest = *std::max_element(banks, banks + 4, [](auto& a, auto& b) { return a.size() < b.size(); });
        result.push_back(fullest.back());
        fullest.pop_back();
      }
    }
    return result;
  }

  void add_chunk(const std::vector<std::vector<StripColumn>>& packed, int chunk) {
    const std::size_t begin = B_.tiles.size(), first_value = B_.values.size();
    B_.tiles.resize(begin + Cuda::staged_header_bytes(strips_));
    std::uint16_t tile = 0;
    for (int strip = 0; strip <= strips_; ++strip) {
      std::memcpy(&B_.tiles[begin + 2 * strip], &tile, 2);
      if (strip == strips_) break;
      for (std::size_t c = 0; c < packed[strip].size(); c += 8, ++tile) {
        const int count = static_cast<int>(std::min<std::size_t>(8, packed[strip].size() - c));
        if (B_.shape.strip_blocks == 1) {
          add_tile<1>(&packed[strip][c], count, chunk, first_value);
        } else {
          add_tile<2>(&packed[strip][c], count, chunk, first_value);
        }
      }
    }
    B_.tile_count += tile;
    B_.values.resize((B_.values.size() + granule_ - 1) / granule_ * granule_);
    B_.most_tile_bytes = std::max(B_.most_tile_bytes, static_cast<int>(B_.tiles.size() - begin));
    B_.most_values = std::max(B_.most_values, static_cast<int>(B_.values.size() - first_value));
    B_.chunks.push_back(
        {static_cast<unsigned>(B_.tiles.size() / 16), static_cast<unsigned>(B_.values.size() / granule_)});
  }

  // Of 8 columns, the first four are the tile's even ones.
  template <int blocks>
  void add_tile(const StripColumn* columns, int count, int chunk, std::size_t chunk_values) {
    Cuda::StagedTile<blocks> tile = {};
    tile.first_value = static_cast<std::uint32_t>(B_.values.size() - chunk_values);
    int k_of[blocks * 64];
    for (int i = 0; i < 8; ++i) {
      const int c = 2 * (i % 4) + i / 4;
      const StripColumn& column = columns[i < count ? i : std::min(i / 4 * 4, count - 1)];
      tile.codes[c] =
          static_cast<std::uint16_t>(4 * column.slot + column.bank() + (column.chunk != chunk ? 0x8000 : 0));
      if (column.chunk != chunk && column.chunk != chunk - 1) throw std::logic_error("a tile looks too far back");
      if (i >= count) continue;
      for (int e = column.first; e < column.last; ++e) {
        const int row = entries_[e].row % strip_rows_;
        tile.masks[row / 8] |= std::uint64_t(1) << (8 * (row % 8) + c);
        k_of[row / 8 * 64 + 8 * (row % 8) + c] = entries_[e].k;
      }
    }
    for (int bit = 0; bit < blocks * 64; ++bit) {
      if ((tile.masks[bit / 64] >> (bit % 64) & 1) != 0) B_.values.push_back(A_.values[k_of[bit]]);
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(&tile);
    B_.tiles.insert(B_.tiles.end(), bytes, bytes + sizeof(tile));
  }

  const HostMatrix& A_;
  int granule_, strip_rows_, strips_;
  HostStaged B_;
  std::vector<Entry> entries_;  // of the window, by column and row
};

/// Adds the windows of C after those of B.
inline void append(HostStaged& B, const HostStaged& C) {
  const auto add = [](auto& to, const auto& from, std::size_t first) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first), from.end());
  };
  const int chunk = static_cast<int>(B.chunks.size()) - 1;
  const Cuda::StagedChunk end = B.chunks.back();
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
