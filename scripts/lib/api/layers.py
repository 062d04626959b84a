# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which public headers a layer may include: all layers see src/include, and compilers cannot tell the headers apart."""
import re

# The layer to which a public header belongs. Headers in a folder belong to the layer of that name.
OWNERS = {
    "Batch": "spmm",
    "BlockCg": "krylov",
    "EnumNames": "common",
    "Format": "common",
    "FormatParameters": "common",
    "FormatTooLarge": "parallel",
    "Half": "common",
    "Kernel": "common",
    "MemoryLimit": "common",
    "Mode": "common",
    "Plan": "spmm",
    "PlanFile": "spmm",
    "PlanOperator": "spmm",
    "PlanOptions": "common",
    "PlanOptionsText": "spmm",
    "Reordering": "common",
    "Spmm": "spmm",
    "SpmmWithSums": "spmm",
    "Tessera": "tessera",
    "ValueCheck": "spmm",
    "Version": "tessera",
    "Warnings": "spmm",
    "Workspace": "spmm",
}
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}
INCLUDE = re.compile(r"^#include <tessera/([\w/]+)\.hpp>", re.MULTILINE)


def dependencies(root):
    """The layers that each layer may include, itself among them: {"format": {"common", "format", "parallel"}}."""
    direct = {"tessera": {"spmm", "krylov"}}  # the target that users link
    for file in sorted(root.glob("src/**/CMakeLists.txt")):
        for name, arguments in re.findall(r"tessera_add_layer\(\s*(\w+)([^)]*)\)", file.read_text(encoding="utf-8")):
            depends = re.search(r"\bDEPENDS\b(.*?)(?=\b(?:COMPONENT|PRIVATE|SOURCES)\b|$)", arguments, re.DOTALL)
            direct[name] = set(re.findall(r"Tessera::(\w+)", depends[1])) if depends else set()

    def all_of(layer):
        return {layer}.union(*(all_of(other) for other in direct.get(layer, ())))

    return {layer: all_of(layer) for layer in direct}


def owner_of(header):
    """The layer of a public header, which is named as in an include, without its ending: "io/HostCsr"."""
    folder, _, name = header.rpartition("/")
    return folder or OWNERS.get(name)


def layer_of(path):
    """The layer that compiles a file, which is relative to src; None for tests and what may include everything."""
    parts = path.parts
    if path.stem.endswith("Test"):
        return None
    if parts[0] == "include":
        return owner_of(path.relative_to("include/tessera").with_suffix("").as_posix())
    if parts[0] == "engines":
        return "cuda" if "cuda" in parts else "spmm"
    if parts[0] == "adapters":
        return parts[1]
    return parts[0] if len(parts) > 1 else None


def violations(root):
    """A line for each include of a public header against the direction of the architecture."""
    source, allowed = root / "src", dependencies(root)
    public = {header.relative_to(source / "include/tessera").with_suffix("").as_posix()
              for header in (source / "include/tessera").rglob("*.hpp")}
    for header in sorted(public):
        if not owner_of(header):
            yield f"src/include/tessera/{header}.hpp: has no layer in OWNERS of scripts/lib/api/layers.py"
    for file in sorted(path for path in source.rglob("*") if path.suffix in SUFFIXES):
        layer = layer_of(file.relative_to(source))
        for header in INCLUDE.findall(file.read_text(encoding="utf-8")) if layer else ():
            owner = owner_of(header) if header in public else None
            if owner and owner not in allowed[layer]:
                yield (f"src/{file.relative_to(source)}: includes <tessera/{header}.hpp> of layer {owner}; "
                       f"layer {layer} may include those of {', '.join(sorted(allowed[layer]))}")
