// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/Arrays.hpp>

/// Finds the first broken invariant of a format, for its validate().
namespace Tessera::Impl {

/// The number that means that all invariants hold. Invariants are numbered from 0 in the order of their checks.
constexpr int no_fault = 255;

/// The lowest number of a broken invariant.
struct FirstFault {
  int fault = no_fault;

  KOKKOS_INLINE_FUNCTION void check(bool holds, int which) {
    if (!holds && which < fault) fault = which;
  }
};

struct FoundFault {
  std::size_t unit;
  int fault;
};

/// A functor that calls window_fault(pattern, window).
template <auto window_fault, class Pattern>
struct WindowFault {
  Pattern A;

  KOKKOS_FUNCTION int operator()(std::size_t window) const { return window_fault(A, static_cast<Ordinal>(window)); }
};

/// Computes the least pair (unit, fault), packed into one number.
///
/// NOTE: a struct, because FaultOf is usually a KOKKOS_LAMBDA. On the host, nvcc 13 stores such a lambda behind a
/// pointer, which is null in optimized code that captures it in another lambda.
template <class FaultOf>
struct LeastFault {
  FaultOf fault_of;

  KOKKOS_FUNCTION void operator()(std::size_t unit, std::uint64_t& least) const {
    const int fault = fault_of(unit);
    const std::uint64_t key = std::uint64_t(unit) * 256 + std::uint64_t(fault);
    if (fault != no_fault && key < least) least = key;
  }
};

/// Calls fault_of(unit) for every unit. Returns the first unit that has a fault, and its fault.
template <class ExecutionSpace, class FaultOf>
std::optional<FoundFault> find_fault(const ExecutionSpace& exec, std::size_t units, const FaultOf& fault_of) {
  constexpr std::uint64_t nothing = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t first = nothing;
  Kokkos::parallel_reduce("Tessera::validate", IndexPolicy<ExecutionSpace>(exec, 0, units),
                          LeastFault<FaultOf>{fault_of}, Kokkos::Min<std::uint64_t>(first));
  exec.fence("Tessera::validate");
  if (units == 0 || first == nothing) return {};
  return FoundFault{static_cast<std::size_t>(first / 256), static_cast<int>(first % 256)};
}

/// Describes the first unit (a window, a row, a block) that has a fault: "<unit name> <unit>: <description>". Returns
/// an empty text if no unit has a fault.
template <class ExecutionSpace, class FaultOf, class Describe>
std::string first_fault(const ExecutionSpace& exec, const std::string& unit_name, std::size_t units,
                        const FaultOf& fault_of, const Describe& describe) {
  const auto found = find_fault(exec, units, fault_of);
  if (!found) return {};
  return unit_name + ' ' + std::to_string(found->unit) + ": " + describe(found->fault);
}

/// Calls first_fault() for the windows of a pattern.
template <auto window_fault, class ExecutionSpace, class Pattern, class Describe>
std::string first_window_fault(const ExecutionSpace& exec, std::size_t windows, const Pattern& A,
                               const Describe& describe) {
  return first_fault(exec, "window", windows, WindowFault<window_fault, Pattern>{A}, describe);
}

/// Calls the checks in order until one finds a fault, and returns this fault.
template <class... Checks>
std::string first_of(const Checks&... checks) {
  std::string fault;
  static_cast<void>(((fault = checks(), fault.empty()) && ...));
  return fault;
}

struct OffsetsFault {
  const Offset* offsets;
  std::size_t units;
  std::size_t begin;
  std::size_t end;

  KOKKOS_FUNCTION int operator()(std::size_t unit) const {
    const bool starts = unit > 0 || std::size_t(offsets[0]) == begin;
    const bool ends = unit + 1 < units || std::size_t(offsets[units]) == end;
    const bool ascends = units == 0 || (offsets[unit] <= offsets[unit + 1] && std::size_t(offsets[unit + 1]) <= end);
    return starts && ends && ascends ? no_fault : 0;
  }
};

/// Checks that offsets(0 ... units) start at `begin`, do not descend, and end at `end`. Returns the fault, or an empty
/// text. `what` names the array, `of` the things that it counts.
template <class ExecutionSpace>
std::string offsets_fault(const ExecutionSpace& exec, const std::string& unit_name, const Offset* offsets,
                          std::size_t units, std::size_t end, const std::string& what, const std::string& of,
                          std::size_t begin = 0) {
  return first_fault(
      exec, unit_name, std::max<std::size_t>(units, 1), OffsetsFault{offsets, units, begin, end},
      [&](int) { return what + " does not ascend from " + std::to_string(begin) + " to the number of " + of; });
}

/// Puts the name of the format before a fault. An empty text stays empty.
inline std::string of_format(const std::string& name, const std::string& fault) {
  return fault.empty() ? fault : name + ": " + fault;
}

/// Checks the invariants of condensed columns, tile by tile within a window.
class CondensedColumns {
 public:
  enum Fault : int { out_of_range, not_ascending, gap, entry_outside, without_entry, faults };

  static std::string describe(int fault) {
    static constexpr const char* texts[] = {
        "tile_columns holds a column outside the matrix",                                  // out_of_range
        "tile_columns does not ascend strictly within a window",                           // not_ascending
        "tile_columns has an unused slot that is not at the end of a window's last tile",  // gap
        "a mask has a bit in an unused column",                                            // entry_outside
        "a mask has no bit in a used column",                                              // without_entry
    };
    return texts[fault];
  }

  KOKKOS_INLINE_FUNCTION explicit CondensedColumns(Ordinal columns_of_matrix) : columns_(columns_of_matrix) {}

  /// \param used     [in] bit c is set if the mask has an entry in column c of the tile
  /// \param is_last  [in] whether this is the last tile of the window
  KOKKOS_INLINE_FUNCTION void check_tile(const Ordinal* columns, int width, unsigned used, bool is_last,
                                         FirstFault& found) {
    for (int c = 0; c < width; ++c) {
      const bool has_entry = (used >> c & 1u) != 0;
      if (columns[c] == -1) {
        found.check(c > 0 && is_last, gap);
        found.check(!has_entry, entry_outside);
        ended_ = true;
        continue;
      }
      found.check(!ended_, gap);
      found.check(columns[c] >= 0 && columns[c] < columns_, out_of_range);
      found.check(columns[c] > previous_, not_ascending);
      found.check(has_entry, without_entry);
      previous_ = columns[c];
    }
  }

 private:
  Ordinal columns_;
  Ordinal previous_ = -1;
  bool ended_ = false;
};

}  // namespace Tessera::Impl
