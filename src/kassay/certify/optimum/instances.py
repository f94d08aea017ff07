"""Instances and certificates where users keep them: one JSON document a file, JSON lines, or a suite.

A file may be compressed with gzip; `-` is standard input. Every complaint names the file and the line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from kassay.model.errors import InputError
from kassay.reading.documents import parse_json, read_text


class Located(NamedTuple):
    """A document and where it stands, for instance `groups.jsonl:3`."""

    document: Any
    where: str


def located_in_suite(name: str) -> Iterator[Located]:
    """The instances of a suite, made one at a time; raises `InputError` for a suite that is not there."""
    # Imported here, for whoever checks certificates reads files and should load nothing of the solver.
    from kassay.solver.instances.suites import suite

    return (Located(document, document["name"]) for document in suite(name))


def documents(path: str) -> list[Located]:
    """The documents of a file, all of them read before anything is done with one.

    Raises `InputError` for a file that cannot be read, is no JSON, or is empty.
    """
    text = read_text(path)
    name = "standard input" if path == "-" else path
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise InputError(f"{name}: empty, expected one JSON document or JSON lines")
    if len(lines) > 1 and _is_json(lines[0][1]):
        return [Located(parse_json(line, name, number), f"{name}:{number}") for number, line in lines]
    # One line, or one document that somebody laid out over several.
    document = parse_json(text, name)
    if isinstance(document, list) and document:
        return [Located(each, f"{name}[{index}]") for index, each in enumerate(document)]
    return [Located(document, name)]


@contextmanager
def at(where: str) -> Iterator[None]:
    """A block whose `InputError`s are told with the place; what an error carries stays with it."""
    try:
        yield
    except InputError as error:
        error.args = (f"{where}: {error}",)
        raise


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
