// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace Tessera::Impl {

/// The columns of a rank's rows: the place of each owned one among the elements of X, and the imported ones.
template <class Map>
struct ColumnSplit {
  using GlobalOrdinal = typename Map::global_ordinal_type;

  std::vector<int> targets;         ///< local column -> index in the domain Map, or -1 - index in the halo
  std::vector<GlobalOrdinal> halo;  ///< the imported columns, in the order of the column Map
  bool keeps_numbers = true;        ///< whether all are owned and each column has the same number in both Maps

  static ColumnSplit of(const Map& column_map, const Map& domain_map) {
    ColumnSplit result;
    const auto columns = static_cast<int>(column_map.getLocalNumElements());
    result.targets.resize(static_cast<std::size_t>(columns));
    for (int c = 0; c < columns; ++c) {
      const GlobalOrdinal column = column_map.getGlobalElement(c);
      int target = domain_map.getLocalElement(column);
      if (target < 0) {
        target = -1 - static_cast<int>(result.halo.size());
        result.halo.push_back(column);
      }
      result.keeps_numbers = result.keeps_numbers && target == c;
      result.targets[static_cast<std::size_t>(c)] = target;
    }
    return result;
  }
};

/// The rows of a rank, split in two matrices. One multiplies owned elements of X and has all rows. The other multiplies
/// the halo and has only the rows with such entries (the *boundary*), because a product with all rows would read and
/// write all of Y again.
///
/// It keeps 4 bytes for each column and 8 bytes for each row, for new values.
template <class Device>
struct RowSplit {
  Kokkos::View<int*, Device> targets;                ///< as in ColumnSplit
  Kokkos::View<std::size_t*, Device> owned_offsets;  ///< rows + 1: the owned entries before each row
  Kokkos::View<int*, Device> boundary;               ///< the rows with entries in the halo, ascending
  std::size_t owned_entries = 0;
  std::size_t halo_entries = 0;

  int boundary_rows() const { return static_cast<int>(boundary.extent(0)); }
};

/// One of the two matrices, in compressed rows.
template <class Scalar, class Device>
struct SplitPart {
  Kokkos::View<std::size_t*, Device> row_offsets;
  Kokkos::View<int*, Device> column_indices;
  Kokkos::View<Scalar*, Device> values;
};

template <class Exec>
using SplitPolicy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;

