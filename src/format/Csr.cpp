// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/RadixSort.hpp>

namespace Tessera {

namespace Impl {

template <class ExecutionSpace>
using IndexPolicy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

template <class ViewType, class ExecutionSpace>
ViewType allocate(const ExecutionSpace& exec, const std::string& label, std::size_t size) {
  return ViewType(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
}

/// One element of device memory, on the host. Waits for `exec`.
template <class ExecutionSpace, class T>
T read_element(const ExecutionSpace& exec, const T* address) {
  T value{};
  Kokkos::deep_copy(
      exec, Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value),
      Kokkos::View<const T, typename ExecutionSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(address));
  exec.fence("Tessera::read_element");
  return value;
}

/// \throws std::invalid_argument at the first row whose offsets are wrong.
template <class ExecutionSpace, class Offset>
void check_row_offsets(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t entries) {
  const Offset* offsets = A.row_offsets;
  const auto rows = static_cast<std::size_t>(A.rows);
  std::size_t bad_row = none;
  Kokkos::parallel_reduce(
      "Tessera::check_row_offsets", IndexPolicy<ExecutionSpace>(exec, 0, rows),
      KOKKOS_LAMBDA(std::size_t row, std::size_t & first) {
        const bool starts = row > 0 || offsets[0] == Offset(0);
        const bool ascends = offsets[row] <= offsets[row + 1] && std::size_t(offsets[row + 1]) <= entries;
        if (!(starts && ascends) && row < first) first = row;
      },
      Kokkos::Min<std::size_t>(bad_row));
  exec.fence("Tessera::check_row_offsets");
  if (bad_row >= rows) return;
  throw std::invalid_argument("Tessera: row offsets are wrong at row " + std::to_string(bad_row) + ": from " +
                              std::to_string(read_element(exec, offsets + bad_row)) + " to " +
                              std::to_string(read_element(exec, offsets + bad_row + 1)) +
                              "; expected offsets that start at 0, do not descend and do not exceed the " +
                              std::to_string(entries) + " entries given");
}

/// Whether every row ascends strictly.
/// \throws std::invalid_argument at the first column out of range.
template <class ExecutionSpace, class Offset>
bool check_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  std::size_t bad_entry = none, unsorted_rows = 0;
  Kokkos::parallel_reduce(
      "Tessera::check_columns", IndexPolicy<ExecutionSpace>(exec, 0, A.rows),
      KOKKOS_LAMBDA(std::size_t row, std::size_t & first, std::size_t & unsorted) {
        Ordinal previous = -1;
        bool ascends = true;
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          const Ordinal column = A.column_indices[k];
          if ((column < 0 || column >= A.columns) && std::size_t(k) < first) first = std::size_t(k);
          ascends = ascends && column > previous;
          previous = column;
        }
        if (!ascends) ++unsorted;
      },
      Kokkos::Min<std::size_t>(bad_entry), Kokkos::Sum<std::size_t>(unsorted_rows));
  exec.fence("Tessera::check_columns");
  if (A.rows > 0 && bad_entry != none) {
    throw std::invalid_argument("Tessera: entry " + std::to_string(bad_entry) + " lies in column " +
                                std::to_string(read_element(exec, A.column_indices + bad_entry)) +
                                "; expected columns from 0 to " + std::to_string(A.columns - 1));
  }
  return unsorted_rows == 0;
}

