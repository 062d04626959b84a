// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bcsr/Bcsr.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/TooManyPlaces.hpp>
#include <vector>

#include "BlockCounts.hpp"
#include "InstantiateFormat.hpp"
#include "RowWalk.hpp"
#include "Validate.hpp"

namespace Tessera::Impl {

inline bool is_block_side(int side) { return side >= 1 && side <= longest_block_side; }

inline std::string to_string(BlockShape shape) {
  return std::to_string(shape.height) + " x " + std::to_string(shape.width);
}

/// \throws std::invalid_argument if the parameters name only one side of the shape, or a side that is too long
inline void check_named_shape(BlockShape named) {
  if (is_block_side(named.height) && is_block_side(named.width)) return;
  throw std::invalid_argument("Tessera: bcsr_block_rows is " + std::to_string(named.height) +
                              " and bcsr_block_columns " + std::to_string(named.width) +
                              "; expected both from 1 to 64, or both 0");
}

/// Sets the source of each entry's place.
template <class Memory>
struct SourceOfPlace {
  Array<Offset*, Memory> slots;
  int places;  // places of a block

  KOKKOS_FUNCTION void operator()(std::size_t block, int bit, Offset k) const {
    slots(block * std::size_t(places) + std::size_t(bit)) = k;
  }
};

/// Returns the candidate shapes, largest first: the left operands of m16n8k16, m16n8k8 and m8n8k4, and the right
/// operand of m16n8k8 (8x8, for Y^T = X^T A^T).
inline std::vector<BlockShape> bcsr_candidates(std::size_t value_bytes) {
  if (value_bytes <= 2) return {{16, 16}};
  if (value_bytes <= 4) return {{16, 8}, {8, 8}};
  return {{16, 8}, {8, 8}, {8, 4}};
}

template <class ExecutionSpace>
std::size_t count_bcsr_blocks(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, int height,
                              int width) {
  const BlockShape shape{height, width};
  if (!Impl::is_block_side(height) || !Impl::is_block_side(width)) {
    throw std::invalid_argument("Tessera::count_bcsr_blocks: the blocks are " + Impl::to_string(shape) +
                                "; expected sides from 1 to 64");
  }
  return Impl::count_blocks(exec, A, nonzeros, shape);
}

template <class ExecutionSpace>
BcsrBlocks bcsr_blocks(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                       const FormatParameters& parameters, std::size_t value_bytes) {
  const BlockShape named{parameters.bcsr_block_rows, parameters.bcsr_block_columns};
  if (named.height != 0 || named.width != 0) {
    Impl::check_named_shape(named);
    return {named, Impl::count_blocks(exec, A, nonzeros, named)};
  }
  BcsrBlocks best;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const BlockShape shape : Impl::bcsr_candidates(value_bytes)) {
    const BcsrBlocks counted{shape, Impl::count_blocks(exec, A, nonzeros, shape)};
    const std::size_t bytes = Impl::bcsr_bytes(A.rows, counted, sizeof(Offset), value_bytes);
    if (bytes >= fewest) continue;
    fewest = bytes;
    best = counted;
  }
  return best;
}

template <class ExecutionSpace>
BlockShape bcsr_block_shape(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                            const FormatParameters& parameters, std::size_t value_bytes) {
  const BlockShape named{parameters.bcsr_block_rows, parameters.bcsr_block_columns};
  if (named.height == 0 && named.width == 0) return bcsr_blocks(exec, A, nonzeros, parameters, value_bytes).shape;
  Impl::check_named_shape(named);
  return named;
}

template <class ExecutionSpace>
BuiltBcsr<typename ExecutionSpace::memory_space> build_bcsr(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                            std::size_t nonzeros, const FormatParameters& parameters,
                                                            std::size_t value_bytes) {
  const BlockShape shape = bcsr_block_shape(exec, A, nonzeros, parameters, value_bytes);
  const auto of_windows = Impl::blocks_of_windows(exec, A, nonzeros, shape);
  const std::size_t blocks = of_windows.count;
  Bcsr<typename ExecutionSpace::memory_space> p{A.rows, A.columns, nonzeros, shape, of_windows.offsets, {}, {}};
  Impl::check_places("values in blocks of " + Impl::to_string(shape), blocks * static_cast<std::size_t>(shape.size()));
  using Memory = typename ExecutionSpace::memory_space;
  Impl::take_at_once<Memory>(exec, "Tessera::Bcsr::blocks", [&](Impl::Arena<Memory>& arena) {
    arena.take(p.block_masks, blocks * shape.mask_words());
    arena.take_behind(p.block_columns, blocks);
  });
  ValueMap<Memory> values;
  values.slots = Impl::allocate<decltype(values.slots)>(exec, "Tessera::slots", p.places());
  if (p.places() > nonzeros) Kokkos::deep_copy(exec, values.slots, ValueMap<Memory>::no_source);
  Impl::fill_blocks(exec, A, nonzeros, shape, {p.block_offsets.data(), p.block_columns.data(), p.block_masks.data()},
                    Impl::SourceOfPlace<Memory>{values.slots, shape.size()});
  return {p, values};
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const Bcsr<typename ExecutionSpace::memory_space>& A) {
  return Impl::rows_of_format(exec, A.view(), A.nonzeros);
}

