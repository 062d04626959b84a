# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the text of a document into a page: links lead to pages, and names of the library to its reference."""
import posixpath
import re

FENCE = re.compile(r"^ *```")
# Matches code, which holds no links, or a link (no picture) with its text.
PARTS = re.compile(r"(?P<link>(?<!!)\[(?P<text>[^][]*)\]\((?P<target>[^) ]+)\))|(?P<code>`[^`]+`)")
# Names that Tpetra has, too.
AMBIGUOUS = {"CrsMatrix", "apply"}


class Pages:
    """pages: {file: page}, more: the same for generated pages; names: {name of the library: place in the
    reference}."""

    def __init__(self, checkout, pages, more, names):
        self.checkout, self.pages, self.places, self.names = checkout, pages, {**pages, **more}, names

    def page(self, file, text):
        """Returns the text of the page of a document."""
        result, prose = [], []
        in_code = False
        for line in text.splitlines():
            if FENCE.match(line):
                result += self.prose(file, prose) + [line]
                prose, in_code = [], not in_code
            elif in_code:
                result.append(line)
            else:
                prose.append(line)
        return "\n".join(result + self.prose(file, prose)) + "\n"

    def prose(self, file, lines):
        """Converts lines that are no code. A list gets an empty line before it, which the generator needs."""
        spaced = []
        for number, line in enumerate(lines):
            before = lines[number - 1] if number else ""
            if line.startswith("- ") and before.strip() and not before.startswith(("- ", "  ")):
                spaced.append("")
            spaced.append(line)
        text = "\n".join(spaced)
        return PARTS.sub(lambda part: self.part(file, part, text), text).split("\n") if lines else []

    def part(self, file, part, text):
        if part["link"]:
            return self.link(file, part)
        line = text[text.rfind("\n", 0, part.start()) + 1:part.end()]
        place = None if line.startswith(("#", "    ")) else self.place_of(file, part["code"][1:-1])
        return f"[{part['code']}]({self.relative(file, place)})" if place else part["code"]

    def link(self, file, part):
        target, hash_sign, heading = part["target"].partition("#")
        if not target or ":" in target:
            return part["link"]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
        if target in self.places:
            return f"[{part['text']}]({self.relative(file, self.places[target])}{hash_sign}{heading})"
        if not (self.checkout / target).exists():
            raise ValueError(f"{file} links to {part['target']}: there is no such file")
        return part["text"]  # a file of the checkout that is not in the site

    def relative(self, file, place):
        return posixpath.relpath(place, posixpath.dirname(self.pages[file]) or ".")

    def place_of(self, file, code):
        """Returns the place of the name in the reference, or None. Considers only documents for users: there, a name
        without a namespace is the library's."""
        if not file.startswith(("docs/", "README")):
            return None
        name = re.sub(r"\(.*\)$", "", code)
        if name in AMBIGUOUS:
            return None
        for variable, type_name in (("plan.", "Plan::"), ("options.", "PlanOptions::")):
            if name.startswith(variable):
                name = type_name + name[len(variable):]
        return self.names.get(name) or self.names.get(f"Tessera::{name}")
