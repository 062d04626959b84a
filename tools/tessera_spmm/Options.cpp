// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <harness/Arguments.hpp>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <tessera/Version.hpp>
#include <tessera/io/Generators.hpp>

#include "Backends.hpp"
#include "Formats.hpp"
#include "Outputs.hpp"
#include "Peers.hpp"

namespace Tessera::Impl::Driver {

using namespace Harness;

namespace {

/// Upper bound on the threads of Kokkos' OpenMP backend, which does not report an excess.
constexpr int most_kokkos_threads = 512;

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

double parse_real(std::string_view text, const std::string& option, const std::string& whole) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // An out-of-range number is too large or too small: strtod() gives infinity or 0.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  if (error == std::errc::invalid_argument || end != text.data() + text.size() || !std::isfinite(value)) {
    throw std::invalid_argument(option + ": '" + whole + "' is not a finite number, nor two as RE,IM");
  }
  return value;
}

std::complex<double> parse_complex(const std::string& text, const std::string& option) {
  const std::size_t comma = text.find(',');
  const double re = parse_real(std::string_view(text).substr(0, comma), option, text);
  const double im = comma == std::string::npos ? 0 : parse_real(std::string_view(text).substr(comma + 1), option, text);
  return {re, im};
}

void parse_block(const std::string& text, FormatParameters& parameters) {
  int height = 0, width = 0;
  char by = 0;
  std::istringstream stream(text);
  const bool is_shape = stream >> height >> by >> width && by == 'x' && stream.eof();
  if (!is_shape || std::min(height, width) < 1 || std::max(height, width) > 64) {
    throw std::invalid_argument("--bcsr-block: '" + text + "' is not two numbers from 1 to 64 as HxW");
  }
  parameters.bcsr_block_rows = height;
  parameters.bcsr_block_columns = width;
}

std::string footer() {
  std::string text = "Matrices that --generate knows, with the sizes they take:\n";
  for (const auto& [name, description] : generator_names()) text += "  " + name + "\n      " + description + "\n";
  text +=
      "\nThe product is complex if the matrix, X or Y is read from a complex file, or alpha or beta is complex.\n"
      "--write-y takes the Y of the format that the automatic plan chooses, or of the one format that was asked for;\n"
      "nothing is written there if a result is wrong. The keys of the --json file: tools/README.md.\n"
      "\nExit status: 0 every result verified; 1 a result is wrong; 2 bad input or usage, or out of memory: then no\n"
      "output file is left half-written.\n";
  return text;
}

/// Options whose text is converted to another type after all are read.
struct Texts {
  std::string bcsr_block;
  std::string layout = "left";
  std::string mode = "N";
  std::string alpha = "1";
  std::string beta = "0";
  std::string precision = "native";
  std::string kernel = "auto";
};

/// Adds an option with the text that --help shows as its value.
template <class Value>
CLI::Option* add(CLI::App& app, const std::string& name, Value& value, const std::string& shown,
                 const std::string& text) {
  return app.add_option(name, value, text)->option_text(shown);
}

/// Adds an option whose value is one of several words, compared case-insensitively.
void add_choice(CLI::App& app, const std::string& name, std::string& value, const std::vector<std::string>& words,
                const std::string& text) {
  add(app, name, value, joined(words, "|"), text)->transform(CLI::IsMember(words, CLI::ignore_case));
}

/// Checks a seed: older versions of CLI11 read -1, and numbers beyond 64 bits, as the largest number.
std::string check_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return "'" + text + "' is not a whole number from 0 to " + std::to_string(std::numeric_limits<std::uint64_t>::max());
}

void add_matrix_options(CLI::App& app, Settings& settings) {
  auto* matrix = add(app, "--matrix", settings.matrix_file, "FILE",
                     "Matrix Market, Harwell-Boeing, SciPy's .npz, ...; - is a pipe");
  add(app, "--generate", settings.generator, "NAME[:SIZE]", "or make the matrix, see below (default: elasticity)")
      ->excludes(matrix);
  app.add_flag("--shuffle", settings.shuffle, "put rows and columns in a random order first");
  add(app, "--seed", settings.seed, "N", "of everything random (default: 1)")->check(check_seed);
}

