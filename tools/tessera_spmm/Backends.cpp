// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Backends.hpp"

#include "ForEachBackend.hpp"

namespace Tessera::Driver {

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for_each_backend([&](const char* name, auto) { names.emplace_back(name); });
  return names;
}

std::string default_backend() {
  std::string found;
  for_each_backend([&]<class ExecutionSpace>(const char* name, std::type_identity<ExecutionSpace>) {
    if (std::is_same_v<ExecutionSpace, Kokkos::DefaultExecutionSpace>) found = name;
  });
  return found;
}

}  // namespace Tessera::Driver
