// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// endless_writer plan|tuning|binary PATH: alternately writes two files to PATH until it is killed (InterruptedTest).
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "WrittenFiles.hpp"

int main(int argc, char** argv) {
  using namespace Tessera::Impl::Test;
  if (argc != 3) return 2;
  const std::string kind = argv[1], path = argv[2];
  try {
    Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_num_threads(1).set_disable_warnings(true));
    const WrittenFiles files;
    for (int i = 0;; ++i) {
      files.write(kind, path, i % 2);
      if (i == 1) static_cast<void>(std::puts("both written") + std::fflush(stdout));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "endless_writer: %s\n", error.what());
    return 1;
  }
}
