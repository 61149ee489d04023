"""Settings that all tests share: reproducible random streams, warm kernels for the notebooks, one worker a notebook."""

import os
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from wirelab.rerun.warm import prepare_environment

IN_PARTS = ("tests/corpus/", "tests/cases/", "tests/property/")
"""Folders whose tests are many and share nothing."""

PARTS = 16

settings.register_profile(
    "wirelab",
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("wirelab")


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's root folder."""
    return Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Let nbval start its kernels warm, and nowhere but in a folder of ours."""
    if getattr(config.option, "nbval", False):
        prepare_environment(os.environ)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no worker waits for another at the end."""
    items.sort(key=lambda item: (item.path.name != "test_repo_tools.py", item.path.suffix != ".ipynb"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """What is kept together. Not xdist's `loadgroup`: with pytest 9.2 it silently groups nothing (pytest-xdist#1386)."""
    return PartScheduling(config, log)


class PartScheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """A file is one worker's, since its tests share fixtures and a notebook's cells a kernel; big ones go in parts."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        if path.startswith(IN_PARTS):
            return f"{path}#{zlib.crc32(nodeid.encode()) % PARTS}"
        return f"{path}#{nodeid}" if path.endswith("test_repo_tools.py") else path
