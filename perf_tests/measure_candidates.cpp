// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times every candidate of the automatic choice, and compares it with the model's prediction:
//   measure_candidates [MATRIX]... --output candidates.jsonl [--columns 1 8 32] [--arithmetic double tf32x3] [--layout
//   left]
// MATRIX is a file, Matrix Market or binary CSR, plain or gzip, or a generated matrix such as stencil27:64.
//
// Writes a line of JSON per matrix, arithmetic and number of columns: the statistics that the model uses, and for each
// candidate the prediction and the median, minimum and maximum of the measurements, in seconds. Candidates take turns:
// other load on the machine affects all of them. fit_model reads the file. --formats also measures formats that are no
// candidates; these are marked as requested, and ignored when choices are judged. --published measures the kernels of
// papers instead of the candidates; the predictions are not for these kernels.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <harness/Arguments.hpp>
#include <harness/Matrices.hpp>
#include <harness/NamedFiles.hpp>
#include <harness/Statistics.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tessera/Spmm.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <vector>

#include "DeviceMatrix.hpp"
#include "StatisticsJson.hpp"

using namespace Tessera::Impl::Benchmarks;

namespace {

using Tessera::Format;

struct Options {
  std::vector<std::string> matrices{"elasticity:16", "stencil27:32"};
  std::vector<int> columns{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  std::vector<std::string> arithmetic{"double"}, formats;
  std::string layout = "right", output;
  bool explains = false, is_published = false;
  double sample_seconds = 2e-3, stop_after = 1e300;
  double most_bytes = 8e9;  // upper bound on the bytes of X and Y
};

/// \tparam VectorScalar  the type of X and Y
template <class Scalar, class VectorScalar, class Layout>
class Problem {
  using Plan = Tessera::Plan<Scalar, Space>;
  using Vectors = Kokkos::View<VectorScalar**, Layout, Space::device_type>;

  /// A plan with one of the candidates.
  struct Contestant {
    Tessera::Impl::Candidate candidate;
    bool is_asked = false;  // requested, not a candidate
    Plan plan;
    typename Plan::workspace_type work;
    int batch = 1;
    std::vector<double> seconds;
  };

 public:
  Problem(const DeviceMatrix& A, const Tessera::PlanOptions& options, double sample_seconds)
      : options_(options),
        sample_seconds_(sample_seconds),
        A_(A),
        values_("values", A.values.extent(0)),
        X_("X", A.columns, options.hints.num_vectors),
        Y_("Y", A.rows, options.hints.num_vectors) {
    Kokkos::deep_copy(values_, A.values);
    Kokkos::deep_copy(X_, VectorScalar(1));
  }

  /// \param formats  [in] further formats to measure
  /// \param explains [in] whether to print the plan's explanation
  nlohmann::json measure(const std::vector<std::string>& formats, bool explains) {
    const Plan chosen = make_plan(options_);
    const Tessera::Impl::Choice& choice = Tessera::Impl::choice_of(chosen);
    if (explains) std::cout << chosen.explain() << std::flush;
    std::vector<Contestant> contestants;
    for (const Tessera::Impl::Candidate& candidate : choice.candidates) contestants.push_back(contestant(candidate));
    for (const std::string& format : formats) add_asked(format_of(format), contestants);
    constexpr int samples = 7;
    for (int sample = 0; sample < samples; ++sample)
      for (Contestant& contestant : contestants) contestant.seconds.push_back(time(contestant));
    nlohmann::json candidates = nlohmann::json::array();
    for (Contestant& contestant : contestants) {
      nlohmann::json entry = {{"format", to_string(contestant.candidate.format)},
                              {"tiles", contestant.candidate.tiles},
                              {"bytes", contestant.candidate.format_bytes},
                              {"predicted", contestant.candidate.predicted_seconds}};
      if (contestant.is_asked) entry["asked"] = true;
      const Spread spread = spread_of(contestant.seconds);
      entry.update({{"seconds", spread.median}, {"least", spread.least}, {"most", spread.most}});
      candidates.push_back(entry);
    }
    return {{"model", choice.model},
            {"device", choice.device},
            {"statistics", to_json(choice.statistics)},
            {"candidates", candidates}};
  }

 private:
  Plan make_plan(const Tessera::PlanOptions& options) const {
    return Tessera::make_plan(Space(), A_.rows, A_.columns, A_.row_offsets, A_.column_indices, values_, options);
  }

  Contestant contestant(const Tessera::Impl::Candidate& candidate) {
    auto options = options_;
    options.format = candidate.format;
    Contestant result{candidate, false, make_plan(options), {}, 1, {}};
    result.work = result.plan.prepare(Space(), options.hints.num_vectors, Tessera::Mode::NoTranspose);
    time(result);  // warms up
    result.batch = std::clamp(static_cast<int>(std::ceil(sample_seconds_ / time(result))), 1, 1000);
    return result;
  }

  /// Adds a format unless it is a candidate already.
  void add_asked(Tessera::Format format, std::vector<Contestant>& contestants) {
    Tessera::Impl::Candidate asked;
    asked.format = format;
    for (const Contestant& other : contestants)
      if (other.candidate.format == format) return;
    contestants.push_back(contestant(asked));
    Contestant& added = contestants.back();
    added.is_asked = true;
    for (const Tessera::Impl::Candidate& candidate : Tessera::Impl::choice_of(added.plan).candidates)
      if (candidate.format == format) added.candidate = candidate;
  }

