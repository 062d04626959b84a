// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tessera/format/Bcsr.hpp>
#include <tessera/format/BitTcf.hpp>
#include <tessera/format/Bmat.hpp>
#include <tessera/format/FormatMemory.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

namespace Tessera {

namespace Impl {

constexpr std::size_t ordinal_bytes = sizeof(Ordinal);

inline std::size_t ceil_divide(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// Windows, parts of long ones, and the rows of each column of a tile, while windows are condensed (Windows.hpp). On
/// hosts parts are windows.
template <class Offset>
std::size_t condensing_bytes(std::size_t windows, std::size_t nonzeros, std::size_t tiles, std::size_t row_bytes) {
  const std::size_t parts = windows + nonzeros / 16;
  return (windows + parts + 2) * sizeof(Offset) + 8 * tiles * row_bytes;
}

template <class Offset>
FormatMemory bittcf_memory(std::size_t rows, std::size_t nonzeros, std::size_t tiles) {
  const std::size_t windows = ceil_divide(rows, 8);
  return {(windows + tiles + 2) * sizeof(Offset) + tiles * (8 * ordinal_bytes + 8), nonzeros,
          condensing_bytes<Offset>(windows, nonzeros, tiles, sizeof(std::uint8_t)), tiles};
}

template <class Offset>
FormatMemory bmat_memory(std::size_t rows, std::size_t nonzeros, std::size_t tiles) {
  const std::size_t windows = ceil_divide(rows, 16);
  return {2 * (windows + 1) * sizeof(Offset) + tiles * (8 * ordinal_bytes + 16), nonzeros,
          condensing_bytes<Offset>(windows, nonzeros, tiles, sizeof(std::uint16_t)), tiles};
}

template <class Offset>
FormatMemory bcsr_memory(std::size_t rows, BlockShape shape, std::size_t blocks) {
  const std::size_t windows = ceil_divide(rows, static_cast<std::size_t>(shape.height));
  const std::size_t block = ordinal_bytes + static_cast<std::size_t>(shape.mask_words()) * sizeof(std::uint64_t);
  return {(windows + 1) * sizeof(Offset) + blocks * block, blocks * static_cast<std::size_t>(shape.size()), 0, blocks};
}

/// An entry takes the most in a group of the fewest entries a column, 1, or if it is left over.
template <class Offset>
FormatMemory brp_memory(std::size_t rows, std::size_t nonzeros, const FormatParameters& parameters,
                        std::size_t value_bytes) {
  const auto f = static_cast<std::size_t>(std::max(1, parameters.brp_nonzeros_per_column));
  const std::size_t least_fg = 16 / std::gcd(std::size_t(16), value_bytes);
  const std::size_t grouped =
      nonzeros + ceil_divide(nonzeros, f) * ordinal_bytes + ceil_divide(nonzeros, 8 * least_fg) * ordinal_bytes;
  const std::size_t residual_rows = std::min(rows, nonzeros);
  return {std::max(grouped, nonzeros * ordinal_bytes) + residual_rows * (ordinal_bytes + sizeof(Offset)) +
              (2 * ceil_divide(rows, 16) + 3) * sizeof(Offset),
          nonzeros, 0};
}

/// Sorted are the entries by columns, columns by length, and elements of blocks by row.
template <class Exec, class Offset>
FormatMemory sorted_columns_memory(const Exec& exec, std::size_t rows, std::size_t columns, std::size_t nonzeros,
                                   const FormatParameters& parameters) {
  const auto or_32 = [](int given) { return static_cast<std::size_t>(given > 0 ? given : 32); };
  const std::size_t width = or_32(parameters.sorted_columns_width), height = or_32(parameters.sorted_columns_height);
  const std::size_t positions = std::min(columns, nonzeros);
  const std::size_t units = 2 * (nonzeros / width + width + 1);  // blocks and pieces
  const std::size_t element_bytes = 2 * sizeof(std::uint16_t);   // of a block, besides the row
  FormatMemory memory;
  memory.pattern =
      units * (sizeof(Offset) + ordinal_bytes) + positions * ordinal_bytes + nonzeros * (ordinal_bytes + element_bytes);
  memory.places = nonzeros;
  const auto lengths = static_cast<std::size_t>(std::sqrt(2.0 * static_cast<double>(nonzeros))) + 1;
  const std::size_t tables = 64 * (lengths + width + rows / height + 2);
  const std::size_t turned = csr_bytes<Offset>(columns, nonzeros) + nonzeros * sizeof(Offset);
  const std::size_t by_length =
      radix_sort_bytes(exec, columns, ordinal_bytes) + positions * (ordinal_bytes + 2 * sizeof(Offset)) + tables;
  // Pattern and map are there only in part when the most is sorted: after the transpose, without what sorting gives.
  const std::size_t transposed = sorted_csr_bytes<Offset>(exec, columns, nonzeros);
  const std::size_t last = memory.pattern - nonzeros * element_bytes + nonzeros * sizeof(Offset) +
                           radix_sort_bytes(exec, nonzeros, sizeof(Offset));
  const std::size_t all = memory.pattern + nonzeros * sizeof(Offset);
  const std::size_t most = std::max({all, transposed, turned + by_length + all - nonzeros * element_bytes, last});
  memory.scratch = most - all;
  return memory;
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
FormatMemory format_memory(const ExecutionSpace& exec, Format format,
                           const Csr<Offset, typename ExecutionSpace::memory_space>& A,
                           const FormatParameters& parameters, std::size_t value_bytes, double known_tiles) {
  const auto rows = static_cast<std::size_t>(A.rows), columns = static_cast<std::size_t>(A.columns);
  const auto tiles = [&](auto count) {
    return known_tiles >= 0 ? static_cast<std::size_t>(known_tiles) : count(exec, A.view());
  };
  switch (format) {
    case Format::Csr:
      return {A.bytes(), A.nonzeros, 0};
    case Format::BitTcf:
      return Impl::bittcf_memory<Offset>(rows, A.nonzeros, tiles(count_bittcf_tiles<ExecutionSpace, Offset>));
    case Format::Bmat:
      return Impl::bmat_memory<Offset>(rows, A.nonzeros, tiles(count_bmat_tiles<ExecutionSpace, Offset>));
    case Format::BlockRowPartition:
      return Impl::brp_memory<Offset>(rows, A.nonzeros, parameters, value_bytes);
    case Format::Bcsr: {
      const BlockShape shape = bcsr_block_shape(exec, A.view(), parameters, value_bytes);
      return Impl::bcsr_memory<Offset>(rows, shape, count_bcsr_blocks(exec, A.view(), shape.height, shape.width));
    }
    case Format::SortedColumns:
      return Impl::sorted_columns_memory<ExecutionSpace, Offset>(exec, rows, columns, A.nonzeros, parameters);
    case Format::Automatic:
      break;
  }
  throw std::invalid_argument("Tessera::format_memory: expected the name of a format");
}

#define TESSERA_INSTANTIATE(Exec, Offset)                                                          \
  template FormatMemory format_memory(const Exec&, Format, const Csr<Offset, Exec::memory_space>&, \
                                      const FormatParameters&, std::size_t, double);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
