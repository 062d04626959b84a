// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Report.hpp"

#include <harness/Statistics.hpp>
#include <harness/TextFormat.hpp>
#include <map>
#include <tuple>

#include "Peers.hpp"

namespace Tessera::Impl::Bench {

using namespace Harness;

namespace {

std::string class_of(const std::string& precision) { return precision == "tf32x3" ? "fp32" : precision; }

/// Returns the fastest correct kernel, or null. TF32, FP16 and BF16 are compared with cuSPARSE in FP32.
const KernelResult* best(const ProblemResult& problem, const std::string& precision_class, bool cusparse) {
  const KernelResult* fastest = nullptr;
  for (const KernelResult& kernel : problem.kernels) {
    const bool same_class = class_of(kernel.precision) == precision_class || (cusparse && !problem.is_double);
    if (kernel.cusparse != cusparse || !kernel.right || kernel.times.median <= 0 || !same_class) continue;
    if (!fastest || kernel.times.median < fastest->times.median) fastest = &kernel;
  }
  return fastest;
}

const Peer* peer_of(const ProblemResult& problem) {
  const auto found = peers().find({problem.matrix, problem.columns});
  if (found == peers().end() || problem.layout != Layout::Right) return nullptr;
  return problem.is_double ? &found->second.double_precision : &found->second.single_precision;
}

struct Means {
  GeometricMean cusparse, peer, floor;
};

std::string ratio(double above, double below, GeometricMean& mean) {
  if (above <= 0 || below <= 0) return "       -";
  mean.add(above / below);
  return text_format("%8.2f", above / below);
}

std::string table_line(const ProblemResult& problem, const std::string& precision_class, Means& means) {
  const KernelResult* ours = best(problem, precision_class, false);
  const KernelResult* cusparse = best(problem, precision_class, true);
  if (!ours && !cusparse) return "";
  const Peer* peer = peer_of(problem);
  const double own_ms = ours ? ours->times.median : 0, cusparse_ms = cusparse ? cusparse->times.median : 0;
  const std::string matrix = problem.matrix + (problem.order == "natural" ? "" : "+" + problem.order);
  std::string line = text_format("%-22s %4d %-5s %9.4f %9.4f", matrix.c_str(), problem.columns, precision_class.c_str(),
                                 cusparse_ms, own_ms);
  line += ratio(cusparse_ms, own_ms, means.cusparse) + ratio(peer ? peer->ms : 0, own_ms, means.peer) +
          ratio(problem.floor_ms, own_ms, means.floor);
  return line + "  " + (ours ? ours->kernel : "none is right") +
         (ours && !ours->deterministic ? " (not deterministic)" : "") + "\n";
}

/// Returns a line for each kernel that failed: the first failure, and the number of failures.
std::string failures(const Results& results) {
  std::map<std::string, std::pair<std::string, int>> first;
  for (const ProblemResult& problem : results.problems) {
    for (const KernelResult& kernel : problem.kernels) {
      if (kernel.right && (kernel.deterministic || kernel.cusparse)) continue;
      auto& [text, count] = first[kernel.kernel + " (" + kernel.precision + ")"];
      if (count++ > 0) continue;
      text = problem.matrix + ", " + std::to_string(problem.columns) + " columns: ";
      text += kernel.right ? "not deterministic" : kernel.message;
    }
  }
  std::string lines;
  for (const auto& [kernel, failure] : first) {
    lines += "FAIL ";
    lines += kernel + ", " + std::to_string(failure.second) + " times; " + failure.first + "\n";
  }
  return lines;
}

}  // namespace

std::string report_table(const Results& results) {
  std::string text = failures(results);
  text += "\nbest times in ms; how many times faster than cuSPARSE and the best peer; floor / time\n";
  text += text_format("%-22s %4s %-5s %9s %9s%8s%8s%8s  %s\n", "matrix", "N", "class", "cuSPARSE", "ours", "/cuSP",
                      "/peer", "floor", "kernel");
  std::map<std::tuple<std::string, std::string, int>, Means> means;  // keyed by order, class and columns
  for (const std::string precision_class : {"fp64", "fp32", "tf32", "fp16", "bf16"}) {
    for (const ProblemResult& problem : results.problems) {
      if (problem.is_double != (precision_class == "fp64")) continue;
      const bool own_cusparse = precision_class == "fp64" || precision_class == "fp32";
      if (!own_cusparse && !best(problem, precision_class, false)) continue;
      text += table_line(problem, precision_class, means[{problem.order, precision_class, problem.columns}]);
    }
  }
  text += "geometric means\n";
  for (const auto& [key, mean] : means) {
    text += text_format("%-22s %4d %-5s %9s %9s%8.2f%8.2f%8.2f\n", std::get<0>(key).c_str(), std::get<2>(key),
                        std::get<1>(key).c_str(), "", "", mean.cusparse.mean(), mean.peer.mean(), mean.floor.mean());
  }
  return text;
}

}  // namespace Tessera::Impl::Bench
