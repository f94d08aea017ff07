"""Instances from wherever a user has them: documents, files, suites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from kassay.engines.optimum.solve import located_in_suite
from kassay.model.errors import InputError
from kassay.reading.documents import Located, documents, is_there
from kassay.solver.instances.suites import SUITES

Instances = str | Path | Mapping[str, Any] | Iterable[Mapping[str, Any]]
"""A document, several, a file with one or with JSON lines (`-`: standard input), or the name of a suite."""


_EXPECTED: Final = "an instance with its family in JSON (docs/optimum.md), or JSON lines of such"


class Sourced(NamedTuple):
    """Instances, each with its place in error messages, and where all are from.

    Those of a suite are made one at a time.
    """

    located: Iterable[Located]
    source: str


def instances_from(given: Instances) -> Sourced:
    """The instances; raises `InputError` for none, a file that cannot be read, and an unknown suite."""
    if isinstance(given, Mapping):
        return Sourced([Located(dict(given), "instance")], "instance")
    if not isinstance(given, str | Path):
        located = [Located(dict(each), f"instance {number}") for number, each in enumerate(given, 1)]
        if not located:
            raise InputError("instances: found none, expected at least one")
        return Sourced(located, "instances")
    if names_suite(str(given)):
        return Sourced(located_in_suite(str(given)), f"suite {given}")
    return Sourced(documents(str(given), _EXPECTED), str(given))


def names_suite(text: str) -> bool:
    """Whether this is the name of a suite, right or misspelled, and not a file."""
    return text in SUITES or (text.replace("-", "").isalnum() and not is_there(text))
