// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tessera_spmm: multiplies a sparse matrix by a dense multivector, verifies the result, reports sizes and times.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>
#include <harness/Files.hpp>
#include <iostream>
#include <new>
#include <stdexcept>

#include "Options.hpp"
#include "Report.hpp"
#include "Run.hpp"

namespace {

enum Status { verified = 0, wrong = 1, failed = 2 };

using namespace Tessera::Impl::Driver;

Kokkos::InitializationSettings kokkos_settings(const Settings& settings) {
  Kokkos::InitializationSettings kokkos;
  kokkos.set_disable_warnings(true);  // suppresses Kokkos' warning about unbound threads
  if (settings.threads > 0) kokkos.set_num_threads(settings.threads);
  if (settings.device >= 0) kokkos.set_device_id(settings.device);
  return kokkos;
}

Status multiply(const Settings& settings) {
  const Kokkos::ScopeGuard kokkos(kokkos_settings(settings));
  const Result result = run(settings);
  if (!settings.json_file.empty()) write_file(settings.json_file, report_json(result));
  std::cout << report(result) << std::flush;
  if (!std::cout) throw std::runtime_error("standard output cannot be written");
  return result.verified() ? verified : wrong;
}

int fail(const char* message) {
  std::fprintf(stderr, "tessera_spmm: error: %s\n", message);
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto settings = parse_options(argc, argv);
    return settings ? multiply(*settings) : 0;
  } catch (const std::bad_alloc&) {
    return fail("out of memory; fewer --columns or a smaller matrix need less");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