template <class ViewType, class Exec>
ViewType split_array(const Exec& exec, const std::string& label, std::size_t size) {
  return ViewType(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
}

/// Counts the owned entries of each row.
template <class Exec, class LocalMatrix, class Device>
void count_owned(const Exec& exec, const LocalMatrix& A, RowSplit<Device>& split) {
  const auto rows = static_cast<std::size_t>(A.numRows());
  const auto row_map = A.graph.row_map;
  const auto entries = A.graph.entries;
  const auto targets = split.targets;
  const auto offsets = split_array<Kokkos::View<std::size_t*, Device>>(exec, "Tessera::split::owned_offsets", rows + 1);
  Kokkos::parallel_scan(
      "Tessera::split::count", SplitPolicy<Exec>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(std::size_t row, std::size_t & sum, bool final) {
        if (final) offsets(row) = sum;
        if (row == rows) return;
        for (auto k = row_map(row); k < row_map(row + 1); ++k) sum += targets(entries(k)) >= 0;
      },
      split.owned_entries);
  exec.fence("Tessera::split::count");
  split.owned_offsets = offsets;
  // The number of entries that the rows have; the arrays may have room for more.
  std::size_t all = 0;
  Kokkos::parallel_reduce(
      "Tessera::split::entries", SplitPolicy<Exec>(exec, 0, rows),
      KOKKOS_LAMBDA(std::size_t row, std::size_t & sum) { sum += row_map(row + 1) - row_map(row); }, all);
  exec.fence("Tessera::split::entries");
  split.halo_entries = all - split.owned_entries;
}

template <class Exec, class LocalMatrix, class Device>
void find_boundary(const Exec& exec, const LocalMatrix& A, RowSplit<Device>& split) {
  const auto rows = static_cast<std::size_t>(A.numRows());
  const auto row_map = A.graph.row_map;
  const auto owned = split.owned_offsets;
  const auto in_halo = KOKKOS_LAMBDA(std::size_t row) {
    return row_map(row + 1) - row_map(row) > owned(row + 1) - owned(row);
  };
  std::size_t size = 0;
  Kokkos::parallel_reduce(
      "Tessera::split::boundary_rows", SplitPolicy<Exec>(exec, 0, rows),
      KOKKOS_LAMBDA(std::size_t row, std::size_t & sum) { sum += in_halo(row); }, size);
  exec.fence("Tessera::split::boundary_rows");
  const auto boundary = split_array<Kokkos::View<int*, Device>>(exec, "Tessera::split::boundary", size);
  Kokkos::parallel_scan(
      "Tessera::split::boundary", SplitPolicy<Exec>(exec, 0, rows),
      KOKKOS_LAMBDA(std::size_t row, std::size_t & sum, bool final) {
        if (!in_halo(row)) return;
        if (final) boundary(sum) = static_cast<int>(row);
        ++sum;
      });
  split.boundary = boundary;
}

/// \param A [in] the local matrix; the split keeps nothing of it
template <class Device, class Exec, class LocalMatrix>
RowSplit<Device> split_rows(const Exec& exec, const LocalMatrix& A, const std::vector<int>& targets) {
  RowSplit<Device> split;
  split.targets = split_array<Kokkos::View<int*, Device>>(exec, "Tessera::split::targets", targets.size());
  using Host = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(exec, split.targets, Host(targets.data(), targets.size()));
  count_owned(exec, A, split);
  find_boundary(exec, A, split);
  return split;
}

/// The offsets of the rows of the halo's matrix, from the numbers of entries that are not owned.
template <class Exec, class LocalMatrix, class Device>
Kokkos::View<std::size_t*, Device> halo_offsets(const Exec& exec, const LocalMatrix& A, const RowSplit<Device>& split) {
  const auto row_map = A.graph.row_map;
  const auto owned = split.owned_offsets;
  const auto boundary = split.boundary;
  const std::size_t rows = boundary.extent(0), entries = split.halo_entries;
  const auto offsets = split_array<Kokkos::View<std::size_t*, Device>>(exec, "Tessera::split::halo_offsets", rows + 1);
  Kokkos::parallel_for(
      "Tessera::split::halo_offsets", SplitPolicy<Exec>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(std::size_t i) { offsets(i) = i == rows ? entries : row_map(boundary(i)) - owned(boundary(i)); });
  return offsets;
}

/// Writes the values of both parts and, if asked to, the columns. Waits for `exec`.
template <class Exec, class LocalMatrix, class Scalar, class Device>
void fill_parts(const Exec& exec, const LocalMatrix& A, const RowSplit<Device>& split,
                const SplitPart<Scalar, Device>& owned, const SplitPart<Scalar, Device>& halo, bool with_columns) {
  const auto row_map = A.graph.row_map;
  const auto entries = A.graph.entries;
  const auto values = A.values;
  const auto targets = split.targets;
  const auto owned_offsets = split.owned_offsets;
  const auto owned_columns = owned.column_indices, halo_columns = halo.column_indices;
  const auto owned_values = owned.values, halo_values = halo.values;
  Kokkos::parallel_for(
      "Tessera::split::fill", SplitPolicy<Exec>(exec, 0, A.numRows()), KOKKOS_LAMBDA(std::size_t row) {
        std::size_t to_owned = owned_offsets(row), to_halo = row_map(row) - to_owned;
        for (auto k = row_map(row); k < row_map(row + 1); ++k) {
          const int target = targets(entries(k));
          if (target >= 0) {
            if (with_columns) owned_columns(to_owned) = target;
            owned_values(to_owned++) = values(k);
          } else {
            if (with_columns) halo_columns(to_halo) = -1 - target;
            halo_values(to_halo++) = values(k);
          }
        }
      });
  exec.fence("Tessera::split::fill");
}

/// Writes both parts: only values, or columns as well if `with_pattern`.
template <class Scalar, class Exec, class LocalMatrix, class Device>
std::pair<SplitPart<Scalar, Device>, SplitPart<Scalar, Device>> cut(const Exec& exec, const LocalMatrix& A,
                                                                    const RowSplit<Device>& split, bool with_pattern) {
  using Values = Kokkos::View<Scalar*, Device>;
  using Indices = Kokkos::View<int*, Device>;
  SplitPart<Scalar, Device> owned, halo;
  owned.values = split_array<Values>(exec, "Tessera::split::values", split.owned_entries);
  halo.values = split_array<Values>(exec, "Tessera::split::values", split.halo_entries);
  if (with_pattern) {
    owned.column_indices = split_array<Indices>(exec, "Tessera::split::columns", split.owned_entries);
    halo.column_indices = split_array<Indices>(exec, "Tessera::split::columns", split.halo_entries);
    owned.row_offsets = split.owned_offsets;
    halo.row_offsets = halo_offsets(exec, A, split);
  }
  fill_parts(exec, A, split, owned, halo, with_pattern);
  return {owned, halo};
}

/// A number that tells patterns apart. It depends on the offset of every row and on every column, each with its place.
template <class Exec, class LocalMatrix>
std::uint64_t pattern_checksum(const Exec& exec, const LocalMatrix& A) {
  const auto row_map = A.graph.row_map;
  const auto entries = A.graph.entries;
  const auto mixed = KOKKOS_LAMBDA(std::uint64_t place, std::uint64_t content) {
    std::uint64_t z = place * 0x9e3779b97f4a7c15u + content;  // the finalizer of splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  std::uint64_t rows_sum = 0, entries_sum = 0;
  Kokkos::parallel_reduce(
      "Tessera::pattern_checksum::rows", SplitPolicy<Exec>(exec, 0, row_map.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum) { sum += mixed(2 * i, std::uint64_t(row_map(i))); }, rows_sum);
  Kokkos::parallel_reduce(
      "Tessera::pattern_checksum::entries", SplitPolicy<Exec>(exec, 0, entries.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum) { sum += mixed(2 * i + 1, std::uint64_t(entries(i))); },
      entries_sum);
  exec.fence("Tessera::pattern_checksum");
  return rows_sum + entries_sum;
}

}  // namespace Tessera::Impl
