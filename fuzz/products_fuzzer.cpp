// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares formats with the reference: the bytes choose a small matrix, a plan for it, products, new values, files.
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "RandomProduct.hpp"

namespace {

using namespace Tessera::Impl::Test;

#ifdef KOKKOS_ENABLE_SERIAL
using Exec = Kokkos::Serial;
#else
using Exec = Kokkos::DefaultHostExecutionSpace;
#endif

/// Runs a case and returns whether it passes; prints its steps if `is_told`.
bool holds(const std::uint8_t* data, std::size_t size, bool is_told) {
  Choices choices(data, size);
  Story story(is_told);
  std::string wrong;
  try {
    check_random_product<Exec>(choices, CaseSizes{70, 160, 17}, {}, story);
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  if (is_told) std::fprintf(stderr, "%sdoes not hold: %s\n", story.text().c_str(), wrong.c_str());
  return wrong.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (holds(data, size, false)) return 0;
  holds(data, size, true);
  std::abort();
}
