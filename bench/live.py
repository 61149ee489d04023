"""A real live target for everyone: build a llama-server, ask it the scenarios, check what was recorded, stop it.

Nothing is scripted: the model says what it says. With `--admit` the recordings join `captures/`; without, they stay in
`live/recordings`.
"""

import argparse
import signal
import time
from pathlib import Path
from types import FrameType

from bench.llama import ALIAS, PLACE, SERVER, build, package_version, serving
from wirelab.capture.index import write_index
from wirelab.capture.reader import load
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
LEAST_SCENARIOS = 60
NOTE = (
    "real llama.cpp server with a real small model (SmolLM2 135M), temperature 0, nothing scripted; "
    "three worked turns in the history make it call"
)


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
    """Copy one recording a scenario into a captures root, and bring its index up to date."""
    admitted, refused = admit(smallest(folder), root, load_book())
    print(f"{len(admitted)} joined the captures, {len(refused)} did not; keep what has room: they stay below 24 MB")
    for problem in refused:
        print(f"  {problem}")
    write_index(root, verify_store(root).entries)


def smallest(folder: Path) -> list[Path]:
    """The smallest recording of each scenario: a corpus needs every scenario, and not every one of them."""
    found: dict[str, Path] = {}
    for path in Store(folder).paths():
        scenario = load(path).scenario
        if scenario not in found or path.stat().st_size < found[scenario].stat().st_size:
            found[scenario] = path
    return list(found.values())


def wish() -> Wish:
    """The three protocols that a llama-server speaks, with worked turns and short, repeatable answers."""
    return Wish(
        model=ALIAS,
        protocols=("chat", "responses", "messages", "discovery"),
        worked=True,
        settings=Settings(limit=112, temperature=0, seed=7),
    )


def check(folder: Path, *, whole: bool) -> int:
    """Verify every recording and whether it may be admitted; count the scenarios."""
    paths = list(Store(folder).paths())
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


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(f"stopped by signal {number}")


if __name__ == "__main__":
    raise SystemExit(main())
