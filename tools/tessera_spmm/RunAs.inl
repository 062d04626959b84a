// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition of run_as, which RunFloat.cpp and similar files instantiate.
#include <Kokkos_Core.hpp>
#include <filesystem>
#include <harness/Files.hpp>
#include <harness/Matrices.hpp>
#include <harness/TextFormat.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/common/CompiledTypes.hpp>
#include <tessera/io/MatrixMarket.hpp>

#include "Backends.hpp"
#include "Formats.hpp"
#include "Measure.hpp"
#include "Problem.hpp"
#include "Progress.hpp"
#include "Run.hpp"
#include "Spy.hpp"
#include "Verify.hpp"

namespace Tessera::Impl::Driver {

using namespace Harness;

namespace {

template <class KokkosLayout, class ExecutionSpace, class Scalar>
std::vector<HostDense<Scalar>> measure(const Problem<Scalar>& problem, Result& result) {
  // Uses 32-bit offsets if they suffice: they take half the bytes, and Kokkos Kernels needs them.
  const std::size_t nonzeros = problem.a.values.size();
  if (nonzeros <= static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return Measure<Scalar, int, KokkosLayout, ExecutionSpace>(result.settings, problem).run(result);
  return Measure<Scalar, std::size_t, KokkosLayout, ExecutionSpace>(result.settings, problem).run(result);
}

template <class Scalar>
std::vector<HostDense<Scalar>> measure(const Problem<Scalar>& problem, Result& result) {
  std::vector<HostDense<Scalar>> results;
  for_each_backend([&]<class ExecutionSpace>(const char* name, std::type_identity<ExecutionSpace>) {
    if (result.settings.backend != name) return;
    results = result.settings.layout == Layout::Left ? measure<Kokkos::LayoutLeft, ExecutionSpace>(problem, result)
                                                     : measure<Kokkos::LayoutRight, ExecutionSpace>(problem, result);
  });
  return results;
}

template <class Scalar, class ExecutionSpace>
void make_empty_plan(const PlanOptions& options) {
  make_plan(ExecutionSpace(), 0, 0, DeviceArray<int, ExecutionSpace>("row offsets", 1),
            DeviceArray<int, ExecutionSpace>(), DeviceArray<device_scalar_t<Scalar>, ExecutionSpace>(), options);
}

/// Tests a precision with a plan of an empty matrix.
template <class Scalar, class ExecutionSpace>
bool has_precision(Precision precision) {
  PlanOptions options;
  options.precision = precision;
  try {
    make_empty_plan<Scalar, ExecutionSpace>(options);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

/// Rejects a precision before large inputs are read.
template <class Scalar>
void check_precision(const Settings& settings, const char* scalar_name) {
  for_each_backend([&]<class ExecutionSpace>(const char* name, std::type_identity<ExecutionSpace>) {
    if (settings.backend != name || has_precision<Scalar, ExecutionSpace>(settings.precision)) return;
    std::string expected;
    for (Precision precision : driver_precisions) {
      if (has_precision<Scalar, ExecutionSpace>(precision))
        expected += (expected.empty() ? "" : ", ") + std::string(to_string(precision));
    }
    throw std::invalid_argument("--precision " + std::string(to_string(settings.precision)) + ": not available for " +
                                scalar_name + " on the backend " + name + ", expected " + expected);
  });
}

/// Rejects a kernel before large inputs are read.
template <class Scalar>
void check_kernel(const Settings& settings) {
  for_each_backend([&]<class ExecutionSpace>(const char* name, std::type_identity<ExecutionSpace>) {
    if (settings.backend != name) return;
    PlanOptions options;
    options.kernel = settings.kernel;
    options.format = settings.format == "all" ? Format::Auto : formats_named(settings.format, settings.kernel).front();
    options.precision = settings.precision;
    options.parameters = settings.parameters;
    make_empty_plan<Scalar, ExecutionSpace>(options);
  });
}

template <class Scalar>
void verify(const Problem<Scalar>& problem, const std::vector<HostDense<Scalar>>& results, Result& result) {
  Progress progress("verifying");
  const std::vector<Measurement*> rows = result.products();
  std::vector<Precision> precisions;
  for (const Measurement* row : rows) precisions.push_back(row->precision);
  const std::vector<double> errors = worst_errors(problem, result.settings.mode, results, precisions,
                                                  [&](double fraction) { progress.update(fraction); });
  for (std::size_t r = 0; r < errors.size(); ++r) rows[r]->error = errors[r];
}

/// Writes a picture of the matrix, and one for each other stored order of rows. The name of the latter's file has the
/// reordering before the ending.
template <class Scalar>
void spy(const Problem<Scalar>& problem, const Result& result) {
  const std::filesystem::path path = result.settings.spy_file;
  write_file(path.string(), spy_svg(result.matrix, problem.a.row_offsets, problem.a.column_indices));
  for (const auto& [reordering, order] : result.row_orders) {
    const HostCsr<Scalar> a = in_order(problem.a, order);
    MatrixSummary matrix = result.matrix;
    matrix.name += ", rows in order: " + std::string(to_string(reordering));
    std::filesystem::path other = path;
    other.replace_extension(std::string(to_string(reordering)) + path.extension().string());
    write_file(other.string(), spy_svg(matrix, a.row_offsets, a.column_indices));
  }
}

/// Returns the Y for --write-y: the result of the automatic plan's format, or of the only format.
template <class Scalar>
const HostDense<Scalar>& chosen(const std::vector<HostDense<Scalar>>& results, Result& result) {
  const std::vector<Measurement*> rows = result.products();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r]->name == to_string(result.automatic)) return results[r];  // the format in any order of rows
  }
  return results.front();
}

}  // namespace

template <class Scalar>
Result run_as(const Settings& settings, const char* scalar_name) {
  check_precision<Scalar>(settings, scalar_name);
  if (settings.kernel == Kernel::Published) check_kernel<Scalar>(settings);
  const Problem<Scalar> problem = make_problem<Scalar>(settings);
  Result result;
  result.settings = settings;
  result.matrix = summarize(settings, problem.a);
  result.scalar = scalar_name;
  result.columns = static_cast<int>(problem.x.columns);
  result.kokkos_version = version_text(KOKKOS_VERSION);
  const std::vector<HostDense<Scalar>> results = measure(problem, result);
  verify(problem, results, result);
  if (!settings.spy_file.empty()) {
    spy(problem, result);
  }
  if (!settings.write_y_file.empty() && result.verified()) {
    write_dense_matrix_market(settings.write_y_file, chosen(results, result));
  }
  return result;
}

}  // namespace Tessera::Impl::Driver
