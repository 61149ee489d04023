"""The process that kernels are forked from (`python -m wirelab.rerun.zygote`); `wirelab.rerun.warm` talks to it.

One JSON line in is one kernel; one line out is its process number. The end of the input is the end of this process.
"""

import contextlib
import ctypes
import importlib
import os
import pkgutil
import signal
import sys
import warnings
from typing import BinaryIO, NoReturn

import msgspec

import wirelab
from wirelab.rerun.warm import KernelRequest

PRELOADED = ("ipykernel.kernelapp", "ipykernel.ipkernel", "pandas", "matplotlib.pyplot")
NOT_FOR_NOTEBOOKS = {"cli", "rerun", "__main__"}
PR_SET_PDEATHSIG = 1


def main() -> None:
    """Import once, then fork for every request."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a kernel prints must not look like an answer
    preload()
    for line in sys.stdin.buffer:
        bury_the_dead()
        answers.write(b"%d\n" % fork(msgspec.json.decode(line, type=KernelRequest), answers))
    # Leaving at once: nothing here needs tidying, and the kernels end with us.
    os._exit(0)


def preload() -> None:
    """Import what notebooks import. What is missing or broken shows in the notebook that needs it, not here."""
    rooms = [f"wirelab.{room.name}" for room in pkgutil.iter_modules(wirelab.__path__)]
    for name in [*PRELOADED, *(room for room in rooms if room.split(".")[1] not in NOT_FOR_NOTEBOOKS)]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def fork(request: KernelRequest, answers: BinaryIO) -> int:
    """Make one kernel and return its process number. In the kernel itself this never returns."""
    ours = os.getpid()
    with warnings.catch_warnings():
        # Python 3.12 and later warn of threads; those of numpy's libraries are made anew after a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        answers.close()
        become_kernel(request, ours)
    return pid


def become_kernel(request: KernelRequest, zygote: int) -> NoReturn:
    """Be a kernel as `python -m ipykernel_launcher` would be one, and then end without returning to the loop."""
    status = 1
    try:
        os.setsid()
        die_with(zygote)
        detach_input()
        os.chdir(request.folder)
        os.environ.clear()
        os.environ.update(request.environment)
        run_kernel([*request.arguments, f"--IPKernelApp.parent_handle={zygote}"])
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def die_with(zygote: int) -> None:
    """Ask the system to kill this process when the zygote ends, for whatever reason."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != zygote:
        os._exit(1)


def detach_input() -> None:
    """Let go of the pipe that requests come through."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = os.fdopen(0, closefd=False)


def run_kernel(arguments: list[str]) -> None:
    """Run the kernel until it is shut down."""
    from ipykernel.kernelapp import IPKernelApp  # noqa: PLC0415 - loaded by then; the module stays light for tests

    sys.argv = ["ipykernel_launcher.py", *arguments]
    IPKernelApp.launch_instance(arguments)


def bury_the_dead() -> None:
    """Release kernels that have ended. Until here their numbers stay taken, so no signal can reach a stranger."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    main()
