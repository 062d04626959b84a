// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/Mix.hpp>
#include <utility>

namespace Tessera::Impl {

template <class Exec>
using SplitPolicy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;

template <class ViewType, class Exec>
ViewType split_array(const Exec& exec, const std::string& label, std::size_t size) {
  return ViewType(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
}

/// Returns a copy of the first `size` elements of an array.
template <class ViewType, class Exec>
ViewType shortened(const Exec& exec, const ViewType& array, std::size_t size) {
  const auto result = split_array<ViewType>(exec, array.label(), size);
  Kokkos::deep_copy(exec, result, Kokkos::subview(array, std::pair<std::size_t, std::size_t>(0, size)));
  return result;
}

/// Returns the points of indices of blocks: `size` consecutive points for each block.
///
/// \param base [in] the first index of a block, and of a point
template <class Exec, class Index, class Device>
Kokkos::View<Index*, Device> points_of(const Exec& exec, const Kokkos::View<Index*, Device>& blocks, int size,
                                       Index base = 0) {
  if (size == 1) return blocks;
  const auto count = static_cast<std::size_t>(size);
  const auto points = split_array<Kokkos::View<Index*, Device>>(exec, blocks.label(), blocks.extent(0) * count);
  Kokkos::parallel_for(
      "Tessera::points_of", SplitPolicy<Exec>(exec, 0, points.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { points(i) = base + (blocks(i / count) - base) * Index(size) + Index(i % count); });
  exec.fence("Tessera::points_of");
  return points;
}

/// The positions of the columns of a rank's rows: owned columns among the elements of X, imported columns in the halo.
template <class Map>
struct ColumnSplit {
  using Device = typename Map::device_type;
  using Exec = typename Device::execution_space;
  using GlobalOrdinal = typename Map::global_ordinal_type;

  Kokkos::View<int*, Device> targets;         ///< local column -> index in the domain Map, or -1 - index in the halo
  Kokkos::View<GlobalOrdinal*, Device> halo;  ///< the imported columns, in the order of the column Map
  bool keeps_numbers = true;                  ///< whether joined_columns() keeps the number of each column

  /// Counts the imported columns, and the owned columns whose number in the domain Map is different.
  struct Counts {
    int imported = 0, moved = 0;

    KOKKOS_FUNCTION Counts& operator+=(const Counts& other) {
      imported += other.imported;
      moved += other.moved;
      return *this;
    }
  };

  /// Computes the position of each column by a prefix sum over the columns.
  struct FindPlaces {
    typename Map::local_map_type column_map, domain_map;
    Kokkos::View<int*, Device> targets;
    Kokkos::View<GlobalOrdinal*, Device> halo;

    KOKKOS_FUNCTION void operator()(int column, Counts& sum, bool final) const {
      const GlobalOrdinal index = column_map.getGlobalElement(column);
      const int target = domain_map.getLocalElement(index);
      if (final) targets(column) = target < 0 ? -1 - sum.imported : target;
      if (final && target < 0) halo(sum.imported) = index;
      sum.imported += target < 0;
      sum.moved += target >= 0 && target != column;
    }
  };

  static ColumnSplit of(const Map& column_map, const Map& domain_map) {
    const Exec exec;
    const auto columns = static_cast<int>(column_map.getLocalNumElements());
    const auto size = static_cast<std::size_t>(columns);
    ColumnSplit result;
    result.targets = split_array<Kokkos::View<int*, Device>>(exec, "Tessera::split::targets", size);
    const auto halo = split_array<Kokkos::View<GlobalOrdinal*, Device>>(exec, "Tessera::split::halo", size);
    Counts counts;
    Kokkos::parallel_scan("Tessera::split::columns",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, columns),
                          FindPlaces{column_map.getLocalMap(), domain_map.getLocalMap(), result.targets, halo}, counts);
    exec.fence("Tessera::split::columns");
    result.halo = shortened(exec, halo, static_cast<std::size_t>(counts.imported));
    const bool all_are_columns = domain_map.getLocalNumElements() + result.halo.extent(0) == size;
    result.keeps_numbers = counts.moved == 0 && (counts.imported == 0 || all_are_columns);
    return result;
  }
};

/// Returns the column of each entry in the joined X: the elements that the rank owns, in the order of the domain Map,
/// followed by the halo.
///
/// \param targets [in] see ColumnSplit
/// \param owned   [in] the number of elements that the rank owns
template <class Exec, class LocalMatrix, class Device>
Kokkos::View<int*, Device> joined_columns(const Exec& exec, const LocalMatrix& A,
                                          const Kokkos::View<int*, Device>& targets, int owned) {
  const auto entries = A.graph.entries;
  const auto columns = split_array<Kokkos::View<int*, Device>>(exec, "Tessera::joined_columns", entries.extent(0));
  Kokkos::parallel_for(
      "Tessera::joined_columns", SplitPolicy<Exec>(exec, 0, entries.extent(0)), KOKKOS_LAMBDA(std::size_t k) {
        const int target = targets(entries(k));
        columns(k) = target >= 0 ? target : owned - 1 - target;
      });
  return columns;
}

/// The rows of a rank, split into two matrices. One has all rows, and multiplies owned elements of X. The other
/// multiplies the halo, and has only the rows with entries in the halo (the *boundary*), because a product with all
/// rows would read and write all of Y again.
///
/// The split keeps 4 bytes per column and 8 bytes per row, to update values. Rows, columns and entries may be blocks.
template <class Device>
struct RowSplit {
  Kokkos::View<int*, Device> targets;                ///< see ColumnSplit
  Kokkos::View<std::size_t*, Device> owned_offsets;  ///< rows + 1 numbers: the number of owned entries before each row
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

/// Calls a functor for each row. A row has one thread on hosts, and several lanes on devices. The threads of a device
/// have several rows each, because a functor may find nothing to do: many teams would take long to find that out.
template <class Functor>
struct RowOfLanes {
  Functor functor;
  std::size_t rows;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto size = static_cast<std::size_t>(team.team_size());
    const std::size_t first = static_cast<std::size_t>(team.league_rank()) * size;
    const std::size_t step = static_cast<std::size_t>(team.league_size()) * size;
    for (std::size_t row = first + static_cast<std::size_t>(team.team_rank()); row < rows; row += step)
      functor.by_lanes(team, row);
  }
};

/// \param entries [in] entries of all rows
template <class Exec, class Functor>
void for_each_row_by_lanes(const char* name, const Exec& exec, std::size_t rows, std::size_t entries,
                           const Functor& functor) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  constexpr bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  if (rows == 0) return;
  int lanes = 1;  // about the mean number of entries of a row
  while (lanes < Policy::vector_length_max() && lanes < 32 && static_cast<std::size_t>(lanes) * rows < entries) {
    lanes *= 2;
  }
  const std::size_t team = is_host ? 1 : static_cast<std::size_t>(128 / lanes);
  constexpr std::size_t most_teams = 1 << 13;
  const auto teams = static_cast<int>(std::min((rows + team - 1) / team, most_teams));
  Kokkos::parallel_for(name, Policy(exec, teams, static_cast<int>(team), lanes), RowOfLanes<Functor>{functor, rows});
}

template <class Exec, class Functor>
void for_each_row(const char* name, const Exec& exec, std::size_t rows, std::size_t entries, const Functor& functor) {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible) {
    Kokkos::parallel_for(name, SplitPolicy<Exec>(exec, 0, rows), functor);
  } else {
    for_each_row_by_lanes(name, exec, rows, entries, functor);
  }
}

