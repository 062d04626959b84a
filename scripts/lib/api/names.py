# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names that headers declare for users: macros, and what is in the namespace Tessera itself.

Understands headers in the style of this repository, no more of C++ than they need: a name is declared at the first
place where it is followed by what ends a declarator. Explicit specializations, members that are defined outside their
class and deduction guides declare no name. A namespace other than Impl is a name.
"""
import re

IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
NESTED = re.compile(r"^namespace Tessera::(?!Impl\b)(\w+)", re.MULTILINE)
MACRO = re.compile(r"^#define (TESSERA_\w+)", re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
NAMESPACE = re.compile(r"namespace (\w+)")
CLASS = re.compile(r"(?:class|struct|union|enum(?: class| struct)?) ([\w:]+)")
ALIAS = re.compile(r"(?:using|concept) (\w+) =")
DECLARATOR = re.compile(r"(operator *[^\w\s(]+|operator *\(\)|[\w:~]+) *(?=[(={;[])")


def public_names(text):
    """The names that the text of one header declares: {"Plan", "spmm", "TESSERA_VERSION"}."""
    text = IGNORED.sub("", text)
    names = set(MACRO.findall(text) + NESTED.findall(text))
    for declaration in declarations(DIRECTIVE.sub("", text), "Tessera"):
        name = declared_name(declaration)
        if name:
            names.add(name)
    return names


def declarations(text, namespace):
    """What stands directly in a namespace of the outermost scope: declarations, with {} for all that is in braces."""
    for opening in re.finditer(rf"^namespace {namespace} {{", text, re.MULTILINE):
        declaration, depth = "", 0
        for character in text[opening.end():]:
            depth -= character == "}"
            if depth < 0:
                break
            if depth == 0:
                declaration += character
                if character == ";" or (character == "}" and ends_with_body(declaration)):
                    yield " ".join(declaration.split())
                    declaration = ""
            if character == "{":
                declaration += character if depth == 0 and not declaration.endswith("{") else ""
                depth += 1


def ends_with_body(declaration):
    """Whether the braces at the end are those of a function or a namespace: no semicolon follows them."""
    head = without_templates(" ".join(declaration.split()))
    if head.startswith("namespace"):
        return True
    is_function = "(" in head and "=" not in head.split("(")[0] and not CLASS.match(head)
    return is_function and head.count("(") == head.count(")")


def declared_name(declaration):
    """The name of a declaration; None if it declares no name of its own."""
    if declaration.startswith("template <>"):
        return None
    head = without_templates(declaration)
    if head.startswith((";", "namespace Impl ", "static_assert", "extern ", "using namespace ")):
        return None
    if re.match(r"\w+\(.*\) ?-> ", head):
        return None  # a deduction guide
    found = NAMESPACE.match(head) or CLASS.match(head) or ALIAS.match(head) or DECLARATOR.search(head)
    return found[1] if found and "::" not in found[1] else None


def without_templates(declaration):
    """A declaration without what stands in angle brackets, and without template, requires and attributes."""
    rest = re.sub(r"\[\[.*?\]\] *", "", declaration)
    while re.search(r"<[^<>]*>", rest):
        rest = re.sub(r"<[^<>]*>", "", rest)
    rest = re.sub(r"^(template *)+", "", rest.strip())
    if rest.startswith("requires("):
        rest = rest[rest.index("(") + len(balanced(rest, "(", ")")):]
    return rest.strip()


def balanced(text, opening, closing):
    """The part of a text from its first opening bracket to the one that closes it."""
    start, depth = text.index(opening), 0
    for place in range(start, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if depth == 0:
            return text[start:place + 1]
    raise ValueError(f"'{closing}' is missing after {text[start:start + 60]}")


# The sections of the list in docs/releases.md: a folder of headers, and the words that begin its line.
FOLDERS = {"": "Core", "io": "Io", "kokkos_kernels": "KokkosKernels", "tpetra": "Tpetra"}
LIST = re.compile(r"<!-- public names -->\n(.*?)<!-- end of public names -->", re.DOTALL)


def declared_names(root):
    """The names that the public headers declare, with the header of each: {"Core": {"Plan": "Plan.hpp"}}."""
    found = {section: {} for section in FOLDERS.values()}
    for header in sorted((root / "src/include/tessera").rglob("*.hpp")):
        folder = header.relative_to(root / "src/include/tessera").parent.as_posix()
        section = FOLDERS.get("" if folder == "." else folder)
        if section is None:
            raise ValueError(f"{header}: scripts/lib/api/names.py does not know the folder {folder} of public headers")
        for name in public_names(header.read_text(encoding="utf-8")):
            found[section].setdefault(name, header.name)
    return found


def promised_names(root):
    """The names that docs/releases.md promises: {"Core": {"Plan"}}."""
    found = LIST.search((root / "docs/releases.md").read_text(encoding="utf-8"))
    if not found:
        raise ValueError("docs/releases.md: has no list between <!-- public names --> and <!-- end of public names -->")
    promised = {section: set() for section in FOLDERS.values()}
    for row in re.findall(r"^\| (\w+) \|(.*)\|$", found[1], re.MULTILINE):
        if row[0] in promised:
            promised[row[0]].update(re.findall(r"`(\w+)`", row[1]))
    return promised


def differences(root):
    """A line for each name that the headers or the document lack."""
    declared, promised = declared_names(root), promised_names(root)
    for section, names in declared.items():
        for name in sorted(names.keys() - promised[section]):
            yield (f"{names[name]} declares {name}, which docs/releases.md does not promise ({section}): "
                   "add it there, or move it to the namespace Impl")
        for name in sorted(promised[section] - names.keys()):
            yield f"docs/releases.md promises {name} ({section}), which no public header declares"
