"""Settings of all tests: Hypothesis profiles, chosen by KASSAY_HYPOTHESIS or CI, and the collected files."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests import marked
from tests.browser import chromium, open_page

__all__ = ["chromium", "open_page"]

# A slow machine is not a failure: benchmarks measure durations.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("deep", deadline=None, max_examples=10_000, print_blob=True)
settings.load_profile(os.environ.get("KASSAY_HYPOTHESIS") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip a file without a test of the requested marker."""
    marker = marked.asked(config.getoption("markexpr"))
    if marker is None or not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    return None if marked.may_have(collection_path, marker) else True


@pytest.hookimpl(tryfirst=True)  # before deselection of the other tests
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Raises UsageError if a skipped file has tests of its marker."""
    if lost := marked.unforeseen((item.path, [mark.name for mark in item.iter_markers()]) for item in items):
        raise pytest.UsageError("\n".join(lost))
