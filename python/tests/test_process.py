# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads, lifetimes, memory, and the beginning and end of a process."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import Library, expect_product, random_array, random_matrix

import tessera
from tessera import _tessera

NUMPY = Library("numpy", False)


def test_threads_with_one_plan(library: Library) -> None:
    matrix = random_matrix((3000, 2000), mean=10)
    plan = matrix.plan(library)
    failures: list[BaseException] = []
    dense = matrix.dense().astype(float)

    def multiply(seed: int) -> None:
        try:
            rng = np.random.default_rng(seed)
            for columns in (1, 3, 8, 20):
                X = random_array((2000, columns), "float64", rng)
                x = library.array(X)
                for _ in range(5):
                    Y = plan @ x
                np.testing.assert_allclose(library.numpy(Y), dense @ X, rtol=0, atol=1e-11)
                Y = library.numpy(plan.T @ library.array(X[:1].repeat(3000, 0)))
                np.testing.assert_allclose(Y, dense.T @ X[:1].repeat(3000, 0), rtol=0, atol=1e-10)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=multiply, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_new_values_beside_products() -> None:
    matrix = random_matrix((3000, 2000), mean=10)
    plan = matrix.plan(NUMPY)
    ones = np.ones((2000, 4))
    once = plan @ ones
    stop = threading.Event()

    def update() -> None:
        factor = 1.0
        while not stop.is_set():
            factor = 3 - factor
            plan.update_values(factor * matrix.values)

    thread = threading.Thread(target=update)
    thread.start()
    results = [plan @ ones for _ in range(100)]
    stop.set()
    thread.join()
    assert all((Y == once).all() or (Y == 2 * once).all() for Y in results)


def test_other_threads_run_during_a_product() -> None:
    matrix = random_matrix((200_000, 1000), mean=3)
    plan, X, out = matrix.plan(NUMPY), np.ones((1000, 64)), np.empty((200_000, 64))
    begin, ran = threading.Event(), []
    thread = threading.Thread(target=lambda: ran.append(begin.wait()))
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)  # without a release of the lock, the thread would not run before the product ends
    try:
        begin.set()
        for _ in range(3):
            tessera.spmm(plan, X, out)
        has_run = bool(ran)
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert has_run


def test_temporaries(library: Library) -> None:
    matrix = random_matrix((300, 200))
    plan = matrix.plan(library)
    X = random_array((200, 4), "float64", np.random.default_rng(1))
    results = [plan @ (library.array(X) * factor) for factor in range(1, 50)]
    for factor, Y in enumerate(results, 1):
        expect_product(library.numpy(Y), matrix.dense(), X * factor)


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_plans_and_products_do_not_leak() -> None:
    matrix = random_matrix((2000, 2000), mean=10)
    x = np.ones((2000, 8))

    def use(times: int) -> None:
        for _ in range(times):
            plan = matrix.plan(NUMPY)
            plan @ x
            plan @ x[:, ::2]
            with pytest.raises(ValueError, match="X has the shape"):
                plan @ x[1:]
        gc.collect()

    use(100)
    before = resident_bytes()
    use(1000)  # a plan takes over 200 kB: 200 MB if each were kept
    assert resident_bytes() - before < 20e6


def run_python(code: str, **environment: str) -> str:
    """Runs a program that has a plan p of a 3 x 3 matrix; returns what it prints on both streams."""
    begin = (
        "import numpy as np, tessera\n"
        "A = (np.array([1., 2, 3]), np.array([0, 1, 2], 'int32'), np.array([0, 1, 2, 3], 'int32'))\n"
        "p = tessera.make_plan(A, shape=(3, 3))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", begin + code],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def test_plans_may_be_alive_at_exit() -> None:
    assert run_python("p @ np.ones((3, 2)); q = p.T; kept = [p, q]; kept.append(kept)") == ""


def test_use_at_exit() -> None:
    code = (
        "import atexit\n"  # functions that were registered before the import of tessera run after its end
        "def late():\n"
        "    try: p @ np.ones(3)\n"
        "    except RuntimeError as error: print(error)\n"
        "class Last:\n"
        "    def __del__(self): late()\n"
        "last = Last()\n"
    )
    assert "expected no use of tessera" in run_python(code)