  /// Returns the seconds per product.
  double time(Contestant& contestant) {
    const Space exec;
    const double seconds = seconds_of(exec, [&] {
      for (int i = 0; i < contestant.batch; ++i)
        Tessera::spmm(exec, contestant.plan, contestant.work, Tessera::Mode::NoTranspose, 1, X_, 0, Y_);
    });
    return seconds / contestant.batch;
  }

  Tessera::PlanOptions options_;
  double sample_seconds_;
  const DeviceMatrix& A_;
  Kokkos::View<Scalar*, Space::device_type> values_;
  Vectors X_, Y_;
};

/// \throws std::invalid_argument if this Tessera is not compiled for the scalars
template <class Scalar, class VectorScalar = Scalar>
nlohmann::json measure(const DeviceMatrix& A, const Tessera::PlanOptions& plan, const Options& options) {
  if constexpr (!Tessera::Impl::is_compiled_v<Tessera::Impl::kernel_scalar_t<Scalar>>) {
    throw std::invalid_argument("this Tessera was configured without these scalars (TESSERA_SCALARS)");
  } else {
    if (options.layout == "left")
      return Problem<Scalar, VectorScalar, Kokkos::LayoutLeft>(A, plan, options.sample_seconds)
          .measure(options.formats, options.explains);
    return Problem<Scalar, VectorScalar, Kokkos::LayoutRight>(A, plan, options.sample_seconds)
        .measure(options.formats, options.explains);
  }
}

nlohmann::json measure(const DeviceMatrix& A, const std::string& arithmetic, int columns, const Options& options) {
  Tessera::PlanOptions plan;
  plan.hints.num_vectors = columns;
  plan.tuning = Tessera::Tuning::Adaptive;  // predicts all candidates, and measures none for a single product
  plan.hints.expected_products = 1;
  if (options.is_published) plan.kernel = Tessera::Kernel::Published;
  for (const Tessera::Precision precision : Tessera::Impl::enumerators<Tessera::Precision>())
    if (to_string(precision) == arithmetic.substr(0, arithmetic.find('_'))) plan.precision = precision;
  if (arithmetic.ends_with("half")) {
    plan.half_vectors = true;
    return measure<float, Tessera::Half>(A, plan, options);
  }
  if (arithmetic == "complex_float") return measure<Kokkos::complex<float>>(A, plan, options);
  if (arithmetic == "complex_double") return measure<Kokkos::complex<double>>(A, plan, options);
  return arithmetic == "double" ? measure<double>(A, plan, options) : measure<float>(A, plan, options);
}

void run(const Options& options) {
  const Kokkos::Timer timer;
  std::ofstream file(options.output);
  if (!file) throw std::runtime_error(options.output + " cannot be written");
  for (const std::string& matrix : options.matrices) {
    const DeviceMatrix& A = matrix_of(matrix);
    for (const std::string& arithmetic : options.arithmetic) {
      for (const int columns : options.columns) {
        if (timer.seconds() > options.stop_after) return;
        if (8.0 * columns * (double(A.rows) + A.columns) > options.most_bytes) continue;
        nlohmann::json line = {{"matrix", matrix_name(matrix)},
                               {"arithmetic", arithmetic},
                               {"columns", columns},
                               {"layout", options.layout},
                               {"kernel", options.is_published ? "published" : "automatic"}};
        try {
          line.update(measure(A, arithmetic, columns, options));
        } catch (const std::exception& error) {
          std::cerr << matrix << ", " << arithmetic << ", " << columns << " columns: " << error.what() << '\n';
          continue;
        }
        file << line << std::endl;
      }
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  Options options;
  CLI::App app("Times every candidate of the automatic choice beside what the model predicts.");
  add_matrices(app, "matrices", options.matrices);
  add_columns(app, "--columns", options.columns);
  app.add_option("--arithmetic", options.arithmetic, "of values and products; half: X and Y in FP16")
      ->check(CLI::IsMember({"double", "float", "complex_double", "complex_float", "tf32x3", "tf32", "bf16", "fp16",
                             "half", "fp16_half"}));
  app.add_option("--formats", options.formats, "to measure beside the candidates");
  app.add_flag("--published", options.is_published, "measure the kernels of the formats' papers, on a GPU");
  add_layout(app, options.layout);
  app.add_flag("--explain", options.explains, "print what the plan that is chosen says");
  app.add_option("--output", options.output, "where the lines go")->required();
  app.add_option("--sample-seconds", options.sample_seconds, "that a sample takes at least, of seven");
  app.add_option("--most-bytes", options.most_bytes, "of X and Y, both of doubles; larger ones are left out");
  app.add_option("--seconds", options.stop_after, "begin no further problem after this time");
  return guarded(argv[0], [&] {
    if (!parse(app, argc, argv)) return 0;
    std::vector<NamedFile> inputs;
    for (const std::string& matrix : options.matrices) inputs.push_back({"matrices", matrix});
    check_apart(inputs, {{"--output", options.output}});
    const Kokkos::ScopeGuard kokkos;
    run(options);
    return 0;
  });
}
