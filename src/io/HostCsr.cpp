// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <complex>
#include <stdexcept>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <tessera/system/impl/Parallel.hpp>

#include "SortRow.hpp"

namespace Tessera {
namespace {

constexpr std::size_t rows_at_a_time = 4096;

template <class Scalar>
bool has_ascending_rows(const HostCsr<Scalar>& matrix) {
  for (std::size_t row = 0; row + 1 < matrix.row_offsets.size(); ++row) {
    for (std::size_t k = matrix.row_offsets[row] + 1; k < matrix.row_offsets[row + 1]; ++k) {
      if (matrix.column_indices[k - 1] >= matrix.column_indices[k]) return false;
    }
  }
  return true;
}

/// Moves entries to an earlier position.
template <class Scalar>
void move_entries(HostCsr<Scalar>& matrix, std::size_t begin, std::size_t count, std::size_t target) {
  if (begin == target) return;
  std::copy_n(matrix.column_indices.data() + begin, count, matrix.column_indices.data() + target);
  std::copy_n(matrix.values.data() + begin, count, matrix.values.data() + target);
}

/// Makes rows canonical and closes the gaps between them. Writes the offsets between these rows only, because other
/// threads own the rows around them. Returns the end of the last row.
template <class Scalar>
std::size_t make_rows_canonical(HostCsr<Scalar>& matrix, std::size_t first, std::size_t last) {
  std::vector<std::pair<Impl::Ordinal, Scalar>> scratch;
  std::size_t begin = matrix.row_offsets[first], end = begin;
  for (std::size_t row = first; row < last; ++row) {
    const std::size_t next = matrix.row_offsets[row + 1];
    const std::size_t length =
        Impl::sort_row(matrix.column_indices.data() + begin, matrix.values.data() + begin, next - begin, scratch);
    move_entries(matrix, begin, length, end);
    if (row > first) matrix.row_offsets[row] = end;
    end += length;
    begin = next;
  }
  return end;
}

}  // namespace

template <class Scalar>
bool Impl::is_valid(const HostCsr<Scalar>& matrix) {
  if (matrix.rows < 0 || matrix.columns < 0) return false;
  const auto& offsets = matrix.row_offsets;
  if (offsets.size() != static_cast<std::size_t>(matrix.rows) + 1 || offsets.front() != 0) return false;
  if (offsets.back() != matrix.column_indices.size() || offsets.back() != matrix.values.size()) return false;
  return std::is_sorted(offsets.begin(), offsets.end()) &&
         std::all_of(matrix.column_indices.begin(), matrix.column_indices.end(),
                     [&](Impl::Ordinal column) { return column >= 0 && column < matrix.columns; });
}

template <class Scalar>
bool is_canonical(const HostCsr<Scalar>& matrix) {
  return Impl::is_valid(matrix) && has_ascending_rows(matrix);
}

template <class Scalar>
void make_canonical(HostCsr<Scalar>& matrix, int threads) {
  if (!Impl::is_valid(matrix)) {
    throw std::invalid_argument(
        "make_canonical: expected a valid CSR matrix (rows + 1 ascending offsets from 0, columns in range)");
  }
  if (has_ascending_rows(matrix)) return;

  const auto rows = static_cast<std::size_t>(matrix.rows);
  const auto last_of = [&](std::size_t block) { return std::min(rows, (block + 1) * rows_at_a_time); };
  std::vector<std::size_t> ends((rows + rows_at_a_time - 1) / rows_at_a_time);
  Impl::parallel_for(Impl::thread_count(threads), ends.size(), [&](std::size_t block, int) {
    ends[block] = make_rows_canonical(matrix, block * rows_at_a_time, last_of(block));
  });

  std::size_t end = 0;
  for (std::size_t block = 0; block < ends.size(); ++block) {
    const std::size_t first = block * rows_at_a_time, begin = matrix.row_offsets[first];
    move_entries(matrix, begin, ends[block] - begin, end);
    for (std::size_t row = first; row < last_of(block); ++row) matrix.row_offsets[row] -= begin - end;
    end += ends[block] - begin;
  }
  matrix.row_offsets[rows] = end;
  matrix.column_indices.resize(end);
  matrix.values.resize(end);
}

#define TESSERA_INSTANTIATE(Scalar)                     \
  template bool Impl::is_valid(const HostCsr<Scalar>&); \
  template bool is_canonical(const HostCsr<Scalar>&);   \
  template void make_canonical(HostCsr<Scalar>&, int);

TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera
