// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "HostPattern.hpp"
#include "staged/StagedView.hpp"

namespace Tessera::Impl::Test {

/// Staged windows on the host.
struct HostStaged {
  std::vector<int> window_offsets{0}, chunk_columns;
  std::vector<StagedChunk> chunks{{0, 0}};
  std::vector<std::byte> tile_data;
  std::vector<Offset> slots;
  std::size_t tiles = 0, most_tile_bytes = 0, most_value_bytes = 0;
};

/// Builds staged windows serially, with lists of columns. The parallel build is compared with this definition.
class SerialStaged {
 public:
  SerialStaged(const HostPattern<Offset>& A, const StagedShape& shape, std::size_t value_bytes)
      : A_(A), shape_(shape), granule_(16 / value_bytes) {
    for (int first_row = 0; first_row < A.rows; first_row += shape.window_rows) add_window(first_row);
  }
  const HostStaged& result() const { return B_; }

 private:
  using Entries = std::map<int, Offset>;  // entries of a column, by row of the window
  struct Column {
    int slot;
    bool carried;
    Entries entries;
    int bank() const { return slot % 4; }
  };
  using Columns = std::vector<Column>;

  void add_window(int first_row) {
    std::map<int, Entries> columns;
    for (int r = 0; r < shape_.window_rows && first_row + r < A_.rows; ++r) {
      for (Offset k = A_.row_offsets[first_row + r]; k < A_.row_offsets[first_row + r + 1]; ++k) {
        columns[A_.column_indices[k]][r] = k;
      }
    }
    std::vector<Columns> strips(shape_.strips());
    int chunks = 0;
    for (auto next = columns.begin(); next != columns.end();) {
      std::vector<Columns> own(shape_.strips());
      int slot = 0, values = 0;
      for (; next != columns.end() && slot < shape_.chunk_slots; ++next, ++slot) {
        values += static_cast<int>(next->second.size());
        if (slot > 0 && values > shape_.most_values) break;
        B_.chunk_columns.push_back(next->first);
        for (int strip = 0; strip < shape_.strips(); ++strip) add_column(own[strip], strip, slot, next->second);
      }
      for (; slot < shape_.chunk_slots; ++slot) B_.chunk_columns.push_back(-1);
      add_chunk(strips, own, next == columns.end() || ++chunks % shape_.piece_chunks == 0);
    }
    B_.window_offsets.push_back(static_cast<int>(B_.chunks.size()) - 1);
  }

  // Appends a column with its entries in a strip, if it has any.
  void add_column(Columns& columns, int strip, int slot, const Entries& entries) const {
    Column column{slot, false, {}};
    for (const auto& [r, k] : entries) {
      if (r / 8 == strip) column.entries[r % 8] = k;
    }
    if (!column.entries.empty()) columns.push_back(column);
  }

  void add_chunk(std::vector<Columns>& carried, const std::vector<Columns>& own, bool ends_piece) {
    const std::size_t begin = B_.tile_data.size(), first_value = B_.slots.size();
    const int strips = shape_.strips();
    B_.tile_data.resize(begin + staged_header_bytes(strips));
    std::uint16_t tile = 0;
    for (int strip = 0; strip < strips; ++strip) {
      std::memcpy(&B_.tile_data[begin + 2 * strip], &tile, 2);
      Columns pool = carried[strip];
      pool.insert(pool.end(), own[strip].begin(), own[strip].end());
      carried[strip] = ends_piece ? Columns{} : take_rest(pool, carried[strip].size());
      pool = spread_banks(pool);
      for (std::size_t c = 0; c < pool.size(); c += 8, ++tile) {
        const Columns columns(pool.begin() + c, pool.begin() + std::min(c + 8, pool.size()));
        add_tile(columns, first_value);
      }
    }
    std::memcpy(&B_.tile_data[begin + 2 * strips], &tile, 2);
    B_.tiles += tile;
    while (B_.slots.size() % granule_ != 0) B_.slots.push_back(static_cast<Offset>(-1));
    B_.chunks.push_back(
        {static_cast<unsigned>(B_.tile_data.size() / 16), static_cast<unsigned>(B_.slots.size() / granule_)});
    B_.most_tile_bytes = std::max(B_.most_tile_bytes, B_.tile_data.size() - begin);
    B_.most_value_bytes = std::max(B_.most_value_bytes, (B_.slots.size() - first_value) * 16 / granule_);
  }

  // Removes own columns (those after the first `old`) from the pool until it has whole tiles, and returns them.
  static Columns take_rest(Columns& pool, std::size_t old) {
    Columns rest;
    if (pool.size() / 8 * 8 < old) return rest;
    while (pool.size() % 8 != 0) {
      std::size_t count[4] = {};
      for (const Column& column : pool) ++count[column.bank()];
      const int fullest = static_cast<int>(std::max_element(count, count + 4) - count);
      std::size_t at = pool.size() - 1;
      while (at > old && pool[at].bank() != fullest) --at;
      if (pool[at].bank() != fullest) at = pool.size() - 1;
      rest.push_back(pool[at]);
      rest.back().carried = true;
      pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(at));
    }
    std::sort(rest.begin(), rest.end(), [](const Column& a, const Column& b) { return a.slot < b.slot; });
    return rest;
  }

  // Orders columns in fours: one from each bank, fullest first. If the other banks are empty, the fullest gives more.
  static Columns spread_banks(const Columns& pool) {
    Columns banks[4], result;
    for (auto column = pool.rbegin(); column != pool.rend(); ++column) banks[column->bank()].push_back(*column);
    const auto by_size = [&](const Columns& a, const Columns& b) { return a.size() < b.size(); };
    const auto take = [&](Columns& bank) {
      result.push_back(bank.back());
      bank.pop_back();
    };
    while (result.size() < pool.size()) {
      std::vector<int> order{0, 1, 2, 3};
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return banks[a].size() > banks[b].size(); });
      const std::size_t end = std::min(result.size() + 4, pool.size());
      for (const int bank : order) {
        if (!banks[bank].empty()) take(banks[bank]);
      }
      while (result.size() < end) take(*std::max_element(banks, banks + 4, by_size));
    }
    return result;
  }

  // Appends a tile. The first four of its 8 columns become the even columns of the tile.
  void add_tile(const Columns& columns, std::size_t first_value) {
    StagedTile tile;
    tile.first_value = static_cast<std::uint32_t>(B_.slots.size() - first_value);
    std::map<int, Offset> values;  // ordered by bit
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t c = 2 * (i % 4) + i / 4;
      const Column& column = columns[i < columns.size() ? i : columns.size() > 4 ? 4 : 0];
      tile.codes[c] = static_cast<std::uint16_t>(4 * column.slot + column.bank() + (column.carried ? 0x8000 : 0));
      if (i >= columns.size()) continue;
      for (const auto& [r, k] : column.entries) {
        tile.mask |= std::uint64_t(1) << (8 * r + c);
        values[8 * r + static_cast<int>(c)] = k;
      }
    }
    for (const auto& [bit, k] : values) B_.slots.push_back(k);
    const auto* bytes = reinterpret_cast<const std::byte*>(&tile);
    B_.tile_data.insert(B_.tile_data.end(), bytes, bytes + sizeof(tile));
  }

  const HostPattern<Offset>& A_;
  StagedShape shape_;
  std::size_t granule_;
  HostStaged B_;
};

}  // namespace Tessera::Impl::Test
