// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>
#include <tessera/spmm/impl/PlanState.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "AvailablePrecision.hpp"
#include "Capture.hpp"
#include "CheckArguments.hpp"
#include "Explain.hpp"
#include "Grow.hpp"
#include "PlanMembers.hpp"
#include "Published.hpp"
#include "RowBlocks.hpp"
#include "Stats.hpp"
#include "StoreMatrix.hpp"
#include "Transpose.hpp"
#include "WorkspacePool.hpp"

namespace Tessera::Impl {

namespace {

constexpr int usual_columns = 32;  // of X, where the options do not say it

/// Returns the options with a precision and a kernel that the device has, and with parameters that suit its kernels.
///
/// \param notes [in,out] gets a note about each fall-back
/// \throws std::invalid_argument if the device lacks one of them and the options allow no fall-back
template <class Scalar, class ExecutionSpace>
PlanOptions available_options(const ExecutionSpace& exec, PlanOptions options, std::vector<std::string>& notes) {
  options.precision = available_precision<Scalar>(exec, options, "Tessera::make_plan", notes);
  options.parameters = Device<Scalar, ExecutionSpace>::parameters(options);
  options.kernel = available_kernel<Scalar>(exec, options, options.format, "Tessera::make_plan", notes);
  return options;
}

/// Makes the blocks of rows of a plan. Until a block is built, its `nonzeros` count entries, an upper bound.
///
/// \param values [in] the end of the values of the last block
template <class Block>
std::vector<Block> blocks_of(const UserRows& A, const std::vector<RowRange>& ranges, std::size_t values) {
  const auto area = static_cast<std::size_t>(A.block_size) * static_cast<std::size_t>(A.block_size);
  std::vector<Block> blocks(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const RowRange& range = ranges[i];
    const std::size_t end = i + 1 < ranges.size() ? ranges[i + 1].first_entry * area : values;
    const std::size_t first_entry = range.first_entry * area;
    static_cast<RowsOfBlock&>(blocks[i]) = {range.first_row * A.block_size, range.rows * A.block_size,
                                            range.entries * area, first_entry, end - first_entry};
  }
  return blocks;
}

/// Returns the rows of a block that blocks_of() made and that is not built yet, so its nonzeros are its entries.
inline RowRange range_of(const UserRows& A, const RowsOfBlock& block) {
  const auto area = static_cast<std::size_t>(A.block_size) * static_cast<std::size_t>(A.block_size);
  return {block.first_row / A.block_size, block.rows / A.block_size, block.first_entry / area, block.nonzeros / area};
}

/// Replaces a block by several blocks that together have its rows.
template <class ExecutionSpace, class Block>
void cut_block(const ExecutionSpace& exec, const UserRows& A, std::size_t parts, std::vector<Block>& blocks,
               std::size_t i) {
  const auto ranges = cut_again(exec, A, range_of(A, blocks[i]), parts);
  auto cut = blocks_of<Block>(A, ranges, blocks[i].first_entry + blocks[i].entries);
  blocks[i] = std::move(cut.front());
  blocks.insert(blocks.begin() + std::ptrdiff_t(i) + 1, std::make_move_iterator(cut.begin() + 1),
                std::make_move_iterator(cut.end()));
}

/// Allocates the values of matrices that have read the caller's until now. If memory runs out, nothing has changed that
/// products can tell.
template <class ExecutionSpace, class Members>
void make_room_for_values(const ExecutionSpace& exec, Members& m) {
  const auto lacks_room = [](const auto& block) { return block.plain.lacks_room(); };
  if (std::none_of(m.blocks.begin(), m.blocks.end(), lacks_room)) return;
  if (capture_of(exec) != Capture::None) {
    throw std::logic_error(
        "Tessera::Plan::update_values: the plan reads the values in the array of A and has no room for others, and a "
        "graph is being captured; expected a call before the capture");
  }
  const BuildScope<ExecutionSpace> scope(exec, m.account);
  for (auto& block : m.blocks)
    if (block.plain.lacks_room()) block.plain.make_room(exec);
  m.built.peak_bytes = std::max(m.built.peak_bytes, m.account->held());
}

/// Builds the blocks of rows one by one. If build(i) cuts block i, it returns false, and is called again for the first
/// part. The account reserves the memory that the later blocks need at least, as compressed rows. If there are several
/// blocks, each note names its block.
///
/// \param rows_of [in] rows_of(block) returns the number of rows that are built from a block, possibly transposed
template <class Scalar, class Block, class Rows, class Build>
void build_in_turn(std::vector<Block>& blocks, MemoryAccount& account, std::vector<std::string>& notes,
                   const Rows& rows_of, const Build& build) {
  const auto least_bytes = [&](const Block& block) {
    return (std::size_t(rows_of(block)) + 1) * sizeof(int) + block.nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
  };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::size_t note = notes.size();
    for (bool is_built = false; !is_built;) {
      std::size_t reserved = 0;
      for (std::size_t later = i + 1; later < blocks.size(); ++later) reserved += least_bytes(blocks[later]);
      const MemoryReserve reserve(account, reserved);
      notes.resize(note);  // drops notes about a block that was cut
      is_built = build(i);
    }
    const RowsOfBlock& block = blocks[i];
    for (; blocks.size() > 1 && note < notes.size(); ++note) {
      notes[note] = "rows " + std::to_string(block.first_row) + " to " +
                    std::to_string(block.first_row + block.rows - 1) + ": " + notes[note];
    }
  }
}

/// Keeps the rows if a graph is being captured, because it reads or writes their arrays whenever it runs.
///
/// \param what [in] what is captured
template <class Members>
void keep_captured_rows(Members& m, Capture capture, const std::string& what) {
  if (capture != Capture::Active || !m.growth.is_open()) return;
  const auto writing = m.growth.write();
  if (m.growth.is_open()) keep_rows(m, "compressed rows stay, because a graph captured " + what);
}

/// Returns whether compressed rows need no check.
template <class ExecutionSpace>
bool trusts_pattern(const PlanOptions& options, const UserRows& A) {
  return options.trusts_pattern && is_host_space<ExecutionSpace> && A.block_size == 1;
}

/// Builds a block of the user's rows, without its values. Returns whether it is stored in compressed rows without an
/// analysis: if the plan may choose later, or if no choice can be better.
///
/// \param m     [in,out] the members of the plan; its report gets times and notes
/// \param block [in,out] one of the plan's blocks
/// \throws TooManyPlaces if the block must be cut
template <class ExecutionSpace, class Members, class Block>
bool build_block(const ExecutionSpace& exec, const UserRows& A, Members& m, Block& block) {
  const RowRange range = range_of(A, block);
  using Scalar = typename std::remove_cvref_t<decltype(block.plain.values)>::value_type;
  PlanOptions wanted = m.options;
  const auto rows_of_block = [&](bool trusts) {
    return timed(exec, "Tessera::analysis", m.built.seconds.analysis, [&] {
      block.source = {};
      auto canonical = trusts ? trusted_rows_of(exec, A, range) : canonical_rows_of(exec, A, range);
      block.nonzeros = canonical.pattern.nonzeros;
      // The plan keeps this map. store_matrix() is given values in canonical order.
      block.source = std::exchange(canonical.values, {});
      // If the caller's entries have another order, no format reads their values in place: all pay for the same
      // check.
      wanted.hints.follow_values = m.options.hints.follow_values && block.source.is_identity();
      wanted.shares_values = m.options.shares_values && block.source.is_identity();
      return canonical;
    });
  };
  if (leaves_choice_open(m.options) &&
      (m.blocks.size() == 1 || greatest_loss<Scalar>(exec, m.options, block, m.columns) == 0)) {
    try {
      const bool trusts = trusts_pattern<ExecutionSpace>(m.options, A) && m.blocks.size() == 1;
      block.plain = store_as_rows<Scalar>(exec, wanted, rows_of_block(trusts), "csr needs no analysis", m.built);
      m.trusts_rows = trusts;
      return true;
    } catch (const FormatTooLarge&) {
      // Another format may be smaller, or the message names what was asked for.
    }
  }
  const auto canonical_rows = [&] { return rows_of_block(false); };
  block.plain = store_matrix<Scalar>(exec, wanted, canonical_rows, range.rows > 1, m.built);
  return false;
}

}  // namespace

