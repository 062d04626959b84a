// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/parallel/CurrentBuild.hpp>
#include <tessera/parallel/TooManyPlaces.hpp>

namespace Tessera::Impl {

TooManyPlaces::TooManyPlaces(const std::string& what, std::size_t found, std::size_t most)
    : FormatTooLarge("Tessera: it needs " + std::to_string(found) + ' ' + what + "; expected at most " +
                     std::to_string(most)),
      parts_(std::max<std::size_t>(2, (found - 1) / std::max<std::size_t>(1, most) + 1)) {}

std::size_t most_places() {
  const CurrentBuild* const build = CurrentBuild::of_this_thread();
  return build == nullptr ? most_entries_of_block : build->account()->most_places();
}

void check_places(const std::string& what, std::size_t found, std::size_t most) {
  if (found > most) throw TooManyPlaces(what, found, most);
}

}  // namespace Tessera::Impl
