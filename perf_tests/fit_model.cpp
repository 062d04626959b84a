// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fits the constants of a model to results of measure_candidates, and judges the choices of the fitted model:
//   fit_model candidates.jsonl... [--arithmetic tf32x3] [--fit rows.step streamed] [--judge-only] [--predictions
//   p.jsonl] [--families families.tsv]
//
// Every second matrix, by name, is held back: constants are fitted to the other half, and the choices on both halves
// are judged. The cost of a choice is the measured time of the candidate with the fastest prediction, relative to the
// fastest candidate. Constants are varied one by one to minimise the mean of |log(predicted / measured)| of all
// candidates, plus ten times the mean log of the costs of choices, plus a small penalty for each change.
//
// With --families the printed constants are fitted to all matrices. In addition, the cost of choices for unknown
// matrices is printed: for each family of matrices, constants are fitted to all other families, and the choices on this
// family are judged. --judge-only judges the current constants by family. The file has a line for each matrix: name,
// tab, family. A matrix without a line is a family of its own.
//
// --leave-out FILE excludes measurements from fitting and judging. The file has a line for each matrix and arithmetic:
// the name, a tab, the arithmetic.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <harness/Arguments.hpp>
#include <harness/Files.hpp>
#include <harness/NamedFiles.hpp>
#include <harness/Statistics.hpp>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tessera/select/Choice.hpp>
#include <utility>
#include <vector>

#include "FittedModels.hpp"
#include "StatisticsJson.hpp"

using namespace Tessera;
using namespace Tessera::Impl;
using namespace Tessera::Impl::Benchmarks;
using namespace Tessera::Impl::Harness;

namespace {

/// Returns the cores of a device such as "OpenMP, concurrency 6"; 1 for a name without that number.
double cores_of(const std::string& device) {
  const std::string before = "concurrency ";
  const std::size_t place = device.find(before);
  return place == std::string::npos ? 1 : std::stod(device.substr(place + before.size()));
}

/// \param wanted [in] the arithmetics to read; all if empty
std::vector<Cell> read_cells(const std::vector<std::string>& files, const std::set<std::string>& wanted,
                             std::string& version) {
  std::vector<Cell> cells;
  for (const std::string& path : files) {
    for (const std::string& line : lines_of(path)) {
      const auto json = nlohmann::json::parse(line);
      const std::string arithmetic = json.at("arithmetic");
      if (!wanted.empty() && !wanted.contains(arithmetic)) continue;
      version = json.at("model");
      Cell cell{json.at("matrix"), arithmetic, json.at("device"), json.at("statistics"), {}, 1, false};
      cell.cores = cores_of(cell.device);
      for (const auto& entry : json.at("candidates")) {
        cell.candidates.push_back({{format_of(entry), entry.at("tiles"), entry.at("bytes")},
                                   entry.at("seconds"),
                                   entry.at("least"),
                                   entry.at("most"),
                                   entry.value("asked", false)});
      }
      cells.push_back(cell);
    }
  }
  if (cells.empty()) throw std::runtime_error("the files hold nothing for these arithmetics");
  return cells;
}

void hold_every_second(std::vector<Cell>& cells) {
  std::set<std::string> matrices;
  for (const Cell& cell : cells) matrices.insert(cell.matrix);
  for (Cell& cell : cells) cell.is_held = std::distance(matrices.begin(), matrices.find(cell.matrix)) % 2 == 1;
}

/// Returns the text before and after the tab of each line.
std::vector<std::pair<std::string, std::string>> read_pairs(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& line : lines_of(path)) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error(path + ": \"" + line + "\" has no tab");
    pairs.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return pairs;
}

void leave_out(const std::string& path, std::vector<Cell>& cells) {
  const auto pairs = read_pairs(path);
  const std::set<std::pair<std::string, std::string>> left_out(pairs.begin(), pairs.end());
  std::erase_if(cells, [&](const Cell& cell) { return left_out.contains({cell.matrix, cell.arithmetic}); });
  if (cells.empty()) throw std::runtime_error(path + " leaves nothing");
}