template <class Scalar, class ExecutionSpace>
PlanState<Scalar, ExecutionSpace>::PlanState(const ExecutionSpace& exec, const Input& input, const PlanOptions& options)
    : LiveObject(Kind::Plan),
      members_(std::make_unique<Members>()),
      workspaces_(std::make_unique<WorkspacePool<ExecutionSpace>>()) {
  const Region<ExecutionSpace> region("Tessera::make_plan");
  const SteadyTimer timer;
  check_matrix(input);
  check_not_negative("Tessera::make_plan: options.hints.num_vectors", options.hints.num_vectors);
  check_not_negative("Tessera::make_plan: options.hints.expected_products", options.hints.expected_products);
  if (options.half_vectors && !std::is_same_v<Scalar, float>)
    reject_matrix("options.half_vectors is true; expected a matrix of float for vectors of 16 bits");
  Members& m = *members_;
  m.options = options;
  m.assumes_columns = options.hints.num_vectors == 0;
  if (m.assumes_columns) m.options.hints.num_vectors = usual_columns;
  m.options = available_options<Scalar>(exec, m.options, m.built.notes);
  m.rows = input.rows * input.block_size;
  m.columns = input.columns * input.block_size;
  m.source_entries = input.values_size;
  m.account = std::make_shared<MemoryAccount>(m.options.memory_limit);
  m.account->set_most_places(input.most_places);
  const BuildScope<ExecutionSpace> scope(exec, m.account);
  BuildSeconds& seconds = m.built.seconds;
  const bool trusts = trusts_pattern<ExecutionSpace>(m.options, input) && leaves_choice_open(m.options);
  const auto ranges = timed(exec, "Tessera::analysis", seconds.analysis, [&] { return cut_rows(exec, input, trusts); });
  m.blocks = blocks_of<typename Members::Block>(input, ranges, input.values_size);
  const auto rows_of_block = [](const auto& block) { return block.rows; };
  bool has_only_rows = true;
  build_in_turn<Scalar>(m.blocks, *m.account, m.built.notes, rows_of_block, [&](std::size_t i) {
    auto& block = m.blocks[i];
    try {
      has_only_rows = build_block(exec, input, m, block) && has_only_rows;
    } catch (const TooManyPlaces& rejection) {
      if (block.rows <= input.block_size) throw;
      cut_block(exec, input, rejection.parts(), m.blocks, i);
      return false;
    }
    m.nonzeros += block.nonzeros;
    timed(exec, "Tessera::fill_values", seconds.values,
          [&] { block.plain.begin(exec, block.source, block.values_of(input.values)); });
    return true;
  });
  const SteadyTimer last;
  exec.fence("Tessera::make_plan");
  seconds.values += last.seconds();
  if (has_only_rows) begin_growth<Scalar>(exec, m);
  for (auto& block : m.blocks) note_memory(m, m.built, block.plain.choice);
  seconds.total = timer.seconds();
}

