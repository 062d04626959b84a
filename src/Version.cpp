// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/Version.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/select/GpuModel.hpp>

#include "Commit.hpp"

namespace Tessera {

namespace {

static_assert(std::string_view(TESSERA_VERSION_STRING) == TESSERA_PROJECT_VERSION,
              "Version.hpp has another version than project() in CMakeLists.txt");

/// The words of a text that has a comma between each two.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<std::string_view> names_of_execution_spaces() {
  std::vector<std::string_view> names;
#define TESSERA_ADD_NAME(Exec, ...) names.push_back(Exec::name());
  TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_ADD_NAME, )
#undef TESSERA_ADD_NAME
  return names;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text.empty() ? "none" : text;
}

}  // namespace

Version version() {
  return {.major = TESSERA_VERSION_MAJOR,
          .minor = TESSERA_VERSION_MINOR,
          .patch = TESSERA_VERSION_PATCH,
          .commit = Impl::commit,
          .scalars = words_of(TESSERA_BUILT_SCALARS),
          .execution_spaces = names_of_execution_spaces(),
          .components = words_of(TESSERA_BUILT_COMPONENTS),
          .gpu_model = Impl::GpuModel::version,
          .kokkos = TESSERA_BUILT_KOKKOS,
          .compiler = TESSERA_BUILT_COMPILER " " TESSERA_BUILT_COMPILER_VERSION};
}

std::string to_string(const Version& version) {
  const auto number = [](int n) { return std::to_string(n); };
  std::string text =
      "Tessera " + number(version.major) + "." + number(version.minor) + "." + number(version.patch) + "\n";
  text.append("commit: ").append(version.commit);
  text.append("\nscalars: ").append(joined(version.scalars));
  text.append("\nexecution spaces: ").append(joined(version.execution_spaces));
  text.append("\ncomponents: ").append(joined(version.components));
  text.append("\nGPU model: ").append(version.gpu_model);
  text.append("\nKokkos: ").append(version.kokkos);
  return text.append("\ncompiler: ").append(version.compiler);
}

}  // namespace Tessera
