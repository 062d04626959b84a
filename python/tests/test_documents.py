# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of docs/python.md that no example has."""

from __future__ import annotations

import numpy as np
from conftest import expect_product, random_matrix

import tessera


def test_arrays_of_a_matrix() -> None:
    matrix = random_matrix((40, 30))
    A = matrix.scipy()
    plan = tessera.make_plan((A.data, A.indices, A.indptr), shape=A.shape)
    X = np.ones((30, 2))
    expect_product(plan @ X, matrix.dense(), X)