template <class Scalar, class ExecutionSpace>
PlanState<Scalar, ExecutionSpace>::~PlanState() = default;

template <class Scalar, class ExecutionSpace>
std::size_t PlanState<Scalar, ExecutionSpace>::held_bytes() const {
  return is_alive() ? members_->bytes() : 0;
}
template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::release() noexcept {
  members_.reset();
}

template <class Scalar, class ExecutionSpace>
Ordinal PlanState<Scalar, ExecutionSpace>::rows() const {
  return members_->rows;
}
template <class Scalar, class ExecutionSpace>
Ordinal PlanState<Scalar, ExecutionSpace>::columns() const {
  return members_->columns;
}
template <class Scalar, class ExecutionSpace>
std::size_t PlanState<Scalar, ExecutionSpace>::nonzeros() const {
  return members_->nonzeros;
}
template <class Scalar, class ExecutionSpace>
Format PlanState<Scalar, ExecutionSpace>::format() const {
  const auto reading = members_->growth.read();
  return choice().format;
}
template <class Scalar, class ExecutionSpace>
const Choice& PlanState<Scalar, ExecutionSpace>::choice() const {
  return members_->blocks.front().plain.choice;
}
template <class Scalar, class ExecutionSpace>
const TileMetrics& PlanState<Scalar, ExecutionSpace>::tile_metrics() const {
  return members_->blocks.front().plain.tiles;
}
template <class Scalar, class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> PlanState<Scalar, ExecutionSpace>::row_order() const {
  const auto reading = members_->growth.read();
  const auto& blocks = members_->blocks;
  if (blocks.size() == 1) return blocks.front().plain.orders.rows;
  return joined_orders<ExecutionSpace>(blocks, members_->rows);
}
template <class Scalar, class ExecutionSpace>
std::size_t PlanState<Scalar, ExecutionSpace>::format_bytes() const {
  const auto reading = members_->growth.read();
  return members_->format_bytes();
}
template <class Scalar, class ExecutionSpace>
std::size_t PlanState<Scalar, ExecutionSpace>::slot_map_bytes() const {
  const auto reading = members_->growth.read();
  return members_->slot_map_bytes();
}
template <class Scalar, class ExecutionSpace>
std::size_t PlanState<Scalar, ExecutionSpace>::kernel_bytes() const {
  const auto reading = members_->growth.read();
  return members_->kernel_bytes();
}
template <class Scalar, class ExecutionSpace>
std::size_t PlanState<Scalar, ExecutionSpace>::bytes() const {
  const auto reading = members_->growth.read();
  return members_->bytes();
}