void add_product_options(CLI::App& app, Settings& settings, Texts& texts) {
  std::vector<std::string> formats = names_of(every_format);
  formats.insert(formats.end(), {"all", "auto"});
  add_choice(app, "--format", settings.format, formats, "what to measure (default: all)");
  std::vector<std::string> orders = names_of(every_reordering);
  orders.insert(orders.end(), {"all", "auto", "search"});
  add_choice(app, "--reorder", settings.reorder, orders, "order in which plans store rows (default: none)");
  app.add_flag("--tune", settings.tune, "measure what the automatic plan is chosen from");
  add(app, "--columns", settings.columns, "N", "columns of X (default: those of --x, else 32)")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  add_choice(app, "--scalar", settings.scalar, {"double", "float"}, "of all inputs and Y (default: double)");
  add_choice(app, "--precision", texts.precision, names_of(driver_precisions), "arithmetic of a GPU (default: native)");
  add_choice(app, "--kernel", texts.kernel, names_of(enumerators<Kernel>()),
             "the fastest of a GPU, or those of the formats' papers (default: auto)");
  add_choice(app, "--layout", texts.layout, {"left", "right"}, "X and Y column- or row-major (default: left)");
  add_choice(app, "--mode", texts.mode, {"N", "T", "C", "H"}, "op(A): A, transpose, conjugate, both (default: N)");
  add(app, "--alpha", texts.alpha, "RE[,IM]", "(default: 1)");
  add(app, "--beta", texts.beta, "RE[,IM]", "(default: 0: Y is overwritten, and is NaN before)");
}

void add_parameter_options(CLI::App& app, Settings& settings, Texts& texts) {
  FormatParameters& parameters = settings.parameters;
  add(app, "--brp-f", parameters.brp_nonzeros_per_column, "N", "brp: nonzeros of a column (default: chosen)")
      ->check(CLI::Range(1, 16));
  add(app, "--brp-g", parameters.brp_tiles_per_group, "N", "brp: tiles of a group (default: chosen)")
      ->check(CLI::Range(1, 64));
  add(app, "--bcsr-block", texts.bcsr_block, "HxW", "bcsr: shape of the blocks (default: chosen)");
  add(app, "--sorted-width", parameters.sorted_columns_width, "N", "sorted_columns: columns of a block (default: 32)")
      ->check(CLI::Range(1, 1024));
  add(app, "--sorted-height", parameters.sorted_columns_height, "N", "and the most it takes of each (default: 32)")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  add(app, "--staged-values", parameters.staged_chunk_values, "N", "staged: entries of a chunk (default: chosen)")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  add(app, "--staged-piece", parameters.staged_piece_chunks, "N", "and chunks of a piece (default: chosen)")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  add(app, "--group-rows", parameters.group_rows, "N", "row_groups: the most rows of a group (default: 4)")
      ->check(CLI::Range(1, 4));
  add(app, "--memory-limit", settings.memory_limit, "GB",
      "that a plan may take, at its peak (default: half of what is free)");
}

void add_file_options(CLI::App& app, Settings& settings) {
  add(app, "--x", settings.x_file, "FILE", "read X: an array, or right-hand sides (default: random)");
  add(app, "--y", settings.y_file, "FILE", "read the initial Y likewise (default: random)");
  add(app, "--write-y", settings.write_y_file, "FILE", "write the resulting Y, an array of Matrix Market");
  add(app, "--save-plan", settings.save_plan_file, "FILE", "write the plan, chosen or asked for, with its values");
  add(app, "--load-plan", settings.load_plan_file, "FILE", "measure a plan that was saved of this matrix, too");
  add(app, "--json", settings.json_file, "FILE", "write settings and results for machines");
  add(app, "--spy", settings.spy_file, "FILE.svg", "draw density of nonzeros and of 8x8 tiles, in each order");
}

void add_run_options(CLI::App& app, Settings& settings) {
  add(app, "--repeat", settings.repeat, "N", "timed products a format (default: about a second)")
      ->check(CLI::Range(1, 100'000'000));
  add(app, "--backend", settings.backend, joined(backend_names(), "|"), "(default: " + default_backend() + ")");
  add_choice(app, "--compare", settings.compare, {"kokkoskernels", "cusparse"},
             "time KokkosSparse::spmv too, or cuSPARSE");
  add(app, "--kokkos-num-threads", settings.threads, "N", "of Kokkos' host backend")
      ->check(CLI::Range(1, most_kokkos_threads));
  add(app, "--kokkos-device-id", settings.device, "N", "the GPU that Kokkos takes")->check(CLI::Range(0, 1024));
}

