// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/Mix.hpp>
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

/// Calls visit(is_owned, place, entry, target) for each entry of A: its place in its part, its number in A, and its
/// column's number in that part.
template <class Exec, class LocalMatrix, class Device, class Visit>
void for_each_split_entry(const Exec& exec, const LocalMatrix& A, const RowSplit<Device>& split, const Visit& visit) {
  const auto row_map = A.graph.row_map;
  const auto entries = A.graph.entries;
  const auto targets = split.targets;
  const auto owned_offsets = split.owned_offsets;
  Kokkos::parallel_for(
      "Tessera::split::fill", SplitPolicy<Exec>(exec, 0, A.numRows()), KOKKOS_LAMBDA(std::size_t row) {
        if (!visit.is_wanted()) return;
        std::size_t to_owned = owned_offsets(row), to_halo = row_map(row) - to_owned;
        for (auto k = row_map(row); k < row_map(row + 1); ++k) {
          const int target = targets(entries(k));
          if (target >= 0) {
            visit(true, to_owned++, k, target);
          } else {
            visit(false, to_halo++, k, -1 - target);
          }
        }
      });
}

/// Writes the columns of both parts.
template <class Indices>
struct WriteColumns {
  Indices owned, halo;

  KOKKOS_FUNCTION bool is_wanted() const { return true; }
  KOKKOS_FUNCTION void operator()(bool is_owned, std::size_t place, std::size_t, int column) const {
    (is_owned ? owned : halo)(place) = column;
  }
};

/// Writes the values of both parts, unless `wanted` points to 0.
template <class Given, class Values>
struct WriteValues {
  Given given;
  Values owned, halo;
  const std::uint32_t* wanted;  // in memory of the device; may be null

  KOKKOS_FUNCTION bool is_wanted() const { return wanted == nullptr || *wanted != 0; }
  KOKKOS_FUNCTION void operator()(bool is_owned, std::size_t place, std::size_t entry, int) const {
    (is_owned ? owned : halo)(place) = given(entry);
  }
};

/// Writes A's values into both parts, unless `wanted`, in memory of the device, points to 0. Does not wait.
template <class Exec, class LocalMatrix, class Device, class Scalar>
void cut_values(const Exec& exec, const LocalMatrix& A, const RowSplit<Device>& split,
                const Kokkos::View<Scalar*, Device>& owned, const Kokkos::View<Scalar*, Device>& halo,
                const std::uint32_t* wanted = nullptr) {
  using Values = Kokkos::View<Scalar*, Device>;
  for_each_split_entry(exec, A, split, WriteValues<decltype(A.values), Values>{A.values, owned, halo, wanted});
}

/// Room for the values of both parts.
template <class Scalar, class Exec, class Device>
std::pair<Kokkos::View<Scalar*, Device>, Kokkos::View<Scalar*, Device>> room_for_values(const Exec& exec,
                                                                                        const RowSplit<Device>& split) {
  using Values = Kokkos::View<Scalar*, Device>;
  return {split_array<Values>(exec, "Tessera::split::values", split.owned_entries),
          split_array<Values>(exec, "Tessera::split::values", split.halo_entries)};
}

/// Both parts with their values. Waits for `exec`.
template <class Scalar, class Exec, class LocalMatrix, class Device>
std::pair<SplitPart<Scalar, Device>, SplitPart<Scalar, Device>> cut(const Exec& exec, const LocalMatrix& A,
                                                                    const RowSplit<Device>& split) {
  using Indices = Kokkos::View<int*, Device>;
  const auto columns = split_array<Indices>(exec, "Tessera::split::columns", split.owned_entries);
  const auto halo_columns = split_array<Indices>(exec, "Tessera::split::columns", split.halo_entries);
  const auto [values, halo_values] = room_for_values<Scalar>(exec, split);
  for_each_split_entry(exec, A, split, WriteColumns<Indices>{columns, halo_columns});
  cut_values(exec, A, split, values, halo_values);
  const auto offsets = halo_offsets(exec, A, split);
  exec.fence("Tessera::split::fill");
  return {{split.owned_offsets, columns, values}, {offsets, halo_columns, halo_values}};
}

/// A number that tells patterns apart. It depends on the offset of every row and on every column, each with its place.
template <class Exec, class LocalMatrix>
std::uint64_t pattern_checksum(const Exec& exec, const LocalMatrix& A) {
  const auto row_map = A.graph.row_map;
  const auto entries = A.graph.entries;
  const auto mixed = KOKKOS_LAMBDA(std::uint64_t place, std::uint64_t content) {
    return mix_bits(place * mix_step + content);
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