template <class Scalar, class ExecutionSpace>
Explanation PlanState<Scalar, ExecutionSpace>::explanation() const {
  const Members& m = *members_;
  Explanation e;
  e.rows = m.rows;
  e.columns = m.columns;
  e.nonzeros = m.nonzeros;
  e.num_vectors = m.options.hints.num_vectors;
  e.half_vectors = m.options.half_vectors;
  e.execution_space = ExecutionSpace::name();
  e.format_bytes = m.format_bytes();
  e.transpose_bytes = m.sum([](const auto& block) {
    return block.sum_of_transpose([](const auto& matrix) { return matrix.format_bytes(); });
  });
  e.slot_map_bytes = m.slot_map_bytes();
  e.kernel_bytes = m.kernel_bytes();
  e.peak_bytes = std::max(m.built.peak_bytes, m.transpose_built.peak_bytes);
  e.memory_limit = m.options.memory_limit;
  for (const auto& block : m.blocks) e.duplicates_summed = e.duplicates_summed || block.source.has_duplicates();
  if (m.is_loaded) e.made_on = m.made_on;
  e.growth = m.growth.state();
  if (m.growth.is_open()) e.growth_due = m.growth.due();
  e.notes = m.built.notes;
  for (const std::string& note : m.transpose_built.notes) e.notes.push_back("transpose: " + note);
  return e;
}
template <class Scalar, class ExecutionSpace>
std::vector<BlockStats> PlanState<Scalar, ExecutionSpace>::block_stats() const {
  std::vector<BlockStats> all;
  for (const auto& block : members_->blocks) {
    BlockStats b;
    b.first_row = block.first_row;
    b.rows = block.rows;
    b.nonzeros = block.nonzeros;
    b.choice = &block.plain.choice;
    b.tiles = &block.plain.tiles;
    b.kernels = block.plain.engine->describe();
    if (members_->has_transpose) {
      const auto& first = block.transposed.front().matrix;
      b.transposed = &first.choice;
      b.transposed_tiles = &first.tiles;
      b.transpose_kernels = first.engine->describe();
    }
    all.push_back(std::move(b));
  }
  return all;
}
template <class Scalar, class ExecutionSpace>
std::string PlanState<Scalar, ExecutionSpace>::explain() const {
  const auto reading = members_->growth.read();
  const auto blocks = block_stats();
  return Impl::explain(explanation(), {blocks.begin(), blocks.end()});
}
template <class Scalar, class ExecutionSpace>
std::string PlanState<Scalar, ExecutionSpace>::stats() const {
  const Members& m = *members_;
  const auto reading = m.growth.read();
  const MadeFor made_for{to_string(m.options.precision), to_string(m.options.kernel)};
  const PlanSeconds seconds{m.built.seconds, m.transpose_built.seconds};
  const Uses uses{m.products.load(std::memory_order_relaxed), m.updates};
  return Impl::stats(explanation(), made_for, block_stats(), seconds, uses);
}

