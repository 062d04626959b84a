#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numpy_files.py FOLDER

Writes the files of fuzz/corpus/numpy with NumPy and SciPy, which NumpyTest.cpp reads and the fuzz target begins with.
All hold the matrix A below, or X. Run it after a change of the list; NumPy 2.4 and SciPy 1.17 wrote the present files.
"""

import io
import pathlib
import sys
import zipfile

import numpy as np
import scipy.sparse as sp

A = np.array([[1.5, 0, -2, 0], [0, 0, 0, 0], [0, 3, 0, 4.25]])
X = np.array([[1, 2], [3, 4], [5, 6.5]])


class Pipe(io.RawIOBase):
    """A file that cannot seek: zipfile writes data descriptors."""

    def __init__(self):
        self.content = b""

    def writable(self):
        return True

    def write(self, data):
        self.content += bytes(data)
        return len(data)


def streamed(matrix):
    pipe = Pipe()
    sp.save_npz(pipe, matrix)
    return pipe.content


def arrays(name):
    """The arrays of an archive one after the other, of which the fuzz target makes an archive."""
    with zipfile.ZipFile(name) as archive:
        first, second = ("row", "col") if "row.npy" in archive.namelist() else ("indices", "indptr")
        return b"".join(archive.read(array + ".npy") for array in ("format", "shape", "data", first, second))


def main():
    folder = pathlib.Path(sys.argv[1])
    sp.save_npz(folder / "csr.npz", sp.csr_matrix(A))
    sp.save_npz(folder / "csr_stored.npz", sp.csr_matrix(A), compressed=False)
    sp.save_npz(folder / "csc.npz", sp.csc_matrix(A))
    sp.save_npz(folder / "coo.npz", sp.coo_matrix(A))
    sp.save_npz(folder / "csr_array.npz", sp.csr_array(A))
    sp.save_npz(folder / "coo_integer.npz", sp.coo_array(A.astype(np.int16)))
    sp.save_npz(folder / "csc_complex.npz", sp.csc_array(A * (1 + 2j)))
    long = sp.csr_matrix(A)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    sp.save_npz(folder / "csr_long.npz", long)
    (folder / "csr_streamed.npz").write_bytes(streamed(sp.csr_matrix(A)))
    sp.save_npz(folder / "bsr.npz", sp.bsr_matrix(A))
    sp.save_npz(folder / "dia.npz", sp.dia_matrix(A))
    sp.save_npz(folder / "coo_vector.npz", sp.coo_array(np.array([1.0, 0, 2])))
    with zipfile.ZipFile(folder / "csr_lzma.npz", "w", zipfile.ZIP_LZMA) as lzma:
        with zipfile.ZipFile(folder / "csr.npz") as archive:
            for name in archive.namelist():
                lzma.writestr(zipfile.ZipInfo(name), archive.read(name), zipfile.ZIP_LZMA)
    for name in "csr", "csc", "coo", "csc_complex":
        (folder / f"{name}.arrays").write_bytes(arrays(folder / f"{name}.npz"))
    np.save(folder / "x.npy", X)
    np.save(folder / "x_by_columns.npy", np.asfortranarray(X))
    np.save(folder / "x_big_endian.npy", X.astype(">f4"))
    np.savez(folder / "x.npz", X)
    np.savez_compressed(folder / "x_complex.npz", X=X * 1j)
    np.save(folder / "vector.npy", X[:, 0])
    np.save(folder / "objects.npy", np.array([None, 1], dtype=object), allow_pickle=True)
    np.savez(folder / "two_arrays.npz", X=X, Y=X)
    with open(folder / "x_version_3.npy", "wb") as file:
        np.lib.format.write_array(file, X, version=(3, 0))


if __name__ == "__main__":
    main()
