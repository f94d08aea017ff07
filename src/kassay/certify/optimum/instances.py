"""The instances of a suite, each with the place where it is said to stand."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.reading.documents import Located
from kassay.solver.instances.suites import suite


def located_in_suite(name: str) -> Iterator[Located]:
    """The instances of a suite, made one at a time; raises `InputError` for a suite that is not there."""
    return (Located(document, document["name"]) for document in suite(name))
