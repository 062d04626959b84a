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
#include <type_traits>
#include <variant>
#include <vector>

#include "AvailablePrecision.hpp"
#include "MatrixCounts.hpp"
#include "PlanArchive.hpp"
#include "PlanFields.hpp"
#include "PlanMembers.hpp"
#include "PrintableText.hpp"
#include "Published.hpp"

namespace Tessera::Impl {

namespace {

constexpr SectionFileKind plan_file{"TESSPLAN", 6, "a plan"};

/// The types of a plan's arrays. Those of a file must be those of the plan that it is loaded into.
struct PlanTypes {
  bool is_complex = false;
  int real_bytes = 0;
  int offset_bytes = 0;

  bool operator==(const PlanTypes&) const = default;
};

template <class Fields>
void transfer(Fields& fields, PlanTypes& types) {
  fields(types.is_complex, types.real_bytes, types.offset_bytes);
}

template <class Scalar, class Offset>
constexpr PlanTypes types_of() {
  return {is_complex_v<Scalar>, sizeof(real_of_t<Scalar>), sizeof(Offset)};
}

std::string to_string(const PlanTypes& types) {
  return (types.is_complex ? "complex numbers of two times " : "numbers of ") + std::to_string(types.real_bytes) +
         " bytes with offsets of " + std::to_string(types.offset_bytes);
}

void check_types(const PlanTypes& found, const PlanTypes& expected, const std::string& name) {
  if (found == expected) return;
  throw std::invalid_argument(name + ": the plan is of " + to_string(found) + " bytes; expected " +
                              to_string(expected) + " bytes, which the types of the plan to be loaded have");
}

/// What is wrong with the sizes, with which all arrays are compared; empty if nothing is.
template <class Offset, class Members>
std::string size_fault(const Members& m) {
  if (m.rows < 0 || m.columns < 0) return "the plan has a negative number of rows or columns";
  if (m.options.columns < 0) return "the plan was made for a negative number of columns of X";
  if (m.nonzeros > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
    return "the plan has more nonzeros than its offsets can count";
  return {};
}

/// What is wrong with the texts that explain() and stats() print, whoever wrote them; empty if nothing is.
template <class Members>
std::string text_fault(const Members& m) {
  std::vector<std::string_view> texts{m.made_on};
  for (const Choice* choice : {&m.plain.choice, &m.transposed.choice})
    texts.insert(texts.end(), {choice->reason, choice->model, choice->device});
  for (const auto* notes : {&m.built.notes, &m.transpose_built.notes})
    texts.insert(texts.end(), notes->begin(), notes->end());
  return std::all_of(texts.begin(), texts.end(), is_printable) ? "" : "the plan has a text that is not printable UTF-8";
}

/// The first fault by which a product, or new values, might reach beyond the arrays; empty if there is none.
template <class Scalar, class ExecutionSpace, class Offset = int>
std::string matrix_fault(const ExecutionSpace& exec, const StoredMatrix<Scalar, ExecutionSpace>& stored,
                         Ordinal rows, Ordinal columns, std::size_t nonzeros, bool has_source) {
  auto fault = stored.engine->validate(exec);
  if (!fault.empty()) return fault;
  const std::size_t places = stored.places();
  if (stored.values.extent(0) != places || places > static_cast<std::size_t>(std::numeric_limits<Offset>::max())) {
    return "there are " + std::to_string(stored.values.extent(0)) + " values; expected " + std::to_string(places) +
           ", which offsets can count";
  }
  const bool has_row_order = stored.choice.format != Format::SortedColumns;
  const bool has_column_order = stored.choice.format == Format::Bcsr;
  if ((!has_row_order && !stored.orders.rows.is_identity()) ||
      (!has_column_order && !stored.orders.columns.is_identity())) {
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
std::string plan_fault(const ExecutionSpace& exec, const Members& m) {
  auto fault = matrix_fault(exec, m.plain, m.rows, m.columns, m.nonzeros, m.has_source);
  if (!fault.empty()) return fault;
  if (m.has_transpose) fault = matrix_fault(exec, m.transposed, m.columns, m.rows, m.nonzeros, m.has_source);
  if (!fault.empty()) return "transpose: " + fault;
  if (m.has_source) return validate(exec, m.source, m.nonzeros, m.source_entries, false);
  return m.source.bytes() == 0 ? "" : "there is a slot map, although the plan has released its source";
}

/// Adds what is not in the file: metrics of tiles, kernels and, for a device with kernels of its own, statistics.
template <class Scalar, class ExecutionSpace>
void complete(const ExecutionSpace& exec, PlanOptions options, StoredMatrix<Scalar, ExecutionSpace>& stored,
              std::vector<std::string>& notes) {
  using ThisDevice = Device<Scalar, ExecutionSpace>;
  options = options_of_choice<ThisDevice>(options, stored.choice);
  stored.tiles = stored.engine->tile_metrics(exec);
  if constexpr (!std::is_same_v<decltype(ThisDevice::model(exec, options)), MachineModel>) {
    const auto rows = stored.engine->to_csr(exec);
    const auto machine = ThisDevice::model(exec, options);
    std::size_t peak = 0;
    auto statistics = statistics_of<Scalar>(exec, options, machine, rows.pattern, MemoryBudget{no_memory_limit, peak});
    statistics.is_reordered = !stored.orders.are_identity();
    stored.choice.statistics = statistics;
  }
  build_kernels(exec, options, stored, notes);
  stored.engine->refill(exec, stored.values.data(), nullptr);
}

}  // namespace

template <class Scalar, class Offset, class ExecutionSpace>
void PlanState<Scalar, Offset, ExecutionSpace>::save(const ExecutionSpace& exec, const std::string& path) const {
  const Region<ExecutionSpace> region("Tessera::save_plan");
  exec.fence("Tessera::save_plan");
  keep_values(exec);
  SectionWriter sections(path, plan_file);
  PlanWriter file(exec, sections);
  PlanTypes types = types_of<Scalar, Offset>();
  file.fields("types", types);
  transfer_plan(file, *members_);
  sections.commit();
}

template <class Scalar, class Offset, class ExecutionSpace>
PlanState<Scalar, Offset, ExecutionSpace>::PlanState(const ExecutionSpace& exec, std::string_view bytes,
                                                     const std::string& name)
    : LiveObject(Kind::Plan), members_(std::make_unique<Members>()) {
  const Region<ExecutionSpace> region("Tessera::load_plan");
  Members& m = *members_;
  SectionReader sections(bytes, name, plan_file);
  PlanReader<ExecutionSpace> file(exec, sections);
  PlanTypes types;
  file.fields("types", types);
  check_types(types, types_of<Scalar, Offset>(), name);
  transfer_plan(file, m);
  sections.finish();
  m.is_loaded = true;
  auto fault = size_fault<Offset>(m);
  if (fault.empty()) fault = text_fault(m);
  if (fault.empty()) fault = plan_fault(exec, m);
  if (!fault.empty()) sections.fail(fault);
  m.options.precision = available_precision<Scalar>(exec, m.options, name, m.built.notes);
  m.options.kernel = available_kernel<Scalar>(exec, m.options, m.plain.choice.format, name, m.built.notes);
  // Kernels get the memory that all else leaves.
  const auto with_the_rest = [&](PlanOptions options) {
    options.memory_limit = bytes_left(options.memory_limit, this->bytes());
    return options;
  };
  complete(exec, with_the_rest(m.options), m.plain, m.built.notes);
  if (m.has_transpose) {
    const auto options = options_of_transpose(m.options, m.transposed.choice.format);
    complete(exec, with_the_rest(options), m.transposed, m.transpose_built.notes);
  }
  exec.fence("Tessera::load_plan");
}

template <class Scalar, class Offset, class ExecutionSpace>
std::shared_ptr<PlanState<Scalar, Offset, ExecutionSpace>> PlanState<Scalar, Offset, ExecutionSpace>::load(
    const ExecutionSpace& exec, const std::string& path) {
  const ByteBuffer content = OpenFile(path).read(0, 0);
  return std::make_shared<PlanState>(exec, content.view(), path);
}

#define TESSERA_INSTANTIATE(Exec, Scalar, Offset)                                                              \
  template void PlanState<Scalar, Offset, Exec>::save(const Exec&, const std::string&) const;                  \
  template PlanState<Scalar, Offset, Exec>::PlanState(const Exec&, std::string_view, const std::string&);      \
  template std::shared_ptr<PlanState<Scalar, Offset, Exec>> PlanState<Scalar, Offset, Exec>::load(const Exec&, \
                                                                                                  const std::string&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_MATRIX, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