enum BcsrFault : int { bcsr_out_of_range, bcsr_not_ascending, bcsr_beyond_block, bcsr_beyond_matrix, bcsr_no_entry };

inline std::string describe_bcsr(int fault) {
  static constexpr const char* texts[] = {
      "block_columns holds a block outside the matrix",                     // bcsr_out_of_range
      "block_columns does not ascend strictly within a window",             // bcsr_not_ascending
      "block_masks has a bit beyond the elements of a block",               // bcsr_beyond_block
      "block_masks has a bit beyond the last row or column of the matrix",  // bcsr_beyond_matrix
      "block_masks has no bit for a block",                                 // bcsr_no_entry
  };
  return texts[fault];
}

/// Checks the mask of a block. Its first `rows` rows and `columns` columns lie within the matrix.
KOKKOS_INLINE_FUNCTION void check_bcsr_mask(const BcsrPattern& A, std::size_t block, std::int64_t rows,
                                            std::int64_t columns, FirstFault& found) {
  const int last_bits = A.block.size() % 64;
  const std::uint64_t last_word = A.block_masks[(block + 1) * A.block.mask_words() - 1];
  found.check(last_bits == 0 || last_word >> last_bits == 0, bcsr_beyond_block);
  bool has_entry = false;
  for (int r = 0; r < A.block.height; ++r) {
    const std::uint64_t bits = bcsr_row_bits(A, block, r);
    has_entry = has_entry || bits != 0;
    const bool within = r < rows && (columns >= A.block.width || (columns > 0 && bits >> columns == 0));
    found.check(bits == 0 || within, bcsr_beyond_matrix);
  }
  found.check(has_entry, bcsr_no_entry);
}

/// Returns the first broken invariant of a window whose offsets are valid.
KOKKOS_INLINE_FUNCTION int bcsr_window_fault(const BcsrPattern& A, Ordinal window) {
  FirstFault found;
  const std::int64_t rows = A.rows - std::int64_t(window) * A.block.height;
  Ordinal previous = -1;
  for (Offset block = A.block_offsets[window]; block < A.block_offsets[window + 1]; ++block) {
    const Ordinal block_column = A.block_columns[block];
    const std::int64_t columns = A.columns - std::int64_t(block_column) * A.block.width;
    found.check(block_column >= 0 && columns > 0, bcsr_out_of_range);
    found.check(block_column > previous, bcsr_not_ascending);
    previous = block_column;
    check_bcsr_mask(A, static_cast<std::size_t>(block), rows, columns, found);
  }
  return found.fault;
}

/// Counts the set bits of all masks.
template <class ExecutionSpace>
std::size_t count_mask_bits(const ExecutionSpace& exec, const Bcsr<typename ExecutionSpace::memory_space>& A) {
  const auto masks = A.block_masks;
  std::size_t bits = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_mask_bits", IndexPolicy<ExecutionSpace>(exec, 0, masks.extent(0)),
      KOKKOS_LAMBDA(std::size_t word, std::size_t & sum) { sum += std::size_t(popcount(masks(word))); }, bits);
  exec.fence("Tessera::count_mask_bits");
  return bits;
}

template <class ExecutionSpace>
std::string bcsr_fault(const ExecutionSpace& exec, const Bcsr<typename ExecutionSpace::memory_space>& A) {
  if (!is_block_side(A.block.height) || !is_block_side(A.block.width)) return "a side of the blocks is not 1 to 64";
  const BcsrPattern in = A.view();
  const auto windows = static_cast<std::size_t>(in.windows());
  if (A.block_offsets.extent(0) != windows + 1) return "block_offsets does not have an element a window and one more";
  if (A.block_masks.extent(0) != A.tiles() * in.block.mask_words()) return "block_masks does not have a mask a block";
  return first_of(
      [&] { return offsets_fault(exec, "window", in.block_offsets, windows, A.tiles(), "block_offsets", "blocks"); },
      [&] { return first_window_fault<bcsr_window_fault>(exec, windows, in, describe_bcsr); },
      [&] {
        const bool has_all = count_mask_bits(exec, A) == A.nonzeros;
        return std::string(has_all ? "" : "block_masks does not have a bit for each of the nonzeros");
      });
}

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Bcsr<typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("BCSR", Impl::bcsr_fault(exec, A));
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                           \
  template std::size_t count_bcsr_blocks(const Exec&, const CsrPattern<Offset>&, std::size_t, int, int);             \
  template BcsrBlocks bcsr_blocks(const Exec&, const CsrPattern<Offset>&, std::size_t, const FormatParameters&,      \
                                  std::size_t);                                                                      \
  template BlockShape bcsr_block_shape(const Exec&, const CsrPattern<Offset>&, std::size_t, const FormatParameters&, \
                                       std::size_t);                                                                 \
  template BuiltBcsr<Exec::memory_space> build_bcsr(const Exec&, const CsrPattern<Offset>&, std::size_t,             \
                                                    const FormatParameters&, std::size_t);                           \
  TESSERA_INSTANTIATE_FORMAT(Bcsr, Exec)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
