// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/format/Blocks.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "AllocateCsr.hpp"

namespace Tessera::Impl {

/// \throws std::invalid_argument if rows, columns or entries of the elements do not fit their types
void check_element_counts(const CsrPattern<Offset>& blocks, std::size_t entries, Ordinal block_size) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Ordinal>::max());
  const auto size = static_cast<std::size_t>(block_size);
  const auto fail = [&](const char* what, std::size_t count, const char* limit) {
    throw std::invalid_argument("Tessera: " + std::to_string(count) + ' ' + what + " of blocks of " +
                                std::to_string(size) + " are more than " + limit);
  };
  if (std::size_t(blocks.rows) > most / size) fail("rows", std::size_t(blocks.rows), "2^31 - 1 rows");
  if (std::size_t(blocks.columns) > most / size) fail("columns", std::size_t(blocks.columns), "2^31 - 1 columns");
  if (entries > static_cast<std::size_t>(std::numeric_limits<Offset>::max()) / (size * size)) {
    fail("entries", entries, "a block of rows can have");
  }
}

/// Checks the blocks by calling build_csr(), whose result is not kept. Returns the number of blocks.
/// \throws std::invalid_argument like build_csr()
template <class ExecutionSpace, class Offset>
std::size_t check_blocks(const ExecutionSpace& exec, const CsrPattern<Offset>& blocks, std::size_t entries) {
  const auto checked = build_csr(exec, blocks, entries);
  return checked.values.is_identity() ? checked.pattern.nonzeros : checked.values.slots.extent(0);
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> expand_blocks(const ExecutionSpace& exec,
                                                              const CsrPattern<Offset>& blocks, std::size_t entries,
                                                              Ordinal block_size) {
  Impl::check_element_counts(blocks, entries, block_size);
  const std::size_t used = Impl::check_blocks(exec, blocks, entries);
  const auto size = static_cast<std::size_t>(block_size), area = size * size;
  const auto rows = static_cast<std::size_t>(blocks.rows) * size, elements = used * area;
  BuiltCsr<typename ExecutionSpace::memory_space> result;
  auto& [points, map] = result;
  points = Impl::allocate_csr(exec, blocks.rows * block_size, blocks.columns * block_size, elements);
  map.slots = Impl::allocate<decltype(map.slots)>(exec, "Tessera::slots", elements);

  const auto row_offsets = points.row_offsets;
  const auto column_indices = points.column_indices;
  const auto slots = map.slots;
  Kokkos::parallel_for(
      "Tessera::expand_blocks", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(std::size_t row) {
        if (row == rows) {
          row_offsets(row) = Offset(elements);
          return;
        }
        const std::size_t block_row = row / size, row_in_block = row % size;
        const std::size_t begin = blocks.row_offsets[block_row], end = blocks.row_offsets[block_row + 1];
        std::size_t element = begin * area + row_in_block * (end - begin) * size;
        row_offsets(row) = Offset(element);
        for (std::size_t block = begin; block < end; ++block) {
          const Ordinal first_column = blocks.column_indices[block] * block_size;
          for (Ordinal j = 0; j < block_size; ++j, ++element) {
            column_indices(element) = first_column + j;
            slots(element) = Offset(block * area + row_in_block * size + std::size_t(j));
          }
        }
      });
  return result;
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template BuiltCsr<Exec::memory_space> expand_blocks(const Exec&, const CsrPattern<Offset>&, std::size_t, Ordinal);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
