"""Settings of all tests: Hypothesis profiles, chosen by KASSAY_HYPOTHESIS or CI, and the collected files."""

import gc
import os
from collections.abc import Generator
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skipped test fails where nothing may be skipped."""
    report = yield
    return marked.unskipped(report) if os.environ.get(marked.NO_SKIPS) else report


def pytest_configure(config: pytest.Config) -> None:
    """Import the package as it is, and collect no garbage until the tests are collected.

    As the package brings a plugin, pytest would rewrite the asserts of all its files; and the garbage collector
    would go through all modules again and again, a third of the time of a collection.
    """
    gc.disable()
    hook = config.pluginmanager.rewrite_hook
    getattr(hook, "_must_rewrite", set()).discard("kassay")
    getattr(hook, "_marked_for_rewrite_cache", {}).clear()


def pytest_collection_finish() -> None:
    """Collect garbage from here on, but never again what was there before the first test."""
    gc.freeze()
    gc.enable()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Leave what a finished file keeps, such as parsed sources and cached values, out of all later collections.

    The heap of a worker grows to hundreds of megabytes; a full collection of it takes a second.
    """
    if nextitem is not None and nextitem.path != item.path:
        gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip a file without a test of the requested marker."""
    marker = marked.asked(config.getoption("markexpr"))
    if marker is None or not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    return None if marked.may_have(collection_path, marker) else True


@pytest.hookimpl(tryfirst=True)  # before those that are not asked for are left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow cases of tests; raises UsageError where a file would be passed over though it has such tests."""
    lost = marked.mark_slow_cases(items)
    if not any("::" in each for each in config.args) and lost:
        raise pytest.UsageError("\n".join(lost))
    if lost := marked.unforeseen((item.path, [mark.name for mark in item.iter_markers()]) for item in items):
        raise pytest.UsageError("\n".join(lost))


def pytest_make_parametrize_id(val: object) -> str | None:
    """A kind of target is called by its name in the ids of tests."""
    from kassay.model.kinds import Kind  # not before `pytest_configure` has run

    return str(val) if isinstance(val, Kind) else None