/// Counts the owned entries of each row.
template <class Device, class Offsets, class Entries>
struct CountOwned {
  Offsets row_map;
  Entries entries;
  Kokkos::View<int*, Device> targets, counts;

  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    int sum = 0;
    for (auto k = row_map(row); k < row_map(row + 1); ++k) sum += targets(entries(k)) >= 0;
    counts(row) = sum;
  }
  template <class Team>
  KOKKOS_FUNCTION void by_lanes(const Team& team, std::size_t row) const {
    const auto first = row_map(row);
    int count = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, static_cast<int>(row_map(row + 1) - first)),
        [&](int k, int& sum) { sum += targets(entries(first + static_cast<std::size_t>(k))) >= 0; }, count);
    Kokkos::single(Kokkos::PerThread(team), [&] { counts(row) = count; });
  }
};

/// The number of entries and of boundary rows before a row.
struct RowSums {
  std::size_t owned = 0, halo = 0, boundary = 0;

  KOKKOS_FUNCTION RowSums& operator+=(const RowSums& other) {
    owned += other.owned;
    halo += other.halo;
    boundary += other.boundary;
    return *this;
  }
};

/// Computes prefix sums of the counts, and lists the rows with entries in the halo.
template <class Device, class Offsets>
struct SumRows {
  Offsets row_map;
  Kokkos::View<int*, Device> counts;
  Kokkos::View<std::size_t*, Device> owned_offsets;
  Kokkos::View<int*, Device> boundary;

