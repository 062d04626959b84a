# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes in sessions of their own, that end when this one is told to."""

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
    """Ends all of them, and this process. Not by SIGKILL: ninja has to end its compilers, whose groups are others."""
    for process in list(_running):
        _end(process, signal.SIGTERM)
    for worker in multiprocessing.active_children():
        worker.kill()
    os._exit(130)


@contextlib.contextmanager
def started(command, **options):
    """The process of a command. What is left of its group at the end of the block is killed."""
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
    """The status of a command that writes to the folder of builds. It ends when this process is killed, too, and keeps
    the lock on the folder until then: the next run waits."""
    with started(["setpriv", "--pdeathsig", "TERM", *command], stdout=log, close_fds=False, **options) as process:
        return process.wait()