template <class Scalar, class ExecutionSpace>
Workspace<ExecutionSpace> PlanState<Scalar, ExecutionSpace>::prepare(const ExecutionSpace& exec, int num_vectors,
                                                                     Mode mode) const {
  const Region<ExecutionSpace> region("Tessera::prepare");
  check_not_negative("Tessera::Plan::prepare: num_vectors", num_vectors);
  Members& m = *members_;
  if (!is_transposed(mode) || m.has_transpose) {
    const auto reading = m.growth.read();
    auto work = Access::workspace(exec, m.id, mode, num_vectors, m.scratch_bytes(mode, num_vectors));
    if (work.bytes() > 0) exec.fence("Tessera::prepare");  // move_to() may let another instance use it
    return work;
  }
  const auto writing = m.growth.write();
  BuildReport report;
  std::vector<typename Members::Block::Transpose> transposed;
  try {
    const BuildScope<ExecutionSpace> scope(exec, m.account);
    if (m.trusts_rows) check_bounds(exec, *m.blocks.front().plain.engine->csr());
    const auto rows_of_transpose = [&](const auto&) { return m.columns; };
    build_in_turn<Scalar>(m.blocks, *m.account, report.notes, rows_of_transpose, [&](std::size_t i) {
      transposed.push_back(store_transpose(exec, m, m.options, m.blocks[i], report, m.growth.has_only_rows()));
      return true;
    });
  } catch (const std::invalid_argument& rejection) {
    throw std::invalid_argument("Tessera::Plan::prepare: the transpose of A is rejected: " +
                                std::string(rejection.what()));
  }
  std::size_t bytes_of_workspace = 0;
  for (std::size_t i = 0; i < m.blocks.size(); ++i) {
    for (const auto& part : transposed[i]) {
      const auto bytes = part.matrix.scratch_bytes(m.blocks[i].rows, num_vectors, m.options.half_vectors);
      bytes_of_workspace = std::max(bytes_of_workspace, bytes);
    }
  }
  auto result = Access::workspace(exec, m.id, mode, num_vectors, bytes_of_workspace);
  exec.fence("Tessera::prepare");  // other instances may use the transpose from now on
  // If anything fails before this line, the plan is unchanged. Nothing below can fail: it moves Views and numbers.
  for (std::size_t i = 0; i < m.blocks.size(); ++i) m.blocks[i].transposed = std::move(transposed[i]);
  m.transpose_built = std::move(report);
  m.has_transpose = true;
  for (auto& block : m.blocks)
    for (auto& part : block.transposed) note_memory(m, m.transpose_built, part.matrix.choice);
  return result;
}

template <class Scalar, class ExecutionSpace>
Workspace<ExecutionSpace> PlanState<Scalar, ExecutionSpace>::borrow(const ExecutionSpace& exec, Mode mode,
                                                                    int num_vectors) const {
  // If this builds the transpose, no concurrent product reads it.
  return workspaces_->take(exec, mode, num_vectors, [&] { return prepare(exec, num_vectors, mode); });
}
template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::give_back(Workspace<ExecutionSpace> work) const noexcept {
  workspaces_->put_back(std::move(work));
}

template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::check_new_values(const char* who, const Scalar* values,
                                                         std::size_t count) const {
  const Members& m = *members_;
  if (m.has_source && count == m.source_entries && (values != nullptr || count == 0)) return;
  const std::string name = std::string("Tessera::Plan::") + who;
  if (!m.has_source) throw std::logic_error(name + ": release_source() was called before; make a new plan");
  if (count != m.source_entries) {
    throw std::invalid_argument(name + ": there are " + std::to_string(count) +
                                " values; expected those of the matrix that the plan was made from, " +
                                std::to_string(m.source_entries));
  }
  check_allocated(name + ": values", values, count);
}

template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Scalar* values,
                                                      std::size_t count) {
  const Region<ExecutionSpace> region("Tessera::update_values");
  check_new_values("update_values", values, count);
  Members& m = *members_;
  make_room_for_values(exec, m);
  if (m.growth.is_open()) keep_captured_rows(m, capture_of(exec), "new values");
  for (auto& block : m.blocks) {
    for_each_stored(
        block, [&](const RowsOfBlock&, auto& matrix) { matrix.fill(exec, block.source, block.values_of(values)); });
  }
  m.is_transpose_apart = false;
  ++m.updates;
}