void read_families(const std::string& path, std::vector<Cell>& cells) {
  std::map<std::string, std::string> families;
  for (const auto& [matrix, family] : read_pairs(path)) families[matrix] = family;
  for (Cell& cell : cells) {
    const auto place = families.find(cell.matrix);
    cell.family = place != families.end() ? place->second : cell.matrix;
  }
}

double fastest_seconds(const Cell& cell) {
  double fastest = cell.candidates[0].seconds;
  for (const Measured& candidate : cell.candidates)
    if (!candidate.is_asked) fastest = std::min(fastest, candidate.seconds);
  return fastest;
}

/// A candidate of a choice, and its predicted time.
struct Predicted {
  const Measured* candidate;
  double seconds;
};

/// Returns the candidates from the fastest to the slowest prediction, without requested formats.
std::vector<Predicted> ranked(const Cell& cell, const FittedModel& model) {
  std::vector<Predicted> all;
  for (const Measured& candidate : cell.candidates)
    if (!candidate.is_asked) all.push_back({&candidate, model.seconds(cell, candidate.size)});
  std::stable_sort(all.begin(), all.end(),
                   [](const Predicted& a, const Predicted& b) { return a.seconds < b.seconds; });
  return all;
}

/// Returns the measured time of the candidate with the fastest prediction, relative to the fastest candidate.
double cost_of_choice(const Cell& cell, const FittedModel& model) {
  return ranked(cell, model).front().candidate->seconds / fastest_seconds(cell);
}

/// Returns the cost of choosing the fastest of the candidates that Tuning::Adaptive would measure.
double cost_of_tuned_choice(const Cell& cell, const FittedModel& model) {
  const auto all = ranked(cell, model);
  double least = all.front().candidate->seconds;
  for (std::size_t i = 1; i < std::min<std::size_t>(all.size(), 3); ++i)
    if (all[i].seconds <= model.ambiguity_ratio() * all[0].seconds) least = std::min(least, all[i].candidate->seconds);
  return least / fastest_seconds(cell);
}

/// A penalty for changes of constants, so that constants that hardly affect any time keep their values.
double penalty(const FittedModel& model) {
  double sum = 0;
  for (const auto& [name, before] : model.before) sum += std::pow(std::log(model.value(name) / before), 2);
  return 0.005 * sum;
}

/// The weight of a cell. Short products count less, because much of their time is launch latency.
double weight(const Cell& cell) {
  constexpr double some_launches = 10e-6;
  return 1 + std::log2(std::max(1.0, fastest_seconds(cell) / some_launches));
}

double loss(const std::vector<Cell>& cells, const FittedModel& model) {
  double errors = 0, costs = 0, count = 0, choices = 0;
  for (const Cell& cell : cells) {
    if (cell.is_held) continue;
    for (const Measured& candidate : cell.candidates) {
      errors += weight(cell) * std::abs(std::log(model.seconds(cell, candidate.size) / candidate.seconds));
      count += weight(cell);
    }
    costs += weight(cell) * std::log(cost_of_choice(cell, model));
    choices += weight(cell);
  }
  return errors / count + 10 * costs / choices + penalty(model);
}

/// Changes one constant after the other by ever smaller steps, while the loss decreases.
void fit(const std::vector<Cell>& cells, FittedModel& model, const std::vector<std::string>& names) {
  for (const auto& [name, constants] : model.constants) model.before[name] = model.value(name);
  double least = loss(cells, model);
  for (double step = 0.4; step > 0.01; step /= 2) {
    for (bool improves = true; improves;) {
      improves = false;
      for (const std::string& name : names) {
        for (const double factor : {std::exp(step), std::exp(-step)}) {
          const double before = model.value(name);
          model.set(name, before * factor);
          const double now = loss(cells, model);
          if (now < least - 1e-6) {
            least = now;
            improves = true;
          } else {
            model.set(name, before);
          }
        }
      }
    }
  }
}

/// The errors of predicted times, and the costs of choices.
struct Judgement {
  double sum = 0, squares = 0, residuals = 0, logs = 0, tuned_logs = 0, worst = 1;
  int times = 0, choices = 0, beyond_5 = 0, beyond_25 = 0, long_beyond_25 = 0;
  std::string where;

