# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams and devices. These tests need a GPU, and PyTorch or CuPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import LIBRARIES, Library, expect_product, random_array, random_matrix

import tessera

ON_GPU = [library for library in LIBRARIES if library.on_gpu]
pytestmark = pytest.mark.skipif(not ON_GPU, reason="no GPU, or neither PyTorch nor CuPy for it")


@pytest.fixture(params=ON_GPU, ids=lambda library: library.name)
def gpu(request: pytest.FixtureRequest) -> Library:
    chosen: Library = request.param
    return chosen


class Stream:
    """A stream of PyTorch or CuPy that other streams do not wait for."""

    def __init__(self, library: Library) -> None:
        self.module = importlib.import_module(library.name)
        self.is_torch = library.name == "torch"
        self.stream = self.module.cuda.Stream() if self.is_torch else self.module.cuda.Stream(non_blocking=True)
        self.heavy = library.array(np.random.default_rng(1).uniform(-1, 1, (4096, 4096)))

    def __enter__(self) -> Any:
        self.context = self.module.cuda.stream(self.stream) if self.is_torch else self.stream
        return self.context.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.context.__exit__(*error)

    def be_busy(self) -> None:
        """Queues work of some ten milliseconds on the stream."""
        with self:
            for _ in range(40):
                self.heavy @ self.heavy

    def is_done(self) -> bool:
        return bool(self.stream.query() if self.is_torch else self.stream.done)

    def fill(self, X: Any, value: float) -> None:
        with self:
            X[...] = value


Multiply = Callable[[tessera.Plan, Any, Any, Stream], Any]


def check_order(library: Library, multiply: Multiply) -> None:
    """Fails unless a product reads what was queued on its stream before, and does not wait for it."""
    matrix = random_matrix((400, 300))
    plan, stream = matrix.plan(library), Stream(library)
    plan.settle()
    X, out = library.array(np.zeros((300, 4))), library.array(np.zeros((400, 4)))
    library.numpy(out)  # waits until both are there: the stream does not
    # The first calls load kernels, allocate and wait.
    for value, may_wait in ((1.0, True), (2.0, True), (3.0, False)):
        stream.be_busy()
        stream.fill(X, value)
        Y = multiply(plan, X, out, stream)
        assert may_wait or not stream.is_done()
        stream.stream.synchronize()
        expect_product(library.numpy(Y), matrix.dense(), np.full((300, 4), value))


def test_the_current_stream(gpu: Library) -> None:
    def multiply(plan: tessera.Plan, X: Any, out: Any, stream: Stream) -> Any:
        with stream:
            return plan @ X

    check_order(gpu, multiply)


def test_a_stream_by_keyword(gpu: Library) -> None:
    def multiply(plan: tessera.Plan, X: Any, out: Any, stream: Stream) -> Any:
        number = stream.stream.cuda_stream if stream.is_torch else stream.stream.ptr
        tessera.spmm(plan, X, out, stream=stream.stream)
        return tessera.spmm(plan, X, out, stream=number)

    check_order(gpu, multiply)


def test_new_values_on_the_current_stream(gpu: Library) -> None:
    matrix = random_matrix((400, 300))
    plan, stream = matrix.plan(gpu), Stream(gpu)
    values, X = gpu.array(matrix.values), random_array((300, 4), "float64", np.random.default_rng(1))
    x = gpu.array(X)
    gpu.numpy(plan @ x)  # waits until all arrays are there
    stream.be_busy()
    stream.fill(values, 1)
    with stream:
        plan.update_values(values)
        Y = plan @ x
    stream.stream.synchronize()
    ones = type(matrix)(np.ones_like(matrix.values), matrix.columns, matrix.offsets, matrix.shape)
    expect_product(gpu.numpy(Y), ones.dense(), X)


class Interface:
    """An array that only __cuda_array_interface__ describes."""

    def __init__(self, array: Any) -> None:
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.kept = array


def test_cuda_array_interface(gpu: Library) -> None:
    matrix = random_matrix((40, 30))
    plan = matrix.plan(gpu)
    X = random_array((30, 3), "float64", np.random.default_rng(1))
    for order in "CF":
        out = gpu.array(np.full((40, 3), np.nan))
        tessera.spmm(plan, Interface(gpu.array(np.asarray(X, order=order))), Interface(out))
        expect_product(gpu.numpy(out), matrix.dense(), X)
        Y = plan @ Interface(gpu.array(np.asarray(X, order=order)))
        expect_product(Y.get() if hasattr(Y, "get") else Y.cpu().numpy(), matrix.dense(), X)


def test_the_host_beside_the_gpu(gpu: Library) -> None:
    matrix = random_matrix((40, 30))
    X = random_array((30, 3), "float64", np.random.default_rng(1))
    host, device = matrix.plan(Library("numpy", False)), matrix.plan(gpu)
    assert (host.device, device.device) == ("the host", "CUDA device 0")
    expect_product(host @ X, matrix.dense(), X)
    expect_product(gpu.numpy(device @ gpu.array(X)), matrix.dense(), X)
    with pytest.raises(ValueError, match="X is on the host; expected CUDA device 0, where the plan is"):
        device @ X
    with pytest.raises(ValueError, match="X is on CUDA device 0; expected the host"):
        host @ gpu.array(X)
    with pytest.raises(ValueError, match="indices of A are on the host; expected CUDA device 0"):
        tessera.make_plan((gpu.array(matrix.values), matrix.columns, matrix.offsets), shape=matrix.shape)
