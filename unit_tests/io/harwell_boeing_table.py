#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the table that HarwellBoeingCollectionTest compares the reader with.

usage: harwell_boeing_table.py FOLDER > harwell_boeing.tsv

Reads every Harwell-Boeing and Rutherford-Boeing file of a folder with SciPy's hb_read. A few lines here, which
share nothing with Tessera, read what SciPy does not (patterns, symmetries, complex numbers); where both read a file,
they must agree. Columns: sizes, entries with those that a symmetry implies and duplicates summed, and sums of the
values v(i, j), of |v|, of i v and of j v, with indices from 1. Then the number of elements of the right-hand sides,
and the sums of b(k) and of k b(k).
"""
import gzip
import os
import re
import sys

import numpy as np
import scipy.io
import scipy.sparse

TYPE = re.compile(r"^[RICP][USZHR]A ", re.IGNORECASE)


def lines_of(path):
    opened = gzip.open(path, "rt", encoding="latin-1") if path.endswith(".gz") else open(path, encoding="latin-1")
    with opened as file:
        return [line.rstrip("\r\n") for line in file]


def take(lines, begin, form, count):
    """Numbers of a simple format, such as (1P,4D20.13), and the line after them."""
    match = re.match(r"\((?:\d+P,?)?(\d+)([IEDFG])(\d+)", form.replace(" ", "").upper())
    per_line, width = int(match[1]), int(match[3])
    words = []
    while len(words) < count:
        line = lines[begin]
        cells = [line[k * width:(k + 1) * width].strip() for k in range(min(per_line, count - len(words)))]
        words += cells
        begin += 1
    return [float(word.upper().replace("D", "E")) for word in words], begin


def read(path):
    lines = lines_of(path)
    kind = lines[2][:3].upper()
    rows, columns, entries = (int(word) for word in lines[2][3:].split()[:3])
    formats = [lines[3][0:16], lines[3][16:32], lines[3][32:52]]
    begin = 5 if lines[4][:1].upper() in "FM" and lines[4][:1].strip() else 4
    pointers, begin = take(lines, begin, formats[0], columns + 1)
    indices, begin = take(lines, begin, formats[1], entries)
    values = np.ones(entries)
    if kind[0] == "C":
        parts, begin = take(lines, begin, formats[2], 2 * entries)
        values = np.array(parts[0::2]) + 1j * np.array(parts[1::2])
    elif kind[0] != "P":
        values, begin = take(lines, begin, formats[2], entries)
        values = np.array(values)
    i = np.array(indices, dtype=int) - 1
    j = np.repeat(np.arange(columns), np.diff(np.array(pointers, dtype=int)))
    if kind[1] in "SZH":
        off = i != j
        mirror = {"S": values, "Z": -values, "H": np.conj(values)}[kind[1]][off]
        i, j, values = np.r_[i, j[off]], np.r_[j, i[off]], np.r_[values, mirror]
    matrix = scipy.sparse.coo_array((values, (i, j)), shape=(rows, columns))
    matrix.sum_duplicates()
    right = np.zeros(0)
    if lines[4][:1].upper() == "F":
        count = rows * int(lines[4][3:].split()[0]) * (2 if kind[0] == "C" else 1)
        right = np.array(take(lines, begin, lines[3][52:72], count)[0])
    return kind, matrix, right


def sums_of(matrix):
    v, i, j = matrix.data, matrix.row + 1, matrix.col + 1
    parts = [v.sum(), (i * v).sum(), (j * v).sum()]
    return [f"{x:.17g}" for x in [abs(v).sum()] + [part for z in parts for part in (np.real(z), np.imag(z))]]


def main():
    folder = sys.argv[1]
    print("file", "type", "by", "rows", "columns", "entries", "sum_abs", "sum_re", "sum_im", "sum_i_re", "sum_i_im",
          "sum_j_re", "sum_j_im", "right", "right_sum", "right_sum_k", sep="\t")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        try:
            lines = lines_of(path)
        except OSError:
            continue
        if len(lines) < 4 or not TYPE.match(lines[2]):
            continue
        kind, matrix, right = read(path)
        by = "this script"
        try:
            other = scipy.sparse.coo_array(scipy.io.hb_read(path))
        except Exception:  # files that SciPy cannot read
            other = None
        if other is not None:
            other.sum_duplicates()
            assert other.shape == matrix.shape and other.nnz == matrix.nnz, name
            assert abs(other - matrix).max() == 0, name
            matrix, by = other, "SciPy"
        print(name, kind, by, *matrix.shape, matrix.nnz, *sums_of(matrix), right.size,
              f"{right.sum():.17g}", f"{(right * np.arange(1, right.size + 1)).sum():.17g}", sep="\t")


if __name__ == "__main__":
    main()
