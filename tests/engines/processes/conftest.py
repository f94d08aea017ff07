"""The class that misbehaves as a target, and a host of it that leaves no process behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kassay.engines.processes.host import Host
from kassay.engines.targets.resolve import Target, resolve
from tests.engines.processes.children import DATA, children
from tests.engines.processes.hostile import LIMITS


@pytest.fixture(scope="module")
def target() -> Target:
    return resolve(f"{DATA}/hostile.py:Hostile", limits=LIMITS)


@pytest.fixture
def host(target: Target) -> Iterator[Host]:
    before = children()
    with target.open() as host:
        yield host
    assert children() == before
