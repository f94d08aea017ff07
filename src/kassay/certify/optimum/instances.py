"""The instances of a suite, each with its place in error messages."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.reading.documents import Located
from kassay.solver.instances.suites import suite


def located_in_suite(name: str) -> Iterator[Located]:
    """The instances of a suite, made one at a time; raises `InputError` for an unknown suite."""
    return (Located(document, document["name"]) for document in suite(name))
