"""Warm kernels: real kernels, forked, and never left behind."""

import ast
import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from wirelab.rerun import warm
from wirelab.rerun.provisioner import WarmProvisioner, ipykernel_arguments

linux_only = pytest.mark.skipif(not warm.can_fork(), reason="kernels are forked on Linux only")

SCRIPT = """
import os, sys, time
from wirelab.rerun import warm
warm.prepare_environment(os.environ)
from jupyter_client.manager import KernelManager
manager = KernelManager(kernel_name="python3")
manager.start_kernel()
print(warm.ZYGOTE._process.pid, manager.provisioner.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KernelManager]:
    for name in ("JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    manager = KernelManager(kernel_name="python3")
    assert manager.kernel_spec is not None
    manager.kernel_spec.metadata["kernel_provisioner"] = {"provisioner_name": warm.PROVISIONER}
    yield manager
    if manager.has_kernel:
        manager.shutdown_kernel(now=True)


def value_of(manager: KernelManager, code: str) -> list[dict[str, Any]]:
    """What the code shows, as the messages' contents."""
    shown: list[dict[str, Any]] = []
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=30)
    client.execute_interactive(
        code, timeout=30, output_hook=lambda message: shown.append(message["content"]), allow_stdin=False
    )
    client.stop_channels()
    return [content for content in shown if "data" in content or "ename" in content]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid: int, seconds: float = 15) -> bool:
    limit = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < limit:
        time.sleep(0.05)
    return not alive(pid)


@linux_only
def test_a_kernel_is_forked_runs_and_shuts_down(manager: KernelManager, tmp_path: Path) -> None:
    manager.start_kernel(cwd=str(tmp_path))
    assert isinstance(manager.provisioner, WarmProvisioner)
    pid = manager.provisioner.pid
    assert pid is not None
    code = "import os, sys; str(['pandas' in sys.modules, os.getcwd(), os.getppid() == os.getsid(0), os.getpid()])"
    shown = value_of(manager, code)
    assert ast.literal_eval(ast.literal_eval(shown[-1]["data"]["text/plain"])) == [True, str(tmp_path), False, pid]
    manager.shutdown_kernel()
    assert ends(pid)


@linux_only
def test_figures_are_shown_as_on_a_bare_kernel(manager: KernelManager) -> None:
    manager.start_kernel()
    shown = value_of(manager, "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()")
    assert [sorted(content["data"]) for content in shown] == [["image/png", "text/plain"]]


@linux_only
def test_an_interrupt_and_a_kill_reach_the_kernel(manager: KernelManager) -> None:
    manager.start_kernel()
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    assert [content["ename"] for content in value_of(manager, code)] == ["KeyboardInterrupt"]
    assert isinstance(manager.provisioner, WarmProvisioner)
    pid = manager.provisioner.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert manager.provisioner.process is not None
    assert manager.provisioner.process.wait() == 0
    assert not manager.is_alive()


@linux_only
def test_nothing_outlives_a_killed_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, cwd=tmp_path, text=True)
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    parent.stdout.close()
    assert len(pids) == 2
    assert all(alive(pid) for pid in pids)
    parent.kill()
    parent.wait(10)
    assert all(ends(pid) for pid in pids)


@linux_only
def test_kernels_end_with_their_zygote_and_the_next_one_gets_another() -> None:
    request = warm.KernelRequest(["-f", os.devnull], os.getcwd(), dict(os.environ))  # noqa: PTH109
    first = warm.ZYGOTE.fork(request)
    warm.ZYGOTE.stop()
    assert first.wait() == 0
    assert first.poll() == 0
    first.terminate()
    second = warm.ZYGOTE.fork(request)
    assert second.pid != first.pid
    second.kill()
    assert second.wait() == 0


@pytest.mark.parametrize(
    ("broken", "error"), [("can_fork", None), ("ZYGOTE", OSError("gone"))], ids=["no fork here", "zygote gone"]
)
def test_without_fork_the_ordinary_kernel_starts_quietly(
    broken: str, error: OSError | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    class Gone:
        def fork(self, request: warm.KernelRequest) -> warm.ForkedKernel:
            raise OSError(request)

    async def launch(_self: LocalProvisioner, cmd: list[str], **_options: Any) -> None:
        started.append(cmd)

    replacement = Gone() if error else (lambda: False)
    monkeypatch.setattr(f"wirelab.rerun.provisioner.{broken}", replacement)
    monkeypatch.setattr(LocalProvisioner, "launch_kernel", launch)
    provisioner = WarmProvisioner()
    asyncio.run(provisioner.launch_kernel(["python", "-m", "ipykernel_launcher", "-f", "x"], env={}))
    asyncio.run(provisioner.launch_kernel(["R", "--slave"], env={}))
    assert started == [["python", "-m", "ipykernel_launcher", "-f", "x", *warm.QUIET], ["R", "--slave"]]


def test_arguments_of_a_kernel() -> None:
    assert ipykernel_arguments(["python3", "-Xx", "-m", "ipykernel_launcher", "-f", "c.json"]) == ["-f", "c.json"]
    assert ipykernel_arguments(["julia"]) is None


def test_a_prepared_environment_keeps_what_the_user_chose() -> None:
    environment = {"IPYTHONDIR": "mine"}
    warm.prepare_environment(environment)
    assert environment["IPYTHONDIR"] == "mine"
    assert environment["JUPYTER_DEFAULT_PROVISIONER_NAME"] == warm.PROVISIONER
    assert Path(environment["JUPYTER_RUNTIME_DIR"]).is_dir()
