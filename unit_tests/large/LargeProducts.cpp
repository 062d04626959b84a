// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// large_products [--fraction F] [--only TEXT] [--folder FOLDER] [--list] [--spoil]
//
// Plans and products beyond 32 bits on the default device: matrices of more than 2^31 nonzeros in every format
// ("long"), and X and Y of more than 2^32 elements in every mode ("wide"). Every element is compared with the number
// that follows from its indices. --fraction scales all sizes down, so tests can run the same code anywhere; --only
// selects the cases whose names contain TEXT; plan files are written to FOLDER; --spoil changes an element of each Y,
// to test that errors are found. Cases that do not fit in memory are skipped with a message. The exit status is 1 if
// anything is wrong or no case has run.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/PlanFile.hpp>
#include <tessera/Spmm.hpp>
#include <utility>
#include <vector>

#include "LargeMatrix.hpp"
#include "MemoryMeter.hpp"
#include "ProgramOptions.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Impl;
using namespace Tessera::Impl::Test;
using Exec = Kokkos::DefaultExecutionSpace;

struct Settings {
  double fraction = 1;
  std::string only;
  std::filesystem::path folder = std::filesystem::temp_directory_path();
  bool lists = false, spoils = false;
};

/// The sizes and options of a case.
struct Case {
  std::int64_t rows;
  int diagonals, run, vectors;
  PlanOptions options;
  std::vector<Mode> modes = {Mode::NoTranspose};
  bool updates = false, is_saved = false;
};

struct NamedCase {
  std::string name;
  std::function<std::int64_t(const Settings&)> wrong_elements;
};