/// Keeps the lines of description and footer, which newer versions of CLI11 would rewrap.
template <class Formatter>
void keep_lines(Formatter& formatter) {
  formatter.column_width(36);
  if constexpr (requires { formatter.enable_footer_formatting(false); }) {
    formatter.enable_footer_formatting(false);
    formatter.enable_description_formatting(false);
    formatter.right_column_width(84);
  }
}

void check_backend(Settings& settings) {
  if (settings.backend.empty()) settings.backend = default_backend();
  settings.backend = CLI::detail::to_lower(settings.backend);
  for (const std::string& name : backend_names()) {
    if (name == settings.backend) return;
  }
  throw std::invalid_argument("--backend " + settings.backend + ": this build has " + joined(backend_names(), ", "));
}

void check_compare(const Settings& settings) {
  if (settings.compare.empty()) return;
  const std::string missing = missing_peer(settings.compare);
  if (!missing.empty()) throw std::invalid_argument("--compare " + settings.compare + ": " + missing);
  if (settings.backend != default_backend()) {
    throw std::invalid_argument("--compare " + settings.compare + ": runs on the backend " + default_backend() +
                                ", not on " + settings.backend);
  }
}

void check_tune(const Settings& settings) {
  if (settings.tune && settings.format != "all" && settings.format != "auto") {
    throw std::invalid_argument("--tune: nothing is chosen automatically with --format " + settings.format +
                                ", expected all or auto");
  }
}

/// Refuses to read several inputs from standard input, which can be read only once.
void check_standard_input(const Settings& settings) {
  constexpr const char* standard_input = "-";
  int readers = 0;
  for (const std::string* file : {&settings.matrix_file, &settings.x_file, &settings.y_file}) {
    readers += *file == standard_input ? 1 : 0;
  }
  if (readers > 1)
    throw std::invalid_argument("--matrix, --x, --y: expected standard input, -, for one of them at most");
}

void check_memory_limit(const Settings& settings) {
  constexpr double most = 1e9;  // an exabyte, which fits in std::size_t
  if (settings.memory_limit && !(*settings.memory_limit >= 0 && *settings.memory_limit <= most)) {
    throw std::invalid_argument("--memory-limit: expected gigabytes, from 0 to 1e9");
  }
}

void check_not_empty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) throw std::invalid_argument(option->get_name() + ": the value is empty");
    }
  }
}

/// The options, and their values on a command line. Options are declared only once, because declaring them takes longer
/// than parsing a line, and a fuzzer parses thousands of lines per second.
struct CommandLine {
  Settings settings;
  Texts texts;
  CLI::App app{
      "Multiplies a sparse matrix by a dense multivector, Y = alpha op(A) X + beta Y, in one or more formats;\n"
      "verifies every entry of Y; reports sizes and times.",
      "tessera_spmm"};

  CommandLine() {
    app.set_version_flag("--version",
                         [] { return "tessera_spmm " TESSERA_VERSION_STRING "\n" + to_string(version()); });
    app.footer(footer());
    keep_lines(*app.get_formatter());
    add_matrix_options(app, settings);
    add_product_options(app, settings, texts);
    add_parameter_options(app, settings, texts);
    add_file_options(app, settings);
    add_run_options(app, settings);
  }
};

}  // namespace

std::optional<Settings> parse_options(int argc, const char* const* argv) {
  static CommandLine line;
  line.settings = {};
  line.texts = {};
  if (!parse(line.app, argc, argv)) return std::nullopt;
  check_not_empty(line.app);
  Settings settings = line.settings;
  const Texts& texts = line.texts;
  settings.layout = texts.layout == "left" ? Layout::Left : Layout::Right;
  settings.mode = enum_named<Mode>(texts.mode).value_or(Mode::NoTranspose);
  settings.alpha = parse_complex(texts.alpha, "--alpha");
  settings.beta = parse_complex(texts.beta, "--beta");
  settings.precision = enum_named<Precision>(texts.precision).value_or(Precision::Native);
  settings.kernel = enum_named<Kernel>(texts.kernel).value_or(Kernel::Auto);
  if (!texts.bcsr_block.empty()) parse_block(texts.bcsr_block, settings.parameters);
  check_memory_limit(settings);
  check_backend(settings);
  check_compare(settings);
  check_tune(settings);
  check_standard_input(settings);
  check_outputs(settings);
  return settings;
}

}  // namespace Tessera::Impl::Driver