  void add(const Cell& cell, const FittedModel& model) {
    for (const Measured& candidate : cell.candidates) {
      const double measured = std::log(candidate.seconds);
      sum += measured;
      squares += measured * measured;
      residuals += std::pow(std::log(model.seconds(cell, candidate.size)) - measured, 2);
      ++times;
    }
    const double cost = cost_of_choice(cell, model);
    logs += std::log(cost);
    tuned_logs += std::log(cost_of_tuned_choice(cell, model));
    beyond_5 += cost > 1.05;
    beyond_25 += cost > 1.25;
    long_beyond_25 += cost > 1.25 && fastest_seconds(cell) >= 15e-6;
    if (cost > worst) {
      worst = cost;
      where = cell.matrix + ", " + std::to_string(int(cell.statistics.vector_columns)) + " columns";
    }
    ++choices;
  }

  /// The geometric mean of the costs of choices.
  double mean() const { return choices == 0 ? 1 : std::exp(logs / choices); }

  void print(const std::string& of) const {
    if (choices == 0) return;
    std::printf(
        "%s: %d choices take %.4f of the fastest (geometric mean), %d more than 1.05, %d more than 1.25 (%d of them of "
        "15 us and more), at most %.2f (%s); %.4f if ambiguous ones are measured; R^2 of log times %.4f\n",
        of.c_str(), choices, mean(), beyond_5, beyond_25, long_beyond_25, worst, where.c_str(),
        std::exp(tuned_logs / choices), 1 - residuals / (squares - sum * sum / times));
  }
};

/// \return the largest mean of all arithmetics and halves
double judge(const std::vector<Cell>& cells, const std::set<std::string>& arithmetics, const FittedModel& model) {
  double most = 1;
  for (const std::string& arithmetic : arithmetics) {
    for (const bool held : {false, true}) {
      Judgement judgement;
      for (const Cell& cell : cells)
        if (cell.arithmetic == arithmetic && cell.is_held == held) judgement.add(cell, model);
      judgement.print(arithmetic + (held ? ", held back" : ", fitted   "));
      most = std::max(most, judgement.mean());
    }
  }
  return most;
}

/// Returns the appropriate ambiguity ratio of the model: in nine of ten choices that cost more than 1.05, the predicted
/// time of the fastest candidate was less than this multiple of the chosen candidate's.
double ambiguity_ratio(const std::vector<Cell>& cells, const FittedModel& model) {
  std::vector<double> factors;
  for (const Cell& cell : cells) {
    if (cost_of_choice(cell, model) <= 1.05) continue;
    const auto all = ranked(cell, model);
    for (const Predicted& one : all)
      if (one.candidate->seconds == fastest_seconds(cell)) factors.push_back(one.seconds / all[0].seconds);
  }
  if (factors.empty()) return 1;
  std::sort(factors.begin(), factors.end());
  return factors[factors.size() * 9 / 10];
}

/// For comparison: prints the cost of always choosing the same kind of candidate.
void judge_constant_choices(const std::vector<Cell>& cells, const std::string& arithmetic) {
  std::map<std::string, GeometricMean> costs;
  for (const Cell& cell : cells) {
    if (cell.arithmetic != arithmetic) continue;
    const double fastest = fastest_seconds(cell);
    for (const Measured& candidate : cell.candidates) {
      costs[std::string(to_string(candidate.size.format))].add(candidate.seconds / fastest);
    }
  }
  for (const auto& [name, cost] : costs)
    std::printf("%s, always %s: %.3f of the fastest\n", arithmetic.c_str(), name.c_str(), cost.mean());
}

/// Writes the fields of measure_candidates, which scripts/report reads.
void write_predictions(const std::string& path, const std::vector<Cell>& cells, const FittedModel& model) {
  std::ostringstream lines;
  for (const Cell& cell : cells) {
    nlohmann::json line = {{"matrix", cell.matrix},
                           {"arithmetic", cell.arithmetic},
                           {"columns", static_cast<int>(cell.statistics.vector_columns)},
                           {"device", cell.device},
                           {"is_held_back", cell.is_held},
                           {"cost_of_choice", cost_of_choice(cell, model)}};
    for (const Measured& candidate : cell.candidates) {
      line["candidates"].push_back({{"format", to_string(candidate.size.format)},
                                    {"predicted", model.seconds(cell, candidate.size)},
                                    {"seconds", candidate.seconds},
                                    {"least", candidate.least},
                                    {"most", candidate.most}});
    }
    lines << line << '\n';
  }
  write_file(path, lines.str());
}