/// offsets(u) = the number of sorted keys below u << shift, for u = 0 ... units.
template <class ExecutionSpace, class Keys, class Offsets>
void offsets_of_sorted_keys(const ExecutionSpace& exec, const Keys& keys, std::size_t size, int shift,
                            const Offsets& offsets) {
  using Offset = typename Offsets::value_type;
  Kokkos::parallel_for(
      "Tessera::offsets_of_sorted_keys", IndexPolicy<ExecutionSpace>(exec, 0, offsets.extent(0)),
      KOKKOS_LAMBDA(std::size_t unit) {
        const std::uint64_t wanted = std::uint64_t(unit) << shift;
        std::size_t low = 0, high = size;
        while (low < high) {
          const std::size_t middle = (low + high) / 2;
          if (keys(middle) < wanted) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        offsets(unit) = Offset(low);
      });
}

/// Keys (major << shift) + minor of all entries in the order of storage, where major is the row and minor the column,
/// or the other way round.
template <class Keys, class Slots, class ExecutionSpace, class Offset>
void pack_keys(const ExecutionSpace& exec, const CsrPattern<Offset>& A, bool by_column, int shift, const Keys& keys,
               const Slots& slots) {
  Kokkos::parallel_for(
      "Tessera::pack_keys", IndexPolicy<ExecutionSpace>(exec, 0, A.rows), KOKKOS_LAMBDA(std::size_t row) {
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          const auto column = static_cast<std::uint64_t>(A.column_indices[k]);
          keys(k) = by_column ? (column << shift) + row : (std::uint64_t(row) << shift) + column;
          slots(k) = k;
        }
      });
}

template <class Exec, class Offset>
struct Sorted {
  using Memory = typename Exec::memory_space;
  Kokkos::View<std::uint64_t*, Memory> keys;
  Kokkos::View<Offset*, Memory> slots;
};

/// Keeps the first of each run of equal keys; runs(i) is where the i-th of them starts, and the runs' end closes the
/// list.
template <class Exec, class Offset>
std::size_t unique_keys(const Exec& exec, Sorted<Exec, Offset>& sorted,
                        Kokkos::View<Offset*, typename Exec::memory_space>& runs) {
  const auto keys = sorted.keys;
  const std::size_t size = keys.extent(0);
  const auto is_first = KOKKOS_LAMBDA(std::size_t i) { return i == 0 || keys(i) != keys(i - 1); };
  std::size_t unique = 0;
  Kokkos::parallel_reduce(
      "Tessera::unique_keys::count", IndexPolicy<Exec>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) { sum += is_first(i); }, unique);
  exec.fence("Tessera::unique_keys");
  if (unique == size) return unique;
  const auto kept =
      allocate<Kokkos::View<std::uint64_t*, typename Exec::memory_space>>(exec, "Tessera::unique_keys", unique);
  const auto starts = allocate<Kokkos::View<Offset*, typename Exec::memory_space>>(exec, "Tessera::runs", unique + 1);
  Kokkos::parallel_scan(
      "Tessera::unique_keys::keep", IndexPolicy<Exec>(exec, 0, size + 1),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum, bool final) {
        if (i == size) {
          if (final) starts(sum) = Offset(size);
        } else if (is_first(i)) {
          if (final) {
            kept(sum) = keys(i);
            starts(sum) = Offset(i);
          }
          ++sum;
        }
      });
  sorted.keys = kept;
  runs = starts;
  return unique;
}

/// The canonical pattern whose rows are the keys' major parts.
template <class Exec, class Offset>
Csr<Offset, typename Exec::memory_space> csr_of_sorted_keys(
    const Exec& exec, Ordinal rows, Ordinal columns,
    const Kokkos::View<std::uint64_t*, typename Exec::memory_space>& keys, int shift) {
  using Memory = typename Exec::memory_space;
  Csr<Offset, Memory> result{rows, columns, keys.extent(0), {}, {}};
  result.row_offsets =
      allocate<Kokkos::View<Offset*, Memory>>(exec, "Tessera::Csr::row_offsets", rows + std::size_t(1));
  result.column_indices =
      allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::Csr::column_indices", keys.extent(0));
  offsets_of_sorted_keys(exec, keys, keys.extent(0), shift, result.row_offsets);
  const auto columns_out = result.column_indices;
  const std::uint64_t low_bits = (std::uint64_t(1) << shift) - 1;
  Kokkos::parallel_for(
      "Tessera::unpack_keys", IndexPolicy<Exec>(exec, 0, keys.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) { columns_out(i) = static_cast<Ordinal>(keys(i) & low_bits); });
  return result;
}

