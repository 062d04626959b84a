// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpu_rates: measures a GPU in loops that only gather, only copy or only multiply. See README.md.
#include <cstdio>
#include <harness/Arguments.hpp>
#include <harness/Files.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "CopyRate.hpp"
#include "Device.hpp"
#include "Rate.hpp"

namespace {

using namespace Tessera::Impl::Bench;
using namespace Tessera::Impl::Harness;

void print_gathers(const std::vector<Rate>& rates, const std::string& what) {
  std::set<int> rows, sizes;
  for (const Rate& rate : rates) {
    rows.insert(rate.row_bytes);
    sizes.insert(rate.x_megabytes);
  }
  std::printf("\n%s, TB/s\n%-18s", what.c_str(), "row bytes \\ MiB");
  for (const int size : sizes) std::printf("%8d", size);
  for (const int row : rows) {
    std::printf("\n%-18d", row);
    for (const int size : sizes) {
      for (const Rate& rate : rates) {
        if (rate.what == what && rate.row_bytes == row && rate.x_megabytes == size) std::printf("%8.2f", rate.rate);
      }
    }
  }
  std::printf("\n");
}

void write_json(const std::string& path, const Machine& machine, const std::vector<Rate>& rates) {
  nlohmann::ordered_json json = {{"gpu", machine.gpu},
                                 {"driver_cuda", machine.driver},
                                 {"cuda", machine.runtime},
                                 {"multiprocessors", machine.multiprocessors},
                                 {"copy_gb_per_s", machine.copy_gb_per_s},
                                 {"rates", nlohmann::ordered_json::array()}};
  for (const Rate& rate : rates) {
    json["rates"].push_back(
        {{"what", rate.what}, {"row_bytes", rate.row_bytes}, {"x_mib", rate.x_megabytes}, {"tera_per_s", rate.rate}});
  }
  write_file(path, json.dump(1) + "\n");
}

int measure_all(const std::string& json_file, bool quick) {
  Machine machine = describe_machine();
  const std::vector<std::string> wrong = check_fragments();
  for (const std::string& line : wrong) std::printf("%s\n", line.c_str());
  if (wrong.empty()) std::printf("fragments of all products are as described\n");
  machine.copy_gb_per_s = copy_rate_gb_per_s();
  std::printf("%s: copy %.0f GB/s\n", machine.gpu.c_str(), machine.copy_gb_per_s);
  std::vector<Rate> rates = arithmetic_rates(quick);
  std::printf("\nTFLOP/s\n");
  for (const Rate& rate : rates) std::printf("%-22s %8.1f\n", rate.what.c_str(), rate.rate);
  const std::vector<Rate> gathers = gather_rates(quick);
  for (const char* what : {"gather: loads", "gather: cp.async", "gather: bulk copies"}) print_gathers(gathers, what);
  rates.insert(rates.end(), gathers.begin(), gathers.end());
  if (!json_file.empty()) write_json(json_file, machine, rates);
  return wrong.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string json_file;
  bool quick = false;
  CLI::App app("Measures gathers, copies and products in registers on a GPU.", "gpu_rates");
  app.add_option("--json", json_file, "write everything for machines");
  app.add_flag("--quick", quick, "shorter measurements");
  return guarded("gpu_rates: error", [&] { return parse(app, argc, argv) ? measure_all(json_file, quick) : 0; });
}
