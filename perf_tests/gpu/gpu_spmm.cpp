// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpu_spmm: checks and times products of sparse matrices with row-major multivectors on a GPU. See README.md.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <harness/Arguments.hpp>
#include <harness/Files.hpp>

#include "CopyRate.hpp"
#include "Measure.hpp"
#include "Report.hpp"
#include "RowOrder.hpp"

namespace {

using namespace Tessera::Impl::Bench;
using namespace Tessera::Impl::Harness;

enum Status { all_right = 0, some_wrong = 1, failed = 2, device_lost = 3 };

bool has_wrong_kernel(const Results& results) {
  for (const ProblemResult& problem : results.problems) {
    for (const KernelResult& kernel : problem.kernels) {
      if (!kernel.cusparse && !(kernel.right && kernel.deterministic)) return true;
    }
  }
  return false;
}

Status measure_all(const Options& options) {
  const Kokkos::ScopeGuard kokkos;
  Results results;
  results.machine = describe_machine();
  results.machine.copy_gb_per_s = copy_rate_gb_per_s();
  std::printf("%s, %d multiprocessors, copy %.0f GB/s\n", results.machine.gpu.c_str(), results.machine.multiprocessors,
              results.machine.copy_gb_per_s);
  Status status = all_right;
  const auto write_json = [&] {
    if (!options.json_file.empty()) write_file(options.json_file, report_json(results));
  };
  try {
    for (const std::string& name : options.matrices) {
      const NamedMatrix natural = load_matrix(name);
      for (const std::string& order : options.orders) {
        std::printf("%s, %s order: %d x %d, %zu nonzeros\n", natural.name.c_str(), order.c_str(), natural.matrix.rows,
                    natural.matrix.columns, natural.matrix.values.size());
        measure({natural.name, with_row_order(natural, order)}, order, options, results);
        write_json();
      }
    }
  } catch (const DeviceLost& error) {
    std::printf("%s\n", error.what());
    status = device_lost;
  }
  write_json();
  std::printf("%s%s", report_table(results).c_str(), family_tables(results).c_str());
  if (status == device_lost) {  // Kokkos::finalize would abort
    std::fflush(stdout);
    std::_Exit(status);
  }
  if (status == all_right && has_wrong_kernel(results)) status = some_wrong;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return guarded("gpu_spmm: error", [&]() -> int {
    const auto options = parse_options(argc, argv);
    if (!options) return all_right;
    return measure_all(*options);
  });
}
