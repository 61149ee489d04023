"""The installed command as a process: start-up cost, broken pipes, help, version."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import wirelab

WIRELAB = [sys.executable, "-c", "from wirelab.cli import main; main()"]


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*WIRELAB, *arguments], capture_output=True, timeout=60, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_help_teaches_and_version_is_told() -> None:
    shown = run("--help").stdout.decode()
    assert "reconcile" in shown
    assert "Exit codes: 0 all well" in " ".join(shown.split())
    assert run("--version").stdout.decode().strip() == f"wirelab {wirelab.__version__}"
    assert "wirelab reconcile stream.log" in run("reconcile", "--help").stdout.decode()


@pytest.mark.parametrize("arguments", [["--help"], ["reconcile", "missing"], ["frames", "missing"]])
def test_nothing_heavy_is_imported_for_small_jobs(arguments: list[str]) -> None:
    code = (
        "import sys, atexit\n"
        "heavy = {'pandas', 'matplotlib', 'httpx', 'papermill', 'numpy', 'nbclient', 'IPython'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)), file=sys.stderr))\n"
        "from wirelab.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, timeout=60, check=False)
    assert done.stderr.decode().splitlines()[-1] == "[]"


def test_a_reader_that_leaves_early_sees_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "big"
    file.write_bytes(b'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n' * 20_000)
    for arguments in (["frames", str(file), "--format", "json"], ["frames", str(file)], ["reconcile", str(file)] * 1):
        read_end, write_end = os.pipe()
        os.close(read_end)
        with subprocess.Popen([*WIRELAB, *arguments], stdout=write_end, stderr=subprocess.PIPE) as process:
            os.close(write_end)
            _, err = process.communicate(timeout=60)
        assert err == b""


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes('{"model":"m","message":{"content":"Tromsø ☂"},"done":true,"done_reason":"stop"}\n'.encode())
    plain = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PATH": os.environ["PATH"]}
    for form in ("json", "table"):
        done = run("reconcile", str(file), "--format", form, env=plain)
        assert done.returncode == 0, done.stderr
        assert "Troms" in done.stdout.decode()
