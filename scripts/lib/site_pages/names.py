# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of the library, from the tag file that Doxygen writes."""
import xml.etree.ElementTree


def read_names(tag_file):
    """{"Tessera::PlanOptions::columns": "reference/structTessera_1_1PlanOptions.html#a1"}; of overloads, the first."""
    names = {}
    for compound in xml.etree.ElementTree.parse(tag_file).getroot():
        if compound.get("kind") not in ("class", "struct", "namespace"):
            continue
        scope = compound.findtext("name")
        if compound.get("kind") != "namespace":
            names.setdefault(scope, f"reference/{compound.findtext('filename')}")
        for member in compound.findall("member"):
            name = f"{scope}::{member.findtext('name')}"
            names.setdefault(name, place(member.findtext("anchorfile"), member.findtext("anchor")))
            for value in member.findall("enumvalue"):
                names.setdefault(f"{name}::{value.text}", place(value.get("file"), value.get("anchor")))
    return {name: where for name, where in names.items() if name.startswith("Tessera::")}


def place(file, anchor):
    return f"reference/{file}#{anchor}"
