// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <functional>
#include <random>

#include "Matrices.hpp"

namespace Tessera::Bench {

namespace {

/// A row's columns, ascending.
using Columns = std::vector<int>;

HostMatrix from_rows(int rows, int columns, const std::function<Columns(int)>& row) {
  HostMatrix A{rows, columns, {0}, {}, {}};
  std::mt19937_64 random(1);
  for (int i = 0; i < rows; ++i) {
    for (const int j : row(i)) {
      A.column_indices.push_back(j);
      A.values.push_back(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    }
    A.row_offsets.push_back(static_cast<int>(A.column_indices.size()));
  }
  return A;
}

/// At most `length(i)` columns in row i: one at random in each of as many parts of the row.
HostMatrix with_lengths(int rows, int columns, const std::function<int(int)>& length) {
  std::mt19937_64 random(2);
  return from_rows(rows, columns, [&](int i) {
    Columns row(std::min(length(i), columns));
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::size_t first = k * columns / row.size(), end = (k + 1) * columns / row.size();
      row[k] = static_cast<int>(first + random() % (end - first));
    }
    return row;
  });
}

HostMatrix with_dense_column(int rows, int columns, int column) {
  return from_rows(rows, columns, [=](int i) {
    return Columns{i % column, column, column + 1 + i % (columns - column - 1)};
  });
}

HostMatrix band(int rows, int half) {
  return from_rows(rows, rows, [=](int i) {
    Columns row;
    for (int j = std::max(0, i - half); j <= std::min(rows - 1, i + half); ++j) row.push_back(j);
    return row;
  });
}

/// Lengths at the edges of pieces that long rows may be cut into: 31, 32, 33, 63, ... 4097.
int edge_length(int i) { return (32 << i / 3 % 8) + i % 3 - 1; }

}  // namespace

std::vector<NamedMatrix> small_matrices() {
  std::vector<NamedMatrix> all;
  const auto add = [&](const std::string& name, HostMatrix A) { all.push_back({name, std::move(A)}); };
  add("1x1", with_lengths(1, 1, [](int) { return 1; }));
  add("no rows", with_lengths(0, 5, [](int) { return 0; }));
  add("no columns", with_lengths(5, 0, [](int) { return 0; }));
  add("no nonzeros", with_lengths(17, 9, [](int) { return 0; }));
  for (const int rows : {7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129}) {
    add(std::to_string(rows) + " rows, lengths 0 to 8", with_lengths(rows, 33, [](int i) { return i * 7 % 9; }));
  }
  add("lengths 0 to 140", with_lengths(141, 200, [](int i) { return i; }));
  add("lengths at edges of pieces", with_lengths(48, 5000, edge_length));
  add("a row of 20000", with_lengths(67, 20000, [](int i) { return i == 13 ? 20000 : i % 4; }));
  add("rows of 20000 alone", with_lengths(9, 30000, [](int) { return 20000; }));
  add("a dense column", with_dense_column(3000, 50, 17));
  add("dense 70x70", with_lengths(70, 70, [](int) { return 70; }));
  add("dense 8x8", with_lengths(8, 8, [](int) { return 8; }));
  add("band 1000, 7 wide", band(1000, 3));
  add("band 300, 63 wide", band(300, 31));
  add("wide", with_lengths(40, 10000, [](int i) { return 3 * i; }));
  add("tall", with_lengths(10000, 20, [](int i) { return i % 5; }));
  add("only the last row", with_lengths(200, 100, [](int i) { return i == 199 ? 37 : 0; }));
  add("only the first row", with_lengths(200, 100, [](int i) { return i == 0 ? 37 : 0; }));
  add("uneven", with_lengths(700, 3000, [](int i) { return i % 97 == 0 ? 1500 : i % 3; }));
  return all;
}

}  // namespace Tessera::Bench