template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::follow_values(const ExecutionSpace& exec, Mode mode, const Scalar* values,
                                                      std::size_t count) {
  const Region<ExecutionSpace> region("Tessera::follow_values");
  check_new_values("follow_values", values, count);
  Members& m = *members_;
  if (m.growth.is_open()) keep_captured_rows(m, capture_of(exec), "new values");
  if (is_transposed(mode) && !m.has_transpose) {
    throw std::logic_error("Tessera::Plan::follow_values: the mode is " + std::string(to_string(mode)) +
                           ", and the plan has no transpose; expected prepare() for a transposed mode before");
  }
  const auto for_each_followed = [&](const auto& visit) {
    for (auto& block : m.blocks) {
      for_each_stored(block, mode, [&](const RowsOfBlock& rows, auto& matrix) {
        if (rows.nonzeros > 0) visit(block, matrix);
      });
    }
  };
  std::size_t unwatched = 0;
  for_each_followed(
      [&](const auto& block, const auto& matrix) { unwatched += matrix.begins_to_watch(block.source) ? 1 : 0; });
  if (unwatched > 0) {
    // Memory is charged to the plan's account. If it runs out, nothing has changed.
    const BuildScope<ExecutionSpace> scope(exec, m.account);
    std::vector<ValueWatch<ExecutionSpace>> watches(unwatched);
    for (auto& watch : watches) watch.make_ready(exec);
    for_each_followed([&](const auto& block, auto& matrix) {
      if (!matrix.begins_to_watch(block.source)) return;
      matrix.watch_with(std::move(watches.back()));
      watches.pop_back();
    });
    m.built.peak_bytes = std::max(m.built.peak_bytes, m.account->held());
  }
  for_each_followed([&](const auto& block, auto& matrix) {
    matrix.follow(exec, block.source, block.values_of(values), block.entries);
  });
  m.is_transpose_apart = m.has_transpose;
}

/// Copies the values that products read in the caller's array.
template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::keep_values(const ExecutionSpace& exec) const {
  Members& m = *members_;
  const BuildScope<ExecutionSpace> scope(exec, m.account);
  for (auto& block : m.blocks) {
    for_each_stored(block, [&](const RowsOfBlock&, auto& matrix) { matrix.keep_values(exec, block.source); });
  }
  m.built.peak_bytes = std::max(m.built.peak_bytes, m.account->held());
}

template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::release_source(const ExecutionSpace& exec) {
  const Region<ExecutionSpace> region("Tessera::release_source");
  exec.fence("Tessera::release_source");
  Members& m = *members_;
  keep_values(exec);
  for (auto& block : m.blocks) {
    block.source = {};
    for_each_stored(block, [](const RowsOfBlock&, auto& matrix) { matrix.release_source(); });
  }
  m.has_source = false;
}

/// Counts a product, and takes the steps of growth that are due before it. The stored matrix stays as it is while the
/// result lives.
template <class Scalar, class ExecutionSpace>
auto PlanState<Scalar, ExecutionSpace>::begin_product(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                                                      Mode mode, Ordinal columns) const -> Reading {
  Members& m = *members_;
  const std::uint64_t product = 1 + m.products.fetch_add(1, std::memory_order_relaxed);
  if (m.growth.is_open()) {
    const Capture capture = capture_of(exec);
    keep_captured_rows(m, capture, "product " + std::to_string(product));
    if (capture == Capture::None && m.growth.is_due(product)) {
      const auto writing = m.growth.write();
      if (m.growth.is_due(product)) tell_columns<Scalar>(exec, m, columns);
      if (m.growth.is_due(product) && m.growth.next() != Growth::Next::Columns) grow(exec, product);
    }
  }
  auto reading = m.growth.read();
  if (m.growth.has_grown()) make_room(exec, work, mode);
  return reading;
}

/// Takes the steps of growth that are due before a product. The caller must hold Growth::write().
template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::grow(const ExecutionSpace& exec, std::uint64_t product) const {
  const Region<ExecutionSpace> region("Tessera::grow");
  const BuildScope<ExecutionSpace> scope(exec, members_->account);
  grow_for<Scalar>(exec, *members_, product);
}

