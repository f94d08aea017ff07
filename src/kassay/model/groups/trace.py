"""Traces: a history with what happened, as JSON that replays on another machine and with another version.

A trace holds domain words only, never a pickle or a seed alone. `SCHEMA` changes when a reader of
the old form would misread the new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kassay.model import codec
from kassay.model.codec import TEXT, Field, listed, optional, record
from kassay.model.errors import InputError
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.kinds import Kind

SCHEMA: Final = "kassay/trace/2"
_READ: Final = ("kassay/trace/1", SCHEMA)
"""Version 1 has the letter of a kind for its word."""
_FAMILY: Final = "kassay/trace/"


@dataclass(frozen=True)
class Trace:
    """A counterexample: what was played, against what, and which claim it broke.

    `case` is the history (or request) in JSON form, `narration` the rounds as they went (`told` in the
    document), `violations` one line each. `digest` is that of the target's source, so that a replay can
    say when it changed.
    """

    kind: Kind
    target: str
    digest: str | None
    protocol: RebalanceProtocol
    claim: str
    contradictory: bool
    case: Mapping[str, Any]
    violations: tuple[str, ...]
    narration: tuple[Mapping[str, Any], ...] = ()
    seed: int | None = None
    index: int | None = None
    version: str = ""

    def to_json(self) -> dict[str, Any]:
        """The document of the trace."""
        return {"schema": SCHEMA, **TRACE.write(self)}


TRACE: Final = record(
    Trace,
    kind=codec.enum(Kind),
    target=TEXT,
    digest=Field(optional(TEXT), None),
    protocol=codec.enum(RebalanceProtocol),
    claim=TEXT,
    contradictory=codec.FLAG,
    case=codec.OBJECT,
    violations=Field(listed(TEXT), ()),
    told=Field(listed(codec.OBJECT), (), "narration"),
    seed=Field(optional(codec.WHOLE), None),
    index=Field(optional(codec.WHOLE), None),
    version=Field(TEXT, ""),
)


def trace_of(document: object, path: str) -> Trace:
    """The trace that a document holds; raises `InputError`, with `path`, where it came from, in it."""
    fields = dict(codec.mapping(document, f"{path}:"))
    schema = fields.pop("schema", None)
    if not isinstance(schema, str) or not schema.startswith(_FAMILY):
        raise codec.wrong(f"{path}: schema", repr(SCHEMA), schema)
    if schema not in _READ:
        raise InputError(
            f"{path}: schema: {schema!r} is of another version of kassay; this one reads {SCHEMA!r}"
        )
    return TRACE.read(fields, f"{path}:")
