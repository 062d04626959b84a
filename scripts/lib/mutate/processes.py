# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes in sessions of their own, which end when this one is told to end."""

import contextlib
import multiprocessing
import os
import signal
import subprocess

_running = set()


def _end(process, number):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def stop(_signal, _frame):
    """Ends all of them, and this process. Not by SIGKILL: ninja must end its compilers, which are in other groups."""
    for process in list(_running):
        _end(process, signal.SIGTERM)
    for worker in multiprocessing.active_children():
        worker.kill()
    os._exit(130)


@contextlib.contextmanager
def started(command, **options):
    """Yields the process of a command. At the end of the block, the rest of its group is killed."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True, **options
    )
    _running.add(process)
    try:
        yield process
    finally:
        _end(process, signal.SIGKILL)
        if process.returncode is None:
            process.wait()
        _running.discard(process)


def build(command, log, **options):
    """Runs a command that writes to the build folder, and returns its status. The command ends even if this process is
    killed, and keeps the lock on the folder until then: the next run waits."""
    with started(["setpriv", "--pdeathsig", "TERM", *command], stdout=log, close_fds=False, **options) as process:
        return process.wait()
