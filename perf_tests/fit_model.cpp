// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fits the constants of a model to what measure_candidates wrote, and judges the choices that they make:
//   fit_model candidates.jsonl... [--arithmetic tf32x3] [--fit rows.step streamed] [--judge-only] [--predictions
//   p.jsonl]
//
// Every second matrix, by name, is held back: constants are fitted to the others, and the choices on both halves are
// judged. A choice costs the measured time of the candidate that is predicted to be the fastest, over that of the
// fastest. What is minimised over the constants, one after the other, is the mean of |log(predicted / measured)| of all
// candidates and of ten times the log of what choices cost, and a little for each change.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <harness/Arguments.hpp>
#include <harness/Files.hpp>
#include <harness/Statistics.hpp>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tessera/select/Choice.hpp>
#include <vector>

#include "FittedModels.hpp"
#include "StatisticsJson.hpp"

using namespace Tessera;
using namespace Tessera::Benchmarks;
using namespace Tessera::Harness;

namespace {

/// The cores of a device such as "OpenMP, concurrency 6"; 1 for a name without that number.
double cores_of(const std::string& device) {
  const std::string before = "concurrency ";
  const std::size_t place = device.find(before);
  return place == std::string::npos ? 1 : std::stod(device.substr(place + before.size()));
}

/// \param wanted [in] the arithmetics to take; all if empty
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
  std::set<std::string> matrices;
  for (const Cell& cell : cells) matrices.insert(cell.matrix);
  for (Cell& cell : cells) cell.is_held = std::distance(matrices.begin(), matrices.find(cell.matrix)) % 2 == 1;
  return cells;
}

double fastest_seconds(const Cell& cell) {
  double fastest = cell.candidates[0].seconds;
  for (const Measured& candidate : cell.candidates)
    if (!candidate.is_asked) fastest = std::min(fastest, candidate.seconds);
  return fastest;
}

/// Measured seconds of the candidate that is predicted to be the fastest, over those of the fastest.
double cost_of_choice(const Cell& cell, const FittedModel& model) {
  const Measured* chosen = nullptr;
  double least = 0;
  for (const Measured& candidate : cell.candidates) {
    if (candidate.is_asked) continue;
    const double predicted = model.seconds(cell, candidate.size);
    if (!chosen || predicted < least) chosen = &candidate, least = predicted;
  }
  return chosen->seconds / fastest_seconds(cell);
}

/// A change of a constant has to be worth it: what hardly any time depends on stays as it was.
double penalty(const FittedModel& model) {
  double sum = 0;
  for (const auto& [name, before] : model.before) sum += std::pow(std::log(model.value(name) / before), 2);
  return 0.005 * sum;
}

/// Short products count less: much of their time is that of a launch.
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

/// Changes one constant after the other by ever smaller steps, as long as that helps.
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

/// How well predicted times explain measured ones, and what choices cost.
///
/// \return the geometric mean of what they cost
double judge(const std::vector<Cell>& cells, const std::string& arithmetic, const FittedModel& model, bool held) {
  double sum = 0, squares = 0, residuals = 0, logs = 0, worst = 1;
  int times = 0, choices = 0, beyond_5 = 0, beyond_25 = 0;
  std::string where;
  for (const Cell& cell : cells) {
    if (cell.arithmetic != arithmetic || cell.is_held != held) continue;
    for (const Measured& candidate : cell.candidates) {
      const double measured = std::log(candidate.seconds);
      sum += measured;
      squares += measured * measured;
      residuals += std::pow(std::log(model.seconds(cell, candidate.size)) - measured, 2);
      ++times;
    }
    const double cost = cost_of_choice(cell, model);
    logs += std::log(cost);
    beyond_5 += cost > 1.05;
    beyond_25 += cost > 1.25;
    if (cost > worst) {
      worst = cost;
      where = cell.matrix + ", " + std::to_string(int(cell.statistics.vector_columns)) + " columns";
    }
    ++choices;
  }
  if (choices == 0) return 1;
  std::printf(
      "%s, %s: %d choices take %.4f of the fastest (geometric mean), %d more than 1.05, %d more than 1.25, at most "
      "%.2f (%s); R^2 of log times %.4f\n",
      arithmetic.c_str(), held ? "held back" : "fitted   ", choices, std::exp(logs / choices), beyond_5, beyond_25,
      worst, where.c_str(), 1 - residuals / (squares - sum * sum / times));
  return std::exp(logs / choices);
}

/// \return the largest mean of an arithmetic and a half
double judge(const std::vector<Cell>& cells, const std::set<std::string>& arithmetics, const FittedModel& model) {
  double most = 1;
  for (const std::string& arithmetic : arithmetics)
    for (const bool held : {false, true}) most = std::max(most, judge(cells, arithmetic, model, held));
  return most;
}

/// For comparison: the cost of always taking the same kind of candidate.
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

/// Writes the fields that measure_candidates writes and scripts/report reads.
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

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<std::string> files, names, wanted;
  std::string predictions;
  bool judge_only = false;
  double at_most = 1e300;
  CLI::App app("Fits the constants of a model to measured candidates, and judges the choices that they make.");
  app.add_option("files", files, "what measure_candidates wrote")->required()->check(CLI::ExistingFile);
  app.add_option("--arithmetic", wanted, "the lines to take (default: all)");
  app.add_option("--fit", names, "constants to change (default: all)");
  app.add_flag("--judge-only", judge_only, "change none");
  app.add_option("--at-most", at_most,
                 "fail if choices take more of the fastest, in the geometric mean of either half");
  app.add_option("--predictions", predictions,
                 "a file for predicted and measured times: lines of JSON for scripts/report");
  return guarded(argv[0], [&] {
    if (!parse(app, argc, argv)) return 0;
    std::string version;
    const std::vector<Cell> cells = read_cells(files, {wanted.begin(), wanted.end()}, version);
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
    if (!predictions.empty()) write_predictions(predictions, cells, *model);
    if (cost <= at_most) return 0;
    std::cerr << argv[0] << ": choices take " << cost << " of the fastest; expected at most " << at_most << '\n';
    return 1;
  });
}