  KOKKOS_FUNCTION void operator()(std::size_t row, RowSums& sum, bool final) const {
    if (final) owned_offsets(row) = sum.owned;
    if (row == counts.extent(0)) return;
    const auto owned = static_cast<std::size_t>(counts(row));
    const std::size_t halo = row_map(row + 1) - row_map(row) - owned;
    if (final && halo > 0) boundary(sum.boundary) = static_cast<int>(row);
    sum.owned += owned;
    sum.halo += halo;
    sum.boundary += halo > 0;
  }
};

/// \param A [in] the local matrix; the split keeps no reference to it
///
/// Waits once, for the sums.
template <class Device, class Exec, class LocalMatrix>
RowSplit<Device> split_rows(const Exec& exec, const LocalMatrix& A, const Kokkos::View<int*, Device>& targets) {
  using Offsets = decltype(A.graph.row_map);
  using Entries = decltype(A.graph.entries);
  using Indices = Kokkos::View<int*, Device>;
  const auto rows = static_cast<std::size_t>(A.numRows());
  const auto counts = split_array<Indices>(exec, "Tessera::split::counts", rows);
  const auto boundary = split_array<Indices>(exec, "Tessera::split::boundary", rows);
  RowSplit<Device> split;
  split.targets = targets;
  split.owned_offsets =
      split_array<Kokkos::View<std::size_t*, Device>>(exec, "Tessera::split::owned_offsets", rows + 1);
  for_each_row("Tessera::split::count", exec, rows, A.graph.entries.extent(0),
               CountOwned<Device, Offsets, Entries>{A.graph.row_map, A.graph.entries, targets, counts});
  RowSums sums;
  Kokkos::parallel_scan("Tessera::split::sum", SplitPolicy<Exec>(exec, 0, rows + 1),
                        SumRows<Device, Offsets>{A.graph.row_map, counts, split.owned_offsets, boundary}, sums);
  exec.fence("Tessera::split::sum");
  split.owned_entries = sums.owned;
  split.halo_entries = sums.halo;
  split.boundary = shortened(exec, boundary, sums.boundary);
  return split;
}

/// Returns the row offsets of the halo's matrix, from each row's number of entries that are not owned.
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

/// Calls visit(is_owned, place, entry, target) for each entry of A: whether its column is owned, its place in its part,
/// its index in A, and the index of its column in the part.
template <class Device, class Offsets, class Entries, class Visit>
struct VisitEntries {
  Offsets row_map;
  Entries entries;
  Kokkos::View<int*, Device> targets;
  Kokkos::View<std::size_t*, Device> owned_offsets;
  Visit visit;

  KOKKOS_FUNCTION void place(std::size_t entry, std::size_t to_owned, std::size_t to_halo) const {
    const int target = targets(entries(entry));
    if (target >= 0) {
      visit(true, to_owned, entry, target);
    } else {
      visit(false, to_halo, entry, -1 - target);
    }
  }
  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    if (!visit.is_wanted()) return;
    std::size_t owned = owned_offsets(row);
    for (auto k = row_map(row); k < row_map(row + 1); ++k) {
      place(k, owned, k - owned);
      owned += targets(entries(k)) >= 0;
    }
  }
  template <class Team>
  KOKKOS_FUNCTION void by_lanes(const Team& team, std::size_t row) const {
    if (!visit.is_wanted()) return;
    const std::size_t first = row_map(row), owned = owned_offsets(row);
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, static_cast<int>(row_map(row + 1) - first)),
                          [&](int i, int& owned_before, bool final) {
                            const std::size_t k = first + static_cast<std::size_t>(i);
                            const std::size_t to_owned = owned + static_cast<std::size_t>(owned_before);
                            if (final) place(k, to_owned, k - to_owned);
                            owned_before += targets(entries(k)) >= 0;
                          });
  }
};

