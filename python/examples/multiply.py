# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiplies a sparse matrix of SciPy by 32 vectors, and verifies every entry."""

import numpy as np
import scipy.sparse

import tessera

rng = np.random.default_rng(1)
A = scipy.sparse.random_array((20_000, 20_000), density=5e-4, format="csr", rng=rng)
X = rng.uniform(-1, 1, (20_000, 32))

plan = tessera.make_plan(A, num_vectors=32)  # once
Y = plan @ X  # as often as you like
print(plan.explain())

tessera.spmm(plan, X, out=Y, alpha=2, beta=-1)  # Y = 2 A X - Y
Z = plan.T @ X  # the first transposed product builds the transpose

A.data *= 0.5
plan.update_values(A.data)  # new values, the same pattern
half = plan @ X


def verify(name, found, matrix):
    """Compares a product with SciPy's, entry by entry, with a bound on the rounding errors of both."""
    bound = 4 * (np.diff(matrix.indptr)[:, None] + 2) * np.finfo(float).eps * (abs(matrix) @ abs(X))
    wrong = ~(abs(found - matrix @ X) <= bound)
    if wrong.any():
        raise SystemExit(f"{name}: {wrong.sum()} of {wrong.size} entries are wrong")
    print(f"{name}: all {wrong.size} entries are right")


verify("A X / 2", half, A)
verify("2 A X - A X", Y, 2 * A)
verify("A^T X", Z, (2 * A.T).tocsr())
