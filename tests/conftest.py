"""Settings that all tests share: reproducible random streams, warm kernels for the notebooks, one worker a notebook."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from wirelab.rerun.warm import prepare_environment

settings.register_profile(
    "wirelab",
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
    """Keep the cells of one notebook on one worker: they share a kernel."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.xdist_group(item.path.name))
