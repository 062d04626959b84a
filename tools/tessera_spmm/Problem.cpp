// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Problem.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <harness/Matrices.hpp>
#include <limits>
#include <stdexcept>
#include <tessera/io/Generators.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <tessera/system/impl/Memory.hpp>

#include "Formats.hpp"
#include "Peers.hpp"
#include "Progress.hpp"

namespace Tessera::Impl::Driver {

using namespace Harness;

namespace {

/// Returns the real part of `z`, or `z` if Scalar is complex.
template <class Scalar>
Scalar narrow(std::complex<double> z) {
  if constexpr (is_std_complex<Scalar>) {
    return Scalar(z);
  } else {
    return static_cast<Scalar>(z.real());
  }
}

template <class Scalar>
Scalar narrow_factor(const char* option, std::complex<double> z) {
  const Scalar narrowed = narrow<Scalar>(z);
  if (!std::isfinite(std::abs(narrowed)))
    throw std::invalid_argument(std::string(option) + ": too large for --scalar float");
  return narrowed;
}

bool is_complex_file(const std::string& path) { return !path.empty() && read_dense_header(path).is_complex; }

HostCsr<double> generate_named(const std::string& name, std::uint64_t seed) {
  try {
    return generate(name, seed);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("--generate " + name + ": " + error.what());
  }
}

template <class Scalar>
HostCsr<Scalar> make_matrix(const Settings& settings) {
  if (!settings.matrix_file.empty()) {
    Progress progress("reading " + settings.matrix_file);
    ReadOptions options;
    options.progress = [&](double fraction) { progress.update(fraction); };
    return read_matrix<Scalar>(settings.matrix_file, options);
  }
  const Progress progress("generating " + settings.generator);
  HostCsr<double> made = generate_named(settings.generator, settings.seed);
  if constexpr (std::is_same_v<Scalar, double>) {
    return made;
  } else {
    HostCsr<Scalar> a{made.rows, made.columns, std::move(made.row_offsets), std::move(made.column_indices), {}};
    a.values.reserve(made.values.size());
    for (double value : made.values) a.values.push_back(static_cast<Scalar>(value));
    return a;
  }
}

template <class Scalar>
HostDense<Scalar> read_dense(const std::string& option, const std::string& path, std::size_t rows, const char* why_rows,
                             std::optional<std::size_t> columns, const char* why_columns) {
  const MatrixHeader header = read_dense_header(path);
  const auto expect = [&](const char* what, std::size_t found, std::size_t expected, const char* why) {
    if (found == expected) return;
    throw std::invalid_argument(option + " " + path + ": has " + std::to_string(found) + " " + what + ", expected " +
                                std::to_string(expected) + ", " + why);
  };
  expect("rows", header.rows, rows, why_rows);
  if (columns) expect("columns", header.columns, *columns, why_columns);
  Progress progress("reading " + path);
  ReadOptions options;
  options.progress = [&](double fraction) { progress.update(fraction); };
  return read_dense_matrix<Scalar>(path, options);
}

std::size_t columns_of_x(const Settings& settings) {
  if (!settings.x_file.empty()) return read_dense_header(settings.x_file).columns;
  return static_cast<std::size_t>(settings.columns.value_or(32));
}

/// Rejects problems that do not fit, before large allocations: X and Y on host and device, and a Y for each result.
template <class Scalar>
void require_memory(const Settings& settings, std::size_t x_rows, std::size_t y_rows) {
  const std::size_t columns = columns_of_x(settings);
  const auto results = static_cast<double>(requests(settings).size() + peer_names(settings.compare, columns).size());
  const double rows = 2.0 * static_cast<double>(x_rows) + 2.0 * (1 + results) * static_cast<double>(y_rows);
  const std::string whose = settings.x_file.empty() ? "--columns: " : "--x " + settings.x_file + ": ";
  Impl::require_memory(rows * static_cast<double>(columns) * sizeof(Scalar), 0,
                       whose + std::to_string(columns) + " columns of X (" + std::to_string(x_rows) + " rows) and Y (" +
                           std::to_string(y_rows) + " rows): this");
}

/// Rejects such problems before the matrix is read, if its header has the numbers of rows and columns.
template <class Scalar>
void require_memory_beside(const Settings& settings) {
  if (settings.matrix_file.empty()) return;
  MatrixHeader header;
  try {
    header = read_matrix_header(settings.matrix_file);
  } catch (const std::exception&) {
    return;  // another kind of file, or none: its reader reports the error
  }
  const bool transposed = is_transposed(settings.mode);
  require_memory<Scalar>(settings, transposed ? header.rows : header.columns,
                         transposed ? header.columns : header.rows);
}

// Vectors must differ from each other and from the matrix although they have the same seed.
constexpr std::uint64_t x_stream = 0x9e3779b97f4a7c15;
constexpr std::uint64_t y_stream = 0xd1b54a32d192ed03;

}  // namespace

bool is_complex(const Settings& settings) {
  return (!settings.matrix_file.empty() && matrix_is_complex(settings.matrix_file)) ||
         is_complex_file(settings.x_file) || is_complex_file(settings.y_file) || settings.alpha.imag() != 0 ||
         settings.beta.imag() != 0;
}

template <class Scalar>
Problem<Scalar> make_problem(const Settings& settings) {
  Problem<Scalar> problem;
  problem.alpha = narrow_factor<Scalar>("--alpha", settings.alpha);
  problem.beta = narrow_factor<Scalar>("--beta", settings.beta);
  require_memory_beside<Scalar>(settings);
  problem.a = make_matrix<Scalar>(settings);
  if (settings.shuffle) problem.a = shuffled(problem.a, settings.seed);
  const bool transposed = is_transposed(settings.mode);
  const auto x_rows = static_cast<std::size_t>(transposed ? problem.a.rows : problem.a.columns);
  const auto y_rows = static_cast<std::size_t>(transposed ? problem.a.columns : problem.a.rows);
  require_memory<Scalar>(settings, x_rows, y_rows);
  if (settings.x_file.empty()) {
    const Progress progress("generating X");
    problem.x = random_dense<Scalar>(x_rows, columns_of_x(settings), settings.seed ^ x_stream);
  } else {
    const char* why = transposed ? "the rows of the matrix" : "the columns of the matrix";
    const std::optional<std::size_t> columns = settings.columns;
    problem.x = read_dense<Scalar>("--x", settings.x_file, x_rows, why, columns, "as --columns says");
  }
  if (!settings.y_file.empty()) {
    const char* why = transposed ? "the columns of the matrix" : "the rows of the matrix";
    problem.y = read_dense<Scalar>("--y", settings.y_file, y_rows, why, problem.x.columns, "as many as X");
  } else {
    problem.y = random_dense<Scalar>(y_rows, problem.x.columns, settings.seed ^ y_stream);
  }
  if (problem.beta == Scalar(0)) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::fill(problem.y.values.begin(), problem.y.values.end(), narrow<Scalar>({nan, nan}));
  }
  return problem;
}

template <class Scalar>
MatrixSummary summarize(const Settings& settings, const HostCsr<Scalar>& a) {
  MatrixSummary summary;
  summary.name = settings.matrix_file.empty() ? settings.generator
                                              : std::filesystem::path(settings.matrix_file).filename().string();
  summary.rows = a.rows;
  summary.columns = a.columns;
  summary.nonzeros = a.values.size();
  return summary;
}

template <class Scalar>
std::size_t rows_of_x_touched(const HostCsr<Scalar>& a, Mode mode) {
  if (!is_transposed(mode)) return touched_columns(a);
  std::size_t nonempty = 0;
  for (std::size_t i = 0; i + 1 < a.row_offsets.size(); ++i) nonempty += a.row_offsets[i + 1] != a.row_offsets[i];
  return nonempty;
}

#define TESSERA_INSTANTIATE(Scalar)                                                  \
  template Problem<Scalar> make_problem<Scalar>(const Settings&);                    \
  template MatrixSummary summarize<Scalar>(const Settings&, const HostCsr<Scalar>&); \
  template std::size_t rows_of_x_touched<Scalar>(const HostCsr<Scalar>&, Mode);
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera::Impl::Driver
