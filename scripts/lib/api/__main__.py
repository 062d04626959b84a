# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""api names|layers CHECKOUT: compares the public headers with the names that docs/releases.md promises, or checks which
of them each layer includes. Prints what is wrong, and then ends with 1."""
import pathlib
import sys

from . import layers, names

check = {"names": names.differences, "layers": layers.violations}[sys.argv[1]]
found = list(check(pathlib.Path(sys.argv[2])))
print(*found, sep="\n", end="\n" if found else "")
sys.exit(bool(found))
