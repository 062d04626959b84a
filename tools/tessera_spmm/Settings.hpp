// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/FormatParameters.hpp>
#include <tessera/Mode.hpp>
#include <tessera/PlanOptions.hpp>

namespace Tessera::Impl::Driver {

enum class Layout { Left, Right };

/// The options of the command line.
struct Settings {
  std::string matrix_file;               ///< empty: generate
  std::string generator = "elasticity";  ///< NAME[:SIZE]
  std::optional<int> columns;            ///< columns of X; default: those of x_file, else 32
  std::string format = "all";            ///< "all", "auto" or the name of a format
  std::string reorder = "none";          ///< "none", "auto", "search", "all" or the name of a reordering
  bool shuffle = false;                  ///< whether to shuffle rows and columns first
  FormatParameters parameters;           ///< parameters of the formats
  std::optional<double> memory_limit;    ///< in gigabytes; default: default_memory_limit()
  std::string scalar = "double";         ///< "double" or "float"; the inputs decide between real and complex
  Precision precision = Precision::Native;
  Kernel kernel = Kernel::Auto;
  bool tune = false;  ///< whether automatic choices are measured
  Layout layout = Layout::Left;
  Mode mode = Mode::NoTranspose;
  std::complex<double> alpha = 1;
  std::complex<double> beta = 0;
  std::string x_file;          ///< empty: random
  std::string y_file;          ///< empty: random
  std::string load_plan_file;  ///< this and the next four: empty for none
  std::string save_plan_file;
  std::string write_y_file;
  std::string json_file;
  std::string spy_file;
  int repeat = 0;  ///< timed products per format; 0: for about a second
  std::uint64_t seed = 1;
  std::string backend;  ///< one of backend_names(), never empty
  int threads = 0;      ///< threads of Kokkos' host backend; 0: its default
  int device = -1;      ///< device of Kokkos' device backend; -1: its default
  std::string compare;  ///< the library to compare with: "kokkoskernels" or "cusparse"; empty: none
};

}  // namespace Tessera::Impl::Driver