def test_threads_of_the_environment() -> None:
    if not run_python("print(p.stats()['execution_space'])").startswith("OpenMP"):
        pytest.skip("not OpenMP")
    code = "print('concurrency', p.explain().partition('concurrency ')[2].split()[0])"
    assert run_python(code, TESSERA_NUM_THREADS="1", OMP_NUM_THREADS="2") == "concurrency 1\n"
    assert run_python(code, OMP_NUM_THREADS="2") == "concurrency 2\n"
    wrong = "try: tessera.make_plan(A, shape=(3, 3))\nexcept ValueError as error: print(error)"
    environment = os.environ | {"TESSERA_NUM_THREADS": "none"}
    code = "import numpy as np, tessera\nA = (np.zeros(0), np.zeros(0, 'i4'), np.zeros(4, 'i4'))\n" + wrong
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert 'TESSERA_NUM_THREADS is "none"; expected a number from 1 on' in ran.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_gets_an_error_and_a_spawned_one_works() -> None:
    code = (
        "import os\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try: p @ np.ones(3)\n"
        "    except RuntimeError as error: print(error, flush=True)\n"
        "    raise SystemExit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "print(p @ np.ones(3))\n"
    )
    out = run_python("import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n" + code)
    assert "this process was forked from one that had used tessera" in out
    assert "[1. 2. 3.]" in out


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_during_the_first_use() -> None:
    """A child ends, and may get an error, although another thread of its parent was initializing Kokkos."""
    code = (
        "import numpy as np, os, sys, tessera, threading, time\n"
        "A = (np.array([2.]), np.array([0], 'int32'), np.array([0, 1], 'int32'))\n"
        "thread = threading.Thread(target=lambda: tessera.make_plan(A, shape=(1, 1)))\n"
        "thread.start()\n"
        "time.sleep(float(sys.argv[1]))\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try: ok = (tessera.make_plan(A, shape=(1, 1)) @ np.ones(1) == 2).all()\n"
        "    except RuntimeError as error: ok = 'was forked' in str(error)\n"
        "    sys.exit(0 if ok else 1)\n"
        "thread.join()\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    for delay in (0, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3):
        subprocess.run([sys.executable, "-W", "ignore", "-c", code, str(delay)], check=True, timeout=60)


def test_fork_before_the_first_use() -> None:
    code = (
        "import numpy as np, os, tessera\n"
        "A = (np.array([2.]), np.array([0], 'int32'), np.array([0, 1], 'int32'))\n"
        "child = os.fork()\n"
        "ok = (tessera.make_plan(A, shape=(1, 1)) @ np.ones(1) == 2).all()\n"
        "if child == 0: raise SystemExit(0 if ok else 1)\n"
        "assert ok and os.waitpid(child, 0)[1] == 0\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)


@pytest.mark.skipif(shutil.which("nm") is None, reason="there is no nm")
def test_static_libraries_are_private() -> None:
    """Other modules of the process may have other versions of the same libraries."""
    command = ["nm", "-D", "--defined-only", _tessera.__file__]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in listed.splitlines()]
    assert "PyInit__tessera" in names
    assert not [name for name in names if "Tessera4Impl" in name or "nanobind6detail" in name]


DAEMON = """
import threading, time, numpy as np, tessera
n, k = 300_000, 32
columns = (np.arange(n)[:, None] * 7919 + np.arange(k) * 104729) % n
arrays = (np.ones(n * k), columns.ravel().astype("int32"), np.arange(0, n * k + 1, k, dtype="int32"))
plan = tessera.make_plan(arrays, shape=(n, n))
X = np.ones((n, 8))
def multiply():
    plan @ X
def solve():  # does not converge soon
    tessera.block_cg(lambda X: time.sleep(0.01) or np.linspace(1, 1e6, n)[:, None] * X, X, tolerance=1e-14)
def work():
    while True:
        CALL()
for _ in range(THREADS):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
"""


@pytest.mark.parametrize(("call", "threads"), [("multiply", 1), ("multiply", 6), ("solve", 1), ("solve", 6)])
def test_a_call_at_the_end(call: str, threads: int) -> None:
    """Daemon threads may be in products or solvers when Python ends."""
    code = DAEMON.replace("CALL", call).replace("THREADS", str(threads))
    begin = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert not ended.stderr or (call == "solve" and "Kokkos" in ended.stderr)  # not finalized
    assert time.monotonic() - begin < 30
