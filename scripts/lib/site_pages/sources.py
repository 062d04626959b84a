# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the checkout that are pages, and their places in the site."""
import pathlib

# Documents outside of docs, and their places in the site.
OTHERS = {
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SUPPORT.md": "support.md",
    "SECURITY.md": "security.md",
    "example/README.md": "examples/index.md",
    "tools/README.md": "tessera_spmm.md",
    "perf_tests/README.md": "benchmarks.md",
    "perf_tests/gpu/README.md": "gpu-benchmarks.md",
    "perf_tests/results/README.md": "results/index.md",
    "src/README.md": "architecture.md",
    "src/cuda/README.md": "cuda-kernels.md",
    "docs/site/index.md": "index.md",
}

# Pages that documents may link to, but that Doxygen writes.
REFERENCE = {"docs/reference/mainpage.md": "reference/index.html"}


def pictures_of(checkout):
    """Returns the pictures of documents, relative to docs and to the site: pages show them from the same place."""
    return [path.relative_to(checkout / "docs") for path in sorted((checkout / "docs").rglob("*.svg"))]


def pages_of(checkout):
    """Returns {file: page}, relative to the checkout and to the site. Sources of examples are pages that show them."""
    pages = dict(OTHERS)
    for path in sorted((checkout / "docs").rglob("*.md")):
        file = path.relative_to(checkout)
        if file.parts[1] not in ("reference", "site"):
            pages[str(file)] = str(file.relative_to("docs"))
    for path in sorted((checkout / "example").glob("*/*.[ch]pp")):
        pages[str(path.relative_to(checkout))] = f"examples/{path.stem}.md"
    for about in sorted((checkout / "perf_tests/results").glob("*/about.md")):
        pages[str(about.relative_to(checkout))] = f"results/{about.parent.name}.md"
    return pages


def listing(file, text):
    """Returns a page that shows a source."""
    lines = text.splitlines()
    while lines and (lines[0].startswith("// SPDX") or not lines[0]):
        lines.pop(0)
    return f"# {pathlib.PurePath(file).name}\n\n```cpp\n" + "\n".join(lines) + "\n```\n"
