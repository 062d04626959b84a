// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <type_traits>
#include <utility>

#include "AllocateCsr.hpp"
#include "CheckAndCopy.hpp"
#include "SortedKeys.hpp"
#include "Validate.hpp"

namespace Tessera::Impl {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

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

template <class ExecutionSpace, class Offset>
void check_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t entries) {
  const Ordinal* columns = A.column_indices;
  const Ordinal count = A.columns;
  std::size_t bad_entry = none;
  Kokkos::parallel_reduce(
      "Tessera::check_columns", IndexPolicy<ExecutionSpace>(exec, 0, entries),
      KOKKOS_LAMBDA(std::size_t k, std::size_t & first) {
        if ((columns[k] < 0 || columns[k] >= count) && k < first) first = k;
      },
      Kokkos::Min<std::size_t>(bad_entry));
  exec.fence("Tessera::check_columns");
  if (bad_entry >= entries) return;
  throw std::invalid_argument("Tessera: entry " + std::to_string(bad_entry) + " lies in column " +
                              std::to_string(read_element(exec, A.column_indices + bad_entry)) +
                              "; expected columns from 0 to " + std::to_string(A.columns - 1));
}

/// Returns the keys of all entries in the order of storage, with the row or the column as their major part.
template <class Exec>
KeyedSlots<Exec, Offset> keys_of_entries(const Exec& exec, const CsrPattern<Offset>& A, std::size_t entries,
                                         bool by_column, int shift) {
  const KeyedSlots<Exec, Offset> result(exec, entries);
  const auto keys = result.keys;
  const auto slots = result.slots;
  Kokkos::parallel_for(
      "Tessera::keys_of_entries", IndexPolicy<Exec>(exec, 0, A.rows), KOKKOS_LAMBDA(std::size_t row) {
        for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
          const auto column = static_cast<std::uint64_t>(A.column_indices[k]);
          keys(k) = by_column ? (column << shift) + row : (std::uint64_t(row) << shift) + column;
          slots(k) = k;
        }
      });
  return result;
}

template <class Exec>
BuiltCsr<typename Exec::memory_space> sort_rows(const Exec& exec, const CsrPattern<Offset>& A, std::size_t entries) {
  using Memory = typename Exec::memory_space;
  const int column_bits = key_bits(A.columns);
  auto sorted = keys_of_entries(exec, A, entries, false, column_bits);
  sorted.sort(exec, 0, column_bits + key_bits(A.rows));
  BuiltCsr<Memory> result;
  unique_keys(exec, sorted, result.values.runs);
  result.values.slots = sorted.slots;
  result.pattern = csr_of_sorted_keys<Exec>(exec, A.rows, A.columns, sorted.keys, column_bits);
  return result;
}

template <class Exec>
Csr<typename Exec::memory_space> copy_pattern(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
  using Memory = typename Exec::memory_space;
  const auto result = allocate_csr(exec, A.rows, A.columns, nonzeros);
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

struct CsrRowFault {
  CsrPattern<Offset> A;

  KOKKOS_FUNCTION int operator()(std::size_t row) const {
    FirstFault found;
    Ordinal previous = -1;
    for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      const Ordinal column = A.column_indices[k];
      found.check(column >= 0 && column < A.columns, 0);
      found.check(column > previous, 1);
      previous = column;
    }
    return found.fault;
  }
};

/// Owns Arrays in memory that an object of the caller keeps alive.
class SharedOwner final : public ArrayOwner {
 public:
  explicit SharedOwner(std::shared_ptr<const void> owner) : owner_(std::move(owner)) {}

 private:
  std::shared_ptr<const void> owner_;
};

/// Returns a pattern in the arrays of a canonical input, which are never written.
template <class Memory>
Csr<Memory> shared_pattern(const CsrPattern<Offset>& A, std::size_t nonzeros,
                           const std::shared_ptr<const void>& owner) {
  Csr<Memory> result{A.rows, A.columns, nonzeros, {}, {}};
  const auto share = [&](auto& array, const auto* data, std::size_t size) {
    using ArrayType = std::remove_reference_t<decltype(array)>;
    using Element = typename ArrayType::value_type;
    array = ArrayType(typename ArrayType::Unowned(const_cast<Element*>(data), size), new SharedOwner(owner));
  };
  share(result.row_offsets, A.row_offsets, static_cast<std::size_t>(A.rows) + 1);
  share(result.column_indices, A.column_indices, nonzeros);
  result.shared_bytes = bytes_of_arrays(result);
  return result;
}