template <class Exec, class LocalMatrix, class Device, class Visit>
void for_each_split_entry(const Exec& exec, const LocalMatrix& A, const RowSplit<Device>& split, const Visit& visit) {
  using Functor = VisitEntries<Device, decltype(A.graph.row_map), decltype(A.graph.entries), Visit>;
  for_each_row("Tessera::split::fill", exec, static_cast<std::size_t>(A.numRows()),
               split.owned_entries + split.halo_entries,
               Functor{A.graph.row_map, A.graph.entries, split.targets, split.owned_offsets, visit});
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

/// Writes the values of both parts. Does nothing if `wanted` is not null and points to 0.
template <class Given, class Values>
struct WriteValues {
  Given given;
  std::size_t area;  // values of an entry: of an element 1, of a block more
  Values owned, halo;
  const std::uint32_t* wanted;  // flag in device memory; may be null

  KOKKOS_FUNCTION bool is_wanted() const { return wanted == nullptr || *wanted != 0; }
  KOKKOS_FUNCTION void operator()(bool is_owned, std::size_t place, std::size_t entry, int) const {
    const Values& to = is_owned ? owned : halo;
    for (std::size_t k = 0; k < area; ++k) to(place * area + k) = given(entry * area + k);
  }
};

/// Returns the number of values of an entry of A.
template <class LocalMatrix>
std::size_t area_of(const LocalMatrix& A) {
  return static_cast<std::size_t>(A.block_size) * static_cast<std::size_t>(A.block_size);
}

/// Writes A's values into both parts. Does nothing if `wanted` (null or in device memory) points to 0. Does not wait.
template <class Exec, class LocalMatrix, class Device, class Scalar>
void cut_values(const Exec& exec, const LocalMatrix& A, const RowSplit<Device>& split,
                const Kokkos::View<Scalar*, Device>& owned, const Kokkos::View<Scalar*, Device>& halo,
                const std::uint32_t* wanted = nullptr) {
  using Values = Kokkos::View<Scalar*, Device>;
  for_each_split_entry(exec, A, split,
                       WriteValues<decltype(A.values), Values>{A.values, area_of(A), owned, halo, wanted});
}

/// Allocates the values of both parts.
///
/// \param area [in] values of an entry
template <class Scalar, class Exec, class Device>
std::pair<Kokkos::View<Scalar*, Device>, Kokkos::View<Scalar*, Device>> room_for_values(const Exec& exec,
                                                                                        const RowSplit<Device>& split,
                                                                                        std::size_t area) {
  using Values = Kokkos::View<Scalar*, Device>;
  return {split_array<Values>(exec, "Tessera::split::values", split.owned_entries * area),
          split_array<Values>(exec, "Tessera::split::values", split.halo_entries * area)};
}

/// Returns both parts with their values. Does not wait.
template <class Scalar, class Exec, class LocalMatrix, class Device>
std::pair<SplitPart<Scalar, Device>, SplitPart<Scalar, Device>> cut(const Exec& exec, const LocalMatrix& A,
                                                                    const RowSplit<Device>& split) {
  using Indices = Kokkos::View<int*, Device>;
  const auto columns = split_array<Indices>(exec, "Tessera::split::columns", split.owned_entries);
  const auto halo_columns = split_array<Indices>(exec, "Tessera::split::columns", split.halo_entries);
  const auto [values, halo_values] = room_for_values<Scalar>(exec, split, area_of(A));
  for_each_split_entry(exec, A, split, WriteColumns<Indices>{columns, halo_columns});
  cut_values(exec, A, split, values, halo_values);
  const auto offsets = halo_offsets(exec, A, split);
  return {{split.owned_offsets, columns, values}, {offsets, halo_columns, halo_values}};
}

/// Computes the sum of all offsets and columns, each mixed with its index.
template <class Offsets, class Entries>
struct PatternChecksum {
  Offsets row_map;
  Entries entries;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum) const {
    const std::size_t offsets = row_map.extent(0);
    const bool is_offset = i < offsets;
    const std::size_t place = is_offset ? 2 * i : 2 * (i - offsets) + 1;
    const std::uint64_t content = is_offset ? std::uint64_t(row_map(i)) : std::uint64_t(entries(i - offsets));
    sum += mix_bits(place * mix_step + content);
  }
};

/// Returns a number that distinguishes patterns: it depends on every row offset and every column, and on their indices.
/// Waits.
template <class Exec, class Offsets, class Entries>
std::uint64_t pattern_checksum(const Exec& exec, const Offsets& row_map, const Entries& entries) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("Tessera::pattern_checksum",
                          SplitPolicy<Exec>(exec, 0, row_map.extent(0) + entries.extent(0)),
                          PatternChecksum<Offsets, Entries>{row_map, entries}, sum);
  exec.fence("Tessera::pattern_checksum");
  return sum;
}

}  // namespace Tessera::Impl
