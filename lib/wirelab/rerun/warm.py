"""Warm kernels: one process imports what every notebook imports, and each kernel is a fork of it.

    ours ──(a pipe)──▶ zygote ──fork──▶ kernel, kernel, …

The zygote ends when the pipe does, however our process ended; the kernels end with the zygote, because the system is
told to kill them then. Importing this module is cheap: papermill loads it through the entry point of every run.
"""

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, MutableMapping

import msgspec

PROVISIONER = "wirelab-warm"
"""Our name among the entry points `jupyter_client.kernel_provisioners`."""

QUIET = ("--log-level=50", "--HistoryManager.enabled=False")
"""For every kernel of a run: ipykernel 7.4 warns about TCP on every start and calls an interrupt of an idle kernel an
error; history would go to the user's home."""

STOP_TIMEOUT = 5.0


class KernelRequest(msgspec.Struct, frozen=True):
    """What the zygote is asked for: a kernel with these arguments, in this folder, with this environment."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]


def prepare_environment(environment: MutableMapping[str, str]) -> None:
    """Make Jupyter start its kernels through us, and keep its run-time files out of the user's home."""
    environment.setdefault("JUPYTER_DEFAULT_PROVISIONER_NAME", PROVISIONER)
    missing = [name for name in ("JUPYTER_RUNTIME_DIR", "IPYTHONDIR") if name not in environment]
    if missing:
        folder = tempfile.TemporaryDirectory(prefix="wirelab-", ignore_cleanup_errors=True)
        atexit.register(folder.cleanup)
        environment.update(dict.fromkeys(missing, folder.name))


def can_fork() -> bool:
    """Whether warm kernels work here. Elsewhere than on Linux a fork of a process with threads is not safe."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open")


class ForkedKernel:
    """A kernel that is no child of ours, with the part of `subprocess.Popen` that a provisioner uses."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        try:
            self._handle: int | None = os.pidfd_open(pid)
        except ProcessLookupError:
            self._handle, self.returncode = None, 0

    def poll(self) -> int | None:
        """None while it runs, then 0: the exit code of another process's child cannot be known."""
        if self._handle is not None and select.select([self._handle], [], [], 0)[0]:
            self._finish()
        return self.returncode

    def wait(self) -> int | None:
        """Block until it has ended."""
        if self._handle is not None:
            select.select([self._handle], [], [])
            self._finish()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the kernel alone."""
        if self._handle is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def _finish(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        self._handle, self.returncode = None, 0


class Zygote:
    """Our end of the process that kernels are forked from. Started on first use; a dead one is replaced."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it ahead of use, so that it imports while we do."""
        with self._lock:
            self._alive()

    def fork(self, request: KernelRequest) -> ForkedKernel:
        """A new kernel. Raises OSError when the zygote cannot be had."""
        with self._lock:
            process = self._alive()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        if not answer.strip().isdigit():
            raise OSError("the process that kernels are forked from has ended")
        return ForkedKernel(int(answer))

    def stop(self) -> None:
        """End it, and with it every kernel it made."""
        with self._lock:
            if self._process is not None:
                end(self._process)
            self._process = None

    def _alive(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wirelab.rerun.zygote"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=zygote_environment(os.environ),
                start_new_session=True,  # Ctrl-C is for us; the pipe's end is what ends the zygote
            )
        return self._process


def zygote_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The inline backend must be chosen before matplotlib is imported; a bare kernel chooses it at its start."""
    return {"MPLBACKEND": "module://matplotlib_inline.backend_inline", **environment}


def end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe, which ends it; if it hangs, kill it."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


ZYGOTE = Zygote()
"""One for our whole process; nothing runs before it is asked for a kernel."""

atexit.register(ZYGOTE.stop)