/// Judges the choices on each family with constants that are fitted to the other families.
///
/// \return the largest mean of all arithmetics and families
double judge_families(std::vector<Cell> cells, const std::set<std::string>& arithmetics, const std::string& version,
                      const std::vector<std::string>& names, bool judge_only) {
  std::set<std::string> families;
  for (const Cell& cell : cells) families.insert(cell.family);
  std::map<std::pair<std::string, std::string>, Judgement> judgements;
  std::map<std::string, Judgement> totals;
  for (const std::string& family : families) {
    for (Cell& cell : cells) cell.is_held = cell.family == family;
    const auto model = model_of(version, arithmetics);
    if (!judge_only) fit(cells, *model, names);
    for (const Cell& cell : cells) {
      if (!cell.is_held) continue;
      judgements[{cell.arithmetic, family}].add(cell, *model);
      totals[cell.arithmetic].add(cell, *model);
    }
  }
  double most = 1;
  for (const auto& [key, judgement] : judgements) {
    judgement.print(key.first + ", " + key.second);
    most = std::max(most, judgement.mean());
  }
  for (const auto& [arithmetic, judgement] : totals) judgement.print(arithmetic + ", all families");
  return most;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<std::string> files, names, wanted;
  std::string predictions, families, left_out;
  bool judge_only = false;
  double at_most = 1e300;
  CLI::App app("Fits the constants of a model to measured candidates, and judges the choices that they make.");
  app.add_option("files", files, "what measure_candidates wrote")->required()->check(CLI::ExistingFile);
  app.add_option("--arithmetic", wanted, "the lines to take (default: all)");
  app.add_option("--fit", names, "constants to change (default: all)");
  app.add_flag("--judge-only", judge_only, "change none");
  app.add_option("--at-most", at_most,
                 "fail if choices take more of the fastest, in the geometric mean of either half, or of a family");
  app.add_option("--families", families, "a file of matrices' families, to judge each by what the others tell")
      ->check(CLI::ExistingFile);
  app.add_option("--leave-out", left_out, "a file of matrices and arithmetics that are neither fitted to nor judged")
      ->check(CLI::ExistingFile);
  app.add_option("--predictions", predictions,
                 "a file for predicted and measured times: lines of JSON for scripts/report");
  return guarded(argv[0], [&] {
    if (!parse(app, argc, argv)) return 0;
    std::vector<NamedFile> inputs{{"--families", families}, {"--leave-out", left_out}};
    for (const std::string& file : files) inputs.push_back({"files", file});
    check_apart(inputs, {{"--predictions", predictions}});
    std::string version;
    std::vector<Cell> cells = read_cells(files, {wanted.begin(), wanted.end()}, version);
    if (!left_out.empty()) leave_out(left_out, cells);
    if (families.empty()) hold_every_second(cells);
    std::set<std::string> arithmetics;
    for (const Cell& cell : cells) arithmetics.insert(cell.arithmetic);
    const auto model = model_of(version, arithmetics);
    if (names.empty())
      for (const auto& [name, constants] : model->constants) names.push_back(name);
    for (const std::string& arithmetic : arithmetics) judge_constant_choices(cells, arithmetic);
    double cost = judge(cells, arithmetics, *model);
    if (!judge_only) {
      fit(cells, *model, names);
      for (const auto& [name, constants] : model->constants) std::printf("%s = %.4g\n", name.c_str(), *constants[0]);
      cost = judge(cells, arithmetics, *model);
    }
    std::printf("two candidates are ambiguous if predicted within %.2f of one another\n",
                ambiguity_ratio(cells, *model));
    if (!families.empty()) {
      read_families(families, cells);
      cost = std::max(cost, judge_families(cells, arithmetics, version, names, judge_only));
    }
    if (!predictions.empty()) write_predictions(predictions, cells, *model);
    if (cost <= at_most) return 0;
    std::cerr << argv[0] << ": choices take " << cost << " of the fastest; expected at most " << at_most << '\n';
    return 1;
  });
}