class Clock {
 public:
  double lap() {
    Exec().fence();
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Returns the peak memory that stats() reports for making the plan.
std::int64_t told_peak(const std::string& stats) {
  const std::string key = "\"peak\": ";
  const std::size_t place = stats.find(key);
  if (place == stats.npos) throw std::logic_error("Plan::stats() tells no peak");
  return std::stoll(stats.substr(place + key.size()));
}

/// Returns 1 and prints a message if a guarantee does not hold, else 0.
std::int64_t wrong_unless(bool holds, const char* promise, std::int64_t found, std::int64_t expected) {
  if (!holds) std::printf("  WRONG: %s: %lld, expected %lld\n", promise, (long long)found, (long long)expected);
  return !holds;
}

double gigabytes(auto bytes) { return double(bytes) / 1e9; }

/// Multiplies in all modes of a case, with X and Y in one layout, and counts wrong elements.
template <class Layout, class Vector, class PlanType, class Matrix>
std::int64_t multiply(const Case& c, PlanType& plan, const Matrix& A, Seed values, bool spoils) {
  using Vectors = Kokkos::View<Vector**, Layout, Exec>;
  const auto extent = std::size_t(A.rows);
  const Vectors X(Kokkos::view_alloc(Kokkos::WithoutInitializing, "X"), extent, std::size_t(c.vectors));
  const Vectors Y(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Y"), extent, std::size_t(c.vectors));
  fill_operand(X);
  std::int64_t wrong = 0;
  for (const Mode mode : c.modes) {
    auto work = plan.prepare(Exec(), c.vectors, mode);
    const LargeProduct<Exec, typename PlanType::scalar_type, Vector> product{A.distances, A.rows, mode, values};
    Kokkos::deep_copy(Y, Vector(std::numeric_limits<float>::quiet_NaN()));
    Clock clock;
    spmm(Exec(), plan, work, mode, 1, X, 0, Y);
    const double seconds = clock.lap();
    if (spoils) Kokkos::deep_copy(Kokkos::subview(Y, extent - 1, std::size_t(c.vectors) - 1), Vector(float(100)));
    const std::int64_t in_first = wrong_elements(Y, product);
    spmm(Exec(), plan, work, mode, 2, X, -1, Y);  // 2 A X - A X
    const std::int64_t in_second = wrong_elements(Y, product);
    std::printf("  %s, %s, workspace %.2f GB: %.1f ms, %lld and %lld elements of %lld wrong\n",
                std::string(to_string(mode)).c_str(), std::is_same_v<Layout, Kokkos::LayoutRight> ? "rows" : "columns",
                gigabytes(work.bytes()), seconds * 1e3, (long long)in_first, (long long)in_second, (long long)Y.size());
    wrong += in_first + in_second;
  }
  return wrong;
}

/// Runs a case in one type of numbers, with 64-bit offsets.
template <class Scalar, class Vector>
std::int64_t run_case(const std::string& name, Case c, const Settings& settings) {
  using Offset = std::size_t;
  using PlanType = Plan<Scalar, Exec>;
  c.rows = std::max<std::int64_t>(std::int64_t(double(c.rows) * settings.fraction), 8 * c.diagonals);
  c.options.hints.num_vectors = c.vectors;
  LargeMatrix<Exec, Scalar, Offset> A(c.rows, diagonals(c.diagonals, c.run, c.rows / 8));
  const std::size_t nonzeros = A.nonzeros();

  MemoryMeter memory;
  Clock clock;
  // Scales the limit, too, so the number of row blocks stays the same.
  const auto most_entries = std::size_t(double(Impl::most_entries_of_block) * settings.fraction);
  auto plan = Impl::plan_of(Exec(), int(A.rows), int(A.rows), 1, A.row_offsets, A.column_indices, A.values, c.options,
                            most_entries);
  const std::int64_t most = told_peak(plan.stats());
  std::printf(
      "  %lld rows, %zu nonzeros, %s: made in %.2f s; takes %.2f GB at once (it says %.2f), "
      "holds %.2f GB (it says %.2f), A has %.2f\n",
      (long long)A.rows, nonzeros, std::string(to_string(plan.format())).c_str(), clock.lap(), gigabytes(memory.peak()),
      gigabytes(most), gigabytes(memory.now()), gigabytes(plan.bytes()), gigabytes(nonzeros * (4 + sizeof(Scalar))));
  const auto told = std::int64_t(plan.bytes());
  std::int64_t wrong = wrong_unless(plan.format() == c.options.format, "the format is that of the options",
                                    std::int64_t(plan.format()), std::int64_t(c.options.format));
  wrong += wrong_unless(memory.peak() <= most, "making takes at most what is told", memory.peak(), most);
  wrong += wrong_unless(std::abs(memory.now() - told) <= told / 100 + 4096, "bytes() tells what is held", told,
                        memory.now());

  Seed values = OldValues;
  if (c.updates) {
    wrong += multiply<Kokkos::LayoutRight, Vector>(c, plan, A, values, settings.spoils);
    values = NewValues;
    A.fill_columns_and_values(values);
    clock.lap();
    plan.update_values(Exec(), A.values);
    std::printf("  new values in %.1f ms\n", clock.lap() * 1e3);
  }
  A.drop();
  wrong += multiply<Kokkos::LayoutRight, Vector>(c, plan, A, values, settings.spoils);
  if (c.is_saved) {
    const std::filesystem::path file = settings.folder / (name + ".plan");
    clock.lap();
    save_plan(Exec(), plan, file);
    const double saved = clock.lap(), size = gigabytes(std::filesystem::file_size(file));
    plan = PlanType();
    plan = load_plan<Scalar>(Exec(), file);
    std::printf("  saved in %.1f s, %.2f GB, loaded in %.1f s\n", saved, size, clock.lap());
    std::filesystem::remove(file);
  }
  return wrong + multiply<Kokkos::LayoutLeft, Vector>(c, plan, A, values, settings.spoils);
}

class Cases {
 public:
  template <class Scalar, class Vector = Scalar>
  void add(const std::string& name, const Case& c) {
    if constexpr (is_compiled_v<Impl::kernel_scalar_t<Scalar>>) {
      list_.push_back({name, [=](const Settings& settings) { return run_case<Scalar, Vector>(name, c, settings); }});
    }
  }
  const std::vector<NamedCase>& list() const { return list_; }

 private:
  std::vector<NamedCase> list_;
};

/// 2.2e9 nonzeros in runs of 17 adjacent diagonals, which fill two thirds of the tiles in windows of 8 rows.
template <class Scalar>
void add_long(Cases& cases, const std::string& scalar) {
  for (const Format format : every_format) {
    Case c{.rows = 17'000'003, .diagonals = 136, .run = 17, .vectors = 8, .options = {}};
    c.options.format = format;
    c.updates = true;
    c.is_saved = format == Format::BitTcf || (std::is_same_v<Scalar, float> && format == Format::Csr);
    cases.add<Scalar>("long." + std::string(to_string(format)) + '.' + scalar, c);
  }
}

/// X and Y of 4.36e9 elements.
template <class Scalar, class Vector = Scalar>
void add_wide(Cases& cases, const std::string& scalar, Format format, Precision precision = Precision::Native) {
  Case c{.rows = 16'777'259, .diagonals = 4, .run = 2, .vectors = 260, .options = {}};
  c.options.format = format;
  c.options.precision = precision;
  c.options.on_unsupported = OnUnsupported::FallBack;  // hosts have only the native precision
  c.options.half_vectors = is_half_v<Vector>;
  c.modes = {Mode::NoTranspose, Mode::Transpose, Mode::Conjugate, Mode::ConjugateTranspose};
  const std::string end = precision == Precision::Native ? "" : '.' + std::string(to_string(precision));
  cases.add<Scalar, Vector>("wide." + std::string(to_string(format)) + '.' + scalar + end, c);
}

Cases all_cases() {
  Cases cases;
  add_long<float>(cases, "float");
  add_long<double>(cases, "double");
  Case transposed{.rows = 17'000'003, .diagonals = 136, .run = 17, .vectors = 8, .options = {}};
  transposed.options.format = Format::Csr;
  transposed.modes = {Mode::Transpose};
  cases.add<float>("long.csr.float.transposed", transposed);
  for (const Format format : every_format) {
    add_wide<float>(cases, "float", format);
    add_wide<double>(cases, "double", format);
  }
  for (const Format format : {Format::BitTcf, Format::Bmat, Format::Bcsr}) {
    add_wide<float>(cases, "float", format, Precision::Tf32x3);
    add_wide<float>(cases, "float", format, Precision::Fp16);
  }
  for (const Format format : {Format::Csr, Format::RowGroups})
    add_wide<float, Half>(cases, "float.vectors_of_16_bits", format);
  for (const Format format : {Format::BitTcf, Format::Bmat})
    add_wide<float, Half>(cases, "float.vectors_of_16_bits", format, Precision::Fp16);
  add_wide<Kokkos::complex<float>>(cases, "complex_float", Format::Csr);
  return cases;
}

/// Whether an error means that memory ran out. Kokkos throws several types for this.
bool is_of_memory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         std::string_view(error.what()).find("allocate") != std::string_view::npos;
}

Settings settings_of(int argc, char** argv) {
  Settings s;
  read_options(argc, argv, {{"--list", &s.lists}, {"--spoil", &s.spoils}},
               [&](const std::string& option, std::string_view value) {
                 if (option == "--fraction") {
                   s.fraction = number_of<double>(option, value);
                   if (!(s.fraction > 0 && s.fraction <= 1))
                     throw std::invalid_argument(option + ": \"" + std::string(value) +
                                                 "\"; expected a number above 0, up to 1");
                 } else if (option == "--only") {
                   s.only = value;
                 } else if (option == "--folder") {
                   s.folder = value;
                 } else {
                   return false;
                 }
                 return true;
               });
  return s;
}

int run(const Settings& settings) {
  int done = 0, wrong = 0, left_out = 0;
  const Cases cases = all_cases();
  for (const NamedCase& c : cases.list()) {
    if (c.name.find(settings.only) == std::string::npos) continue;
    std::cout << c.name << std::endl;
    if (settings.lists) continue;
    try {
      wrong += c.wrong_elements(settings) != 0;
      ++done;
    } catch (const std::exception& error) {
      ++(is_of_memory(error) ? left_out : wrong);
      std::cout << "  " << error.what() << '\n';
    }
    std::cout << std::flush;
  }
  if (!settings.lists)
    std::cout << done << " cases, " << wrong << " wrong, " << left_out << " left out for want of memory\n";
  return wrong == 0 && (done > 0 || settings.lists) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Settings settings = settings_of(argc, argv);
    Kokkos::ScopeGuard kokkos(argc, argv);
    return run(settings);
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 2;
  }
}