/// Whether kernels can read several columns at once from their first one on.
inline bool are_aligned(const Ordinal* columns) { return reinterpret_cast<std::uintptr_t>(columns) % 16 == 0; }

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> build_csr(const ExecutionSpace& exec, const CsrPattern<Offset>& input,
                                                          std::size_t entries,
                                                          const std::shared_ptr<const void>& owner) {
  if (input.rows == 0) return {Impl::copy_pattern(exec, input, 0), {}};
  using Memory = typename ExecutionSpace::memory_space;
  const bool is_shared = owner != nullptr && are_aligned(input.column_indices);
  Csr<Memory> copy;
  try {
    if (!is_shared) copy = Impl::allocate_csr(exec, input.rows, input.columns, entries);
  } catch (const FormatTooLarge&) {
    // The pattern is checked only: it may be wrong, or have fewer entries than are given.
  }
  const auto found = Impl::check_and_copy(exec, input, entries, copy.row_offsets.data(), copy.column_indices.data());
  if (found.faults > 0) {
    Impl::check_row_offsets(exec, input, entries);
    Impl::check_columns(exec, input, found.used);
  }
  if (found.descents > 0) {
    copy = {};
    return Impl::sort_rows(exec, input, found.used);
  }
  Csr<Memory> rows;
  if (is_shared) {
    rows = shared_pattern<Memory>(input, found.used, owner);
  } else if (copy.row_offsets.data() != nullptr && found.used == entries) {
    rows = std::move(copy);
  } else {
    copy = {};
    rows = Impl::copy_pattern(exec, input, found.used);
  }
  rows.summary = found.rows;
  return {rows, {}};
}

template <class ExecutionSpace>
Csr<typename ExecutionSpace::memory_space> trusted_csr(const ExecutionSpace& exec, const CsrPattern<Offset>& input,
                                                       std::size_t nonzeros, const std::shared_ptr<const void>& owner) {
  if (input.rows == 0 || owner == nullptr || !are_aligned(input.column_indices))
    return Impl::copy_pattern(exec, input, nonzeros);
  return shared_pattern<typename ExecutionSpace::memory_space>(input, nonzeros, owner);
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> transpose(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                          std::size_t nonzeros) {
  using Memory = typename ExecutionSpace::memory_space;
  const int row_bits = Impl::key_bits(A.rows);
  auto sorted = Impl::keys_of_entries(exec, A, nonzeros, true, row_bits);
  // Entries are in the order of rows, and a stable sort by columns keeps that order.
  sorted.sort(exec, row_bits, row_bits + Impl::key_bits(A.columns));
  BuiltCsr<Memory> result;
  result.pattern = Impl::csr_of_sorted_keys<ExecutionSpace>(exec, A.columns, A.rows, sorted.keys, row_bits);
  result.values.slots = sorted.slots;
  return result;
}

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Csr<typename ExecutionSpace::memory_space>& A) {
  const auto rows = static_cast<std::size_t>(A.rows);
  if (A.row_offsets.extent(0) != rows + 1) return "CSR: row_offsets does not have rows + 1 elements";
  if (A.column_indices.extent(0) != A.nonzeros) return "CSR: column_indices does not have an element a nonzero";
  const auto offsets =
      Impl::offsets_fault(exec, "row", A.row_offsets.data(), rows, A.nonzeros, "row_offsets", "nonzeros");
  if (!offsets.empty()) return Impl::of_format("CSR", offsets);
  return Impl::of_format("CSR", Impl::first_fault(exec, "row", rows, Impl::CsrRowFault{A.view()}, [](int fault) {
                           return fault == 0 ? "column_indices holds a column outside the matrix"
                                             : "column_indices does not ascend strictly within a row";
                         }));
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                              \
  template BuiltCsr<Exec::memory_space> build_csr(const Exec&, const CsrPattern<Offset>&, std::size_t,  \
                                                  const std::shared_ptr<const void>&);                  \
  template Csr<Exec::memory_space> trusted_csr(const Exec&, const CsrPattern<Offset>&, std::size_t,     \
                                               const std::shared_ptr<const void>&);                     \
  template BuiltCsr<Exec::memory_space> transpose(const Exec&, const CsrPattern<Offset>&, std::size_t); \
  template std::string validate(const Exec&, const Csr<Exec::memory_space>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

#define TESSERA_INSTANTIATE_CHECKS(Exec, Offset)                                              \
  template void Impl::check_row_offsets(const Exec&, const CsrPattern<Offset>&, std::size_t); \
  template void Impl::check_columns(const Exec&, const CsrPattern<Offset>&, std::size_t);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_USER_OFFSET, TESSERA_INSTANTIATE_CHECKS)

}  // namespace Tessera::Impl
