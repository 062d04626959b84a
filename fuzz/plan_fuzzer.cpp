// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <tessera/PlanFile.hpp>
#include <tessera/Spmm.hpp>

#include "FuzzCheck.hpp"
#include "PlanFileBytes.hpp"

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Tessera::Mode;
using Plan = Tessera::Plan<double, Exec>;

constexpr int most_rows = 10000;  // of X and Y, and of values: above every honest input

void multiply(Plan& plan, Mode mode, int columns) {
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;
  const bool is_transposed = mode == Mode::Transpose;
  const View x("x", is_transposed ? plan.rows() : plan.columns(), columns);
  const View y("y", is_transposed ? plan.columns() : plan.rows(), columns);
  auto work = plan.prepare(Exec(), columns, mode);
  spmm(Exec(), plan, work, mode, 1.0, x, 0.0, y);
}

/// Checks that a loaded plan multiplies, accepts new values, and can be saved.
void check(std::string_view bytes) {
  auto plan = Tessera::Impl::parse_plan<double>(Exec(), bytes, "input");
  const std::string path = scratch_file();
  save_plan(Exec(), plan, path);
  const auto back = Tessera::load_plan<double>(Exec(), path);
  std::remove(path.c_str());
  require(back.explain() == plan.explain(), "what was saved is loaded the same");
  if (std::max(plan.rows(), plan.columns()) > most_rows) return;
  multiply(plan, Mode::NoTranspose, 5);
  const std::size_t entries = Tessera::Impl::Test::source_entries(bytes);
  if (entries <= most_rows && plan.slot_map_bytes() > 0)
    plan.update_values(Exec(), Kokkos::View<double*, Exec>("values", entries));
  multiply(plan, Mode::Transpose, 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  allow_rejection([&] { check(bytes); });
  // Most inputs of the fuzzer have wrong checksums, and would not get past them.
  allow_rejection([&] { check(Tessera::Impl::Test::with_right_checksums(bytes)); });
  return 0;
}
