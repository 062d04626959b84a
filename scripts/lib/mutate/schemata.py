# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sources with many mutants, one of which the environment switches on: `(on<17>() ? mutated : original)`."""

import collections

PARTS = ["CMakeLists.txt", "cmake", "src", "unit_tests", "example", "tools", "fuzz", "LICENSE"]
HEADER_NAME = "TesseraMutant.hpp"
MOST = 1 << 17  # upper bound on numbers; there are about 2^15 places
FIRST_NAME = "TesseraFirst.hpp"  # included first: the header, or a precompiled one with it
HEADER = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included first by every source. TESSERA_MUTANT is the number of the mutant to switch on. The numbers of those that
// are executed are appended to the file in TESSERA_MUTANT_SEEN.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace TesseraMutant {

struct State {
  static constexpr int most = @most@;
  int active = 0;
  const char* file = nullptr;
  unsigned char seen[most] = {};

  State() {
    const char* const number = std::getenv("TESSERA_MUTANT");
    active = number == nullptr ? 0 : std::atoi(number);
    file = std::getenv("TESSERA_MUTANT_SEEN");
  }

  ~State() {
    if (file == nullptr) return;
    std::FILE* const stream = std::fopen(file, "a");
    if (stream == nullptr) return;
    for (int id = 0; id < most; ++id) {
      if (seen[id] != 0) std::fprintf(stream, "%d\\n", id);
    }
    std::fclose(stream);
  }
};
inline State state;

// Tells in the program's list of symbols that the mutant was compiled.
template <int Id>
inline volatile unsigned char compiled;

template <int Id>
[[gnu::always_inline]] constexpr inline bool on() {
  static_assert(Id < State::most);
  if (__builtin_is_constant_evaluated()) return false;
  if (state.file != nullptr) {
    __atomic_store_n(&state.seen[Id], 1, __ATOMIC_RELAXED);
    compiled<Id> = 1;
  }
  return state.active == Id;
}

}  // namespace TesseraMutant
""".replace("@most@", str(MOST))


def edits(mutant):
    """Returns the replacements: [(begin, end, text)]."""
    on = f"::TesseraMutant::on<{mutant.id}>()"
    site = mutant.site
    if site.kind == "statement":
        return [(site.begin, site.begin, f"{{ if (!{on}) "), (site.end, site.end, " }")]
    if site.kind == "condition":
        return [(site.begin, site.begin, f"({on} != bool("), (site.end, site.end, "))")]
    if site.kind == "other statement":
        return [(site.begin, site.end, f"{{ if ({on}) {{ {site.mutated} }} else {{ {site.original} }} }}")]
    return [(site.begin, site.end, f"({on} ? ({site.mutated}) : ({site.original}))")]


def exclude_each_other(a, b):
    """Returns whether two sites of a file cannot be mutated in one copy."""
    for first in edits_of_site(a):
        for second in edits_of_site(b):
            if first[0] <= second[1] and second[0] <= first[1]:
                return True
    return False


def edits_of_site(site):
    if site.kind in ("statement", "condition"):
        return [(site.begin, site.begin), (site.end, site.end)]
    return [(site.begin, site.end)]


def fits(checkout, mutant):
    """Returns whether the source still has the text that the mutant changes at its place."""
    path, site = checkout / mutant.site.file, mutant.site
    return path.exists() and path.read_bytes()[site.begin : site.end] == site.original.encode("latin-1")


def rewrite(text, mutants):
    """Returns (the text with all these mutants, [(first line, last line, id)] in it)."""
    parts, lines, end, line = [], [], 0, 1
    for begin, stop, new, number in sorted((*edit, mutant.id) for mutant in mutants for edit in edits(mutant)):
        parts += [text[end:begin], new.encode("latin-1")]
        line += text[end:begin].count(b"\n")
        lines.append((line, line + new.count("\n"), number))
        line += new.count("\n")
        end = stop
    parts.append(text[end:])
    return b"".join(parts), lines


def _write(target, text):
    if not target.exists() or target.read_bytes() != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)


def write_copy(checkout, copy, mutants):
    """Updates the copy to the checkout with these mutants. Writes only files that change, to keep builds incremental.
    Returns {file: lines of mutants}."""
    by_file = collections.defaultdict(list)
    for mutant in mutants:
        by_file[mutant.site.file].append(mutant)
    places = {}
    for part in PARTS:
        top = checkout / part
        names = {str(path.relative_to(checkout)) for path in [top, *top.rglob("*")] if path.is_file()}
        for file in sorted(names):
            text, places[file] = rewrite((checkout / file).read_bytes(), by_file[file])
            _write(copy / file, text)
        for path in (copy / part).rglob("*"):
            if path.is_file() and str(path.relative_to(copy)) not in names:
                path.unlink()
    _write(copy / HEADER_NAME, HEADER.encode())
    _write(copy / FIRST_NAME, f'#include "{HEADER_NAME}"\n'.encode())
    return places


def blamed(places, errors, copy):
    """Returns the mutants in whose lines (file, line) pairs lie."""
    found = set()
    for file, line in errors:
        name = file[len(str(copy)) + 1 :] if file.startswith(str(copy)) else file
        found |= {number for first, last, number in places.get(name, ()) if first <= line <= last}
    return found