/// Enlarges a workspace that was made for compressed rows, if the format that replaced them needs more.
template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::make_room(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                                                  Mode mode) const {
  const std::size_t bytes = members_->scratch_bytes(mode, work.num_vectors());
  if (bytes <= work.bytes()) return;
  if (capture_of(exec) != Capture::None) {
    throw std::logic_error(
        "Tessera::spmm: the plan has replaced its compressed rows since the workspace was prepared, and a graph is "
        "being captured; expected a product with this workspace before, or a new workspace");
  }
  Access::enlarge(work, exec, bytes);
}

template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::settle(const ExecutionSpace& exec) const {
  Members& m = *members_;
  if (!m.growth.is_open()) return;
  if (capture_of(exec) != Capture::None)
    throw std::logic_error("Tessera::Plan::settle: a graph is being captured; expected a call before the capture");
  const Region<ExecutionSpace> region("Tessera::settle");
  const auto writing = m.growth.write();
  if (!m.growth.is_open()) return;
  const BuildScope<ExecutionSpace> scope(exec, m.account);
  settle_growth<Scalar>(exec, m);
}

template <class Scalar, class ExecutionSpace>
template <class VectorScalar>
void PlanState<Scalar, ExecutionSpace>::apply(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                                              Mode mode, sum_of_t<VectorScalar> alpha,
                                              const Multivector<const VectorScalar>& X, sum_of_t<VectorScalar> beta,
                                              const Multivector<VectorScalar>& Y) const {
  check_product("Tessera::spmm", exec, work, *members_, mode, X, "Y", Y);
  if (is_half_v<VectorScalar> && !members_->options.half_vectors)
    reject_product("Tessera::spmm", "X and Y have 16 bits; expected a plan with PlanOptions::half_vectors");
  const auto reading = begin_product(exec, work, mode, X.columns);
  multiply(exec, work, mode, alpha, X, beta, Y);
}

template <class Scalar, class ExecutionSpace>
template <class VectorScalar>
void PlanState<Scalar, ExecutionSpace>::multiply(const ExecutionSpace& exec, const Workspace<ExecutionSpace>& work,
                                                 Mode mode, sum_of_t<VectorScalar> alpha,
                                                 const Multivector<const VectorScalar>& X, sum_of_t<VectorScalar> beta,
                                                 const Multivector<VectorScalar>& Y) const {
  const Region<ExecutionSpace> region("Tessera::spmm");
  if (Y.rows == 0 || Y.columns == 0) return;
  const Members& m = *members_;
  if (alpha == sum_of_t<VectorScalar>(0) || m.nonzeros == 0) return scale(exec, beta, Y);
  Product<Scalar, VectorScalar> product{nullptr, is_complex_v<Scalar> && is_conjugated(mode), alpha, X, beta, Y};
  for (const auto& block : m.blocks) {
    if (is_transposed(mode) && block.nonzeros == 0) continue;
    if (is_transposed(mode)) product.x = rows_of(X, block.first_row, block.rows);
    for_each_stored(block, mode, [&](const RowsOfBlock& rows, const auto& matrix) {
      product.y = rows_of(Y, rows.first_row, rows.rows);
      if (rows.nonzeros > 0)
        matrix.multiply(exec, product, {Access::data(work), work.bytes()});
      else
        scale(exec, product.beta, product.y);
    });
    // All blocks of a transpose add to the same Y. The first block has multiplied it by beta.
    if (is_transposed(mode)) product.beta = sum_of_t<VectorScalar>(1);
  }
}

#define TESSERA_INSTANTIATE_STATE(Exec, Scalar) template class PlanState<Scalar, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE_STATE)

#define TESSERA_INSTANTIATE_APPLY(Exec, M, V)                                                                        \
  template void PlanState<M, Exec>::apply<V>(const Exec&, const Workspace<Exec>&, Mode, sum_of_t<V>,                 \
                                             const Multivector<const V>&, sum_of_t<V>, const Multivector<V>&) const; \
  template void PlanState<M, Exec>::multiply<V>(const Exec&, const Workspace<Exec>&, Mode, sum_of_t<V>,              \
                                                const Multivector<const V>&, sum_of_t<V>, const Multivector<V>&)     \
      const;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE_APPLY)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_HALF_PRODUCT, TESSERA_INSTANTIATE_APPLY)

}  // namespace Tessera::Impl
