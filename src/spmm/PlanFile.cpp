// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/system/impl/OpenFile.hpp>
#include <variant>
#include <vector>

#include "AvailablePrecision.hpp"
#include "Grow.hpp"
#include "PlanArchive.hpp"
#include "PlanFields.hpp"
#include "PlanMembers.hpp"
#include "PrintableText.hpp"
#include "Published.hpp"
#include "Rejections.hpp"
#include "WorkspacePool.hpp"

namespace Tessera::Impl {

namespace {

constexpr SectionFileKind plan_file{"TESSPLAN", 9, "a plan"};

/// The type of a plan's values, which must be the same in a file and in the plan that it is loaded into.
struct PlanType {
  bool is_complex = false;
  int real_bytes = 0;

  bool operator==(const PlanType&) const = default;
};

template <class Fields>
void transfer(Fields& fields, PlanType& type) {
  fields(type.is_complex, type.real_bytes);
}

template <class Scalar>
constexpr PlanType type_of() {
  return {is_complex_v<Scalar>, sizeof(real_of_t<Scalar>)};
}

std::string to_string(const PlanType& type) {
  return (type.is_complex ? "complex numbers of two times " : "numbers of ") + std::to_string(type.real_bytes);
}

void check_type(const PlanType& found, const PlanType& expected, const std::string& name) {
  if (found == expected) return;
  throw std::invalid_argument(name + ": the plan is of " + to_string(found) + " bytes; expected " +
                              to_string(expected) + " bytes, which the type of the plan to be loaded has");
}

/// Returns whether the parts of a transpose cover all of its rows and nonzeros.
template <class Transpose>
bool are_whole(const Transpose& parts, Ordinal rows, std::size_t nonzeros) {
  Ordinal next_row = 0;
  for (const auto& part : parts) {
    if (part.first_row != next_row || part.rows < 0 || part.rows > rows - next_row || part.nonzeros > nonzeros)
      return false;
    next_row += part.rows;
    nonzeros -= part.nonzeros;
  }
  return next_row == rows && nonzeros == 0;
}

/// Returns a fault in the sizes, which the checks of all arrays rely on; empty if there is none.
template <class Members>
std::string size_fault(const Members& m) {
  if (m.rows < 0 || m.columns < 0) return "the plan has a negative number of rows or columns";
  if (m.options.hints.num_vectors < 0) return "the plan was made for a negative number of columns of X";
  RowsOfBlock next;  // start of the next block; nonzeros: those of all earlier blocks
  for (const auto& block : m.blocks) {
    if (block.nonzeros > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      return "the plan has more nonzeros than its offsets can count";
    if (block.first_row != next.first_row || block.rows < 0 || block.rows > m.rows - next.first_row ||
        block.first_entry != next.first_entry || block.entries > m.source_entries - next.first_entry)
      return "the plan has blocks of rows that do not follow each other";
    if (m.has_transpose && !are_whole(block.transposed, m.columns, block.nonzeros))
      return "the plan has a transpose whose parts are not the whole of it";
    next.first_row += block.rows;
    next.first_entry += block.entries;
    next.nonzeros += block.nonzeros;
  }
  if (next.first_row != m.rows || next.nonzeros != m.nonzeros || next.first_entry != m.source_entries)
    return "the plan has blocks of rows that are not the whole matrix";
  return {};
}

/// Returns a fault in the texts that explain() and stats() print, which anyone may have written; empty if none.
template <class Members>
std::string text_fault(const Members& m) {
  std::vector<std::string_view> texts{m.made_on};
  for (const auto& block : m.blocks) {
    for_each_stored(block, [&](const RowsOfBlock&, const auto& matrix) {
      texts.insert(texts.end(), {matrix.choice.reason, matrix.choice.model, matrix.choice.device});
    });
  }
  for (const auto* notes : {&m.built.notes, &m.transpose_built.notes})
    texts.insert(texts.end(), notes->begin(), notes->end());
  return std::all_of(texts.begin(), texts.end(), is_printable) ? "" : "the plan has a text that is not printable UTF-8";
}

/// Returns the first fault that lets a product or an update access memory outside the arrays; empty if none does.
template <class Scalar, class ExecutionSpace>
std::string matrix_fault(const ExecutionSpace& exec, const StoredMatrix<Scalar, ExecutionSpace>& stored, Ordinal rows,
                         Ordinal columns, std::size_t nonzeros, bool has_source) {
  auto fault = stored.engine->validate(exec);
  if (!fault.empty()) return fault;
  const std::size_t places = stored.places();
  if (stored.values.extent(0) != places || places > static_cast<std::size_t>(std::numeric_limits<Offset>::max())) {
    return "there are " + std::to_string(stored.values.extent(0)) + " values; expected " + std::to_string(places) +
           ", which offsets can count";
  }
  if ((orders_itself(stored.choice.format) && !stored.orders.rows.is_identity()) ||
      (!has_adjacent_columns(stored.choice.format) && !stored.orders.columns.is_identity())) {
    return "there is an order of rows or columns that the format cannot have";
  }
  fault = validate(exec, stored.orders.rows, rows);
  if (!fault.empty()) return "order of rows: " + fault;
  fault = validate(exec, stored.orders.columns, columns);
  if (!fault.empty()) return "order of columns: " + fault;
  if (has_source) return validate(exec, stored.map, places, nonzeros, true);
  return stored.map.bytes() == 0 ? "" : "there is a slot map, although the plan has released its source";
}

template <class ExecutionSpace, class Members>
std::string block_fault(const ExecutionSpace& exec, const Members& m, const typename Members::Block& block) {
  auto fault = matrix_fault(exec, block.plain, block.rows, m.columns, block.nonzeros, m.has_source);
  if (!fault.empty()) return fault;
  for (const auto& part : block.transposed) {
    fault = matrix_fault(exec, part.matrix, part.rows, block.rows, block.nonzeros, m.has_source);
    if (!fault.empty()) return "transpose: " + fault;
  }
  if (m.has_source) return validate(exec, block.source, block.nonzeros, block.entries, false);
  return block.source.bytes() == 0 ? "" : "there is a slot map, although the plan has released its source";
}

template <class ExecutionSpace, class Members>
std::string plan_fault(const ExecutionSpace& exec, const Members& m) {
  std::string fault = size_fault(m);
  if (fault.empty()) fault = text_fault(m);
  for (auto block = m.blocks.begin(); fault.empty() && block != m.blocks.end(); ++block)
    fault = block_fault(exec, m, *block);
  return fault;
}

/// Adds the data that the file lacks: metrics of tiles, and kernels.
template <class Scalar, class ExecutionSpace>
void complete(const ExecutionSpace& exec, PlanOptions options, StoredMatrix<Scalar, ExecutionSpace>& stored,
              MemoryAccount& account, std::vector<std::string>& notes) {
  using ThisDevice = Device<Scalar, ExecutionSpace>;
  account.set_limit(no_memory_limit);
  options = options_of_choice<ThisDevice>(options, stored.choice);
  stored.tiles = stored.engine->tile_metrics(exec);
  account.set_limit(options.memory_limit);
  try {
    build_kernels(exec, options, stored, notes);
  } catch (const FormatTooLarge& rejection) {
    // This device's kernels may need more memory than those where the plan was made.
    notes.push_back(rejected("a kernel of this device", rejection) + "; portable code multiplies");
  }
  stored.engine->refill(exec, stored.values.data(), nullptr);
}

}  // namespace

template <class Scalar, class ExecutionSpace>
void PlanState<Scalar, ExecutionSpace>::save(const ExecutionSpace& exec, const std::string& path) const {
  const Region<ExecutionSpace> region("Tessera::save_plan");
  settle(exec);
  exec.fence("Tessera::save_plan");
  try {
    check_trusted_rows(exec, *members_);
  } catch (const std::invalid_argument& fault) {
    throw std::logic_error(std::string("Tessera::save_plan: ") + fault.what());
  }
  keep_values(exec);
  SectionWriter sections(path, plan_file);
  PlanWriter file(exec, sections);
  PlanType type = type_of<Scalar>();
  file.fields("type", type);
  transfer_plan(file, *members_);
  sections.commit();
}

template <class Scalar, class ExecutionSpace>
PlanState<Scalar, ExecutionSpace>::PlanState(const ExecutionSpace& exec, std::string_view bytes,
                                             const std::string& name)
    : LiveObject(Kind::Plan),
      members_(std::make_unique<Members>()),
      workspaces_(std::make_unique<WorkspacePool<ExecutionSpace>>()) {
  const Region<ExecutionSpace> region("Tessera::load_plan");
  Members& m = *members_;
  m.account = std::make_shared<MemoryAccount>(no_memory_limit);
  const BuildScope<ExecutionSpace> scope(exec, m.account);
  SectionReader sections(bytes, name, plan_file);
  PlanReader<ExecutionSpace> file(exec, sections);
  PlanType type;
  file.fields("type", type);
  check_type(type, type_of<Scalar>(), name);
  transfer_plan(file, m);
  sections.finish();
  m.is_loaded = true;
  const auto fault = plan_fault(exec, m);
  if (!fault.empty()) sections.fail(fault);
  const Format format = m.blocks.front().plain.choice.format;
  m.options.precision = available_precision<Scalar>(exec, m.options, name, m.built.notes);
  m.options.kernel = available_kernel<Scalar>(exec, m.options, format, name, m.built.notes);
  // The saved plan fits the memory limit. Kernels may use the rest.
  for (auto& block : m.blocks) {
    complete(exec, m.options, block.plain, *m.account, m.built.notes);
    for (auto& part : block.transposed) {
      const auto options = options_of_transpose(m.options, part.matrix.choice.format);
      complete(exec, options, part.matrix, *m.account, m.transpose_built.notes);
    }
  }
  exec.fence("Tessera::load_plan");
  m.built.peak_bytes = std::max(m.built.peak_bytes, m.account->peak());
}

template <class Scalar, class ExecutionSpace>
std::shared_ptr<PlanState<Scalar, ExecutionSpace>> PlanState<Scalar, ExecutionSpace>::load(const ExecutionSpace& exec,
                                                                                           const std::string& path) {
  const ByteBuffer content = OpenFile(path).read(0, 0);
  return std::make_shared<PlanState>(exec, content.view(), path);
}

#define TESSERA_INSTANTIATE(Exec, Scalar)                                                         \
  template void PlanState<Scalar, Exec>::save(const Exec&, const std::string&) const;             \
  template PlanState<Scalar, Exec>::PlanState(const Exec&, std::string_view, const std::string&); \
  template std::shared_ptr<PlanState<Scalar, Exec>> PlanState<Scalar, Exec>::load(const Exec&, const std::string&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
