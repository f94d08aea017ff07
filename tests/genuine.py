"""Kafka's own coordinator in tests: the jars that `kassay conform --fetch` downloads."""

from pathlib import Path

import pytest

from kassay.engines.genuine.jars import NEWEST_RELEASE, coordinator_jars
from kassay.model.errors import InputError
from tests.javac import require_java


def genuine_jars(release: str = NEWEST_RELEASE) -> tuple[Path, ...]:
    """The jars of a release; skips the test without them or without a Java."""
    require_java()
    try:
        return coordinator_jars(release)
    except InputError as problem:
        pytest.skip(str(problem))