template <class Exec, class Offset>
BuiltCsr<Offset, typename Exec::memory_space> sort_rows(const Exec& exec, const CsrPattern<Offset>& A,
                                                        std::size_t entries) {
  using Memory = typename Exec::memory_space;
  const int column_bits = std::bit_width(static_cast<unsigned>(A.columns));
  const int row_bits = std::bit_width(static_cast<unsigned>(A.rows));
  Sorted<Exec, Offset> sorted{allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::keys", entries),
                              allocate<Kokkos::View<Offset*, Memory>>(exec, "Tessera::slots", entries)};
  pack_keys(exec, A, false, column_bits, sorted.keys, sorted.slots);
  radix_sort(exec, sorted.keys, sorted.slots, 0, column_bits + row_bits);
  BuiltCsr<Offset, Memory> result;
  unique_keys(exec, sorted, result.values.runs);
  result.values.slots = sorted.slots;
  result.pattern = csr_of_sorted_keys<Exec, Offset>(exec, A.rows, A.columns, sorted.keys, column_bits);
  return result;
}

template <class Exec, class Offset>
Csr<Offset, typename Exec::memory_space> copy_pattern(const Exec& exec, const CsrPattern<Offset>& A,
                                                      std::size_t nonzeros) {
  using Memory = typename Exec::memory_space;
  Csr<Offset, Memory> result{A.rows, A.columns, nonzeros, {}, {}};
  result.row_offsets =
      allocate<Kokkos::View<Offset*, Memory>>(exec, "Tessera::Csr::row_offsets", A.rows + std::size_t(1));
  result.column_indices = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::Csr::column_indices", nonzeros);
  if (A.rows == 0) {
    Kokkos::deep_copy(exec, result.row_offsets, Offset(0));
    return result;
  }
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(exec, result.row_offsets,
                    Kokkos::View<const Offset*, Memory, Unmanaged>(A.row_offsets, A.rows + std::size_t(1)));
  Kokkos::deep_copy(exec, result.column_indices,
                    Kokkos::View<const Ordinal*, Memory, Unmanaged>(A.column_indices, nonzeros));
  return result;
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> build_csr(const ExecutionSpace& exec,
                                                                  const CsrPattern<Offset>& input,
                                                                  std::size_t entries) {
  if (input.rows == 0) return {Impl::copy_pattern(exec, input, 0), {}};
  Impl::check_row_offsets(exec, input, entries);
  const auto used = static_cast<std::size_t>(Impl::read_element(exec, input.row_offsets + input.rows));
  if (Impl::check_columns(exec, input)) return {Impl::copy_pattern(exec, input, used), {}};
  return Impl::sort_rows(exec, input, used);
}

template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> transpose(const ExecutionSpace& exec,
                                                                  const CsrPattern<Offset>& A, std::size_t nonzeros) {
  using Memory = typename ExecutionSpace::memory_space;
  const int row_bits = std::bit_width(static_cast<unsigned>(A.rows));
  const int column_bits = std::bit_width(static_cast<unsigned>(A.columns));
  auto keys = Impl::allocate<Kokkos::View<std::uint64_t*, Memory>>(exec, "Tessera::keys", nonzeros);
  auto slots = Impl::allocate<Kokkos::View<Offset*, Memory>>(exec, "Tessera::slots", nonzeros);
  Impl::pack_keys(exec, A, true, row_bits, keys, slots);
  // Rows ascend already: a stable sort by columns alone keeps them so.
  radix_sort(exec, keys, slots, row_bits, row_bits + column_bits);
  BuiltCsr<Offset, Memory> result;
  result.pattern = Impl::csr_of_sorted_keys<ExecutionSpace, Offset>(exec, A.columns, A.rows, keys, row_bits);
  result.values.slots = slots;
  return result;
}

#define TESSERA_INSTANTIATE(Exec, Offset)                                                                       \
  template BuiltCsr<Offset, Exec::memory_space> build_csr(const Exec&, const CsrPattern<Offset>&, std::size_t); \
  template BuiltCsr<Offset, Exec::memory_space> transpose(const Exec&, const CsrPattern<Offset>&, std::size_t);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
