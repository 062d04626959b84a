// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose plans and workspaces outlive Kokkos, in static variables and elsewhere (but not with "none"). Exits
// with 0 if later uses are rejected and destructors do not end the program. With "handled", the warning must reach a
// handler; with "dropped", there is no handler.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/Spmm.hpp>
#include <tessera/Warnings.hpp>
#include <tessera/spmm/impl/Workspaces.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using PlanType = Tessera::Plan<double, Exec>;

static PlanType static_plan;
static Tessera::Workspace<Exec> static_workspace;
static Tessera::Impl::Workspaces<Exec> static_workspaces;
static int handled = 0;

/// A plan of the identity, 5 x 5.
static PlanType identity() {
  const Kokkos::View<int*, Exec::memory_space> offsets("offsets", 6), columns("columns", 5);
  const Kokkos::View<double*, Exec::memory_space> values("values", 5);
  const auto host_offsets = Kokkos::create_mirror_view(offsets), host_columns = Kokkos::create_mirror_view(columns);
  for (int i = 0; i < 6; ++i) host_offsets(i) = i;
  for (int i = 0; i < 5; ++i) host_columns(i) = i;
  Kokkos::deep_copy(offsets, host_offsets);
  Kokkos::deep_copy(columns, host_columns);
  Kokkos::deep_copy(values, 1.0);
  return Tessera::make_plan(Exec(), 5, 5, offsets, columns, values);
}

template <class Call>
static bool is_rejected(const char* what, const Call& call) {
  try {
    call();
  } catch (const std::logic_error& error) {
    if (std::string(error.what()).find("Kokkos::finalize() freed this plan") != std::string::npos) return true;
    std::printf("%s: %s\n", what, error.what());
    return false;
  }
  std::printf("%s: no error\n", what);
  return false;
}

/// Tests that a handler may use objects that Kokkos::finalize() does not free, such as a copy of a plan.
static void take_warning(std::string_view warning) {
  const PlanType copy = static_plan;
  const Tessera::Workspace<Exec> workspace;
  handled += warning.starts_with("2 plans (");
}

int main(int argc, char* argv[]) {
  const std::string_view what = argc < 2 ? "" : argv[1];
  const bool leaves_some = what != "none" && what != "one";
  if (what == "handled") Tessera::set_warning_handler(&take_warning);
  if (what == "dropped") Tessera::set_warning_handler(nullptr);
  Kokkos::initialize(argc, argv);
  auto plan = std::make_unique<PlanType>(identity());
  auto workspace = plan->prepare(Kokkos::Experimental::partition_space(Exec(), 1, 1)[1], 4, Tessera::Mode::Transpose);
  if (leaves_some) {
    static_plan = identity();
    static_workspace = static_plan.prepare(Exec(), 8, Tessera::Mode::NoTranspose);
    static_workspaces.get(Exec(), static_plan, Tessera::Mode::NoTranspose, 3);
    const Kokkos::View<double**, Exec> X("X", 5, 3), Y("Y", 5, 3);
    Tessera::spmm(static_plan, X, Y);  // in scratch memory that the plan keeps
  } else {
    if (what == "none") plan.reset();
    workspace = {};
  }
  Kokkos::finalize();
  if (!leaves_some) return 0;
  bool is_right = handled == (what == "handled");
  is_right = is_rejected("rows", [&] { static_cast<void>(plan->rows()); }) && is_right;
  is_right = is_rejected("explain", [&] { static_plan.explain(); }) && is_right;
  is_right = is_rejected("stats", [&] { static_plan.stats(); }) && is_right;
  // Kokkos ends a program that makes an instance now, hence the plan must be checked first.
  const Kokkos::View<double**, Exec, Kokkos::MemoryUnmanaged> X(nullptr, 5, 3);
  is_right = is_rejected("spmm", [&] { Tessera::spmm(static_plan, X, X); }) && is_right;
  is_right = is_rejected("spmm", [&] { Tessera::spmm(static_plan, Tessera::Mode::Transpose, 1, X, 0, X); }) && is_right;
  is_right = static_workspace.bytes() == 0 && Tessera::Impl::Access::data(static_workspace) == nullptr && is_right;
  const PlanType copy = static_plan;
  plan.reset();
  workspace = {};
  return is_right ? 0 : 1;
}
