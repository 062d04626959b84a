# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the largest eigenvalues of a Laplacian with SciPy's LOBPCG, which multiplies by a plan, and solves a system."""

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import lobpcg

import tessera

n = 60
line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
A = (scipy.sparse.kron(line, scipy.sparse.eye_array(n)) + scipy.sparse.kron(scipy.sparse.eye_array(n), line)).tocsr()

plan = tessera.make_plan(A, num_vectors=12)
X = np.random.default_rng(1).uniform(-1, 1, (n * n, 12))
eigenvalues, _ = lobpcg(plan.as_linear_operator(), X, largest=True, tol=1e-6, maxiter=300)

of_line = 2 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
exact = np.sort(np.add.outer(of_line, of_line).ravel())[::-1][:6]
error = abs(eigenvalues[:6] - exact).max()
print(f"the six largest eigenvalues are {eigenvalues[:6].round(6)}, the greatest error is {error:.1e}")
if not error < 1e-6:
    raise SystemExit("the eigenvalues are wrong")

B = np.random.default_rng(2).uniform(-1, 1, (n * n, 8))
solution, result = tessera.block_cg(plan, B, tolerance=1e-8)
print(f"block CG: {result.stop} after {result.iterations} iterations")
residual = np.linalg.norm(B - A @ solution, axis=0) / np.linalg.norm(B, axis=0)
if not (result.converged and residual.max() <= 1e-8):
    raise SystemExit(f"the system is not solved: {result.advice}")
