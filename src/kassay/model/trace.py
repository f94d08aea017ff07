"""Traces: a history with what happened, as JSON that replays on another machine and with another version.

A trace holds domain words only, never a pickle or a seed alone. `SCHEMA` changes when a reader of
the old form would misread the new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, Field, Shape, listed, mapped, optional, record
from kassay.model.shape.targets import KIND

SCHEMA: Final = "kassay/trace/4"
_BEFORE_3: Final = "kassay/trace/2"
"""It keeps no conditions."""
_BEFORE_4: Final = "kassay/trace/3"
"""It does not say where the claim is broken, nor what could have been."""
_FAMILY: Final = "kassay/trace/"
SECONDS_MAX: Final = 1e9
"""The longest limit of a call that a trace may ask for."""


@dataclass(frozen=True)
class Conditions:
    """What decides beside target, protocol and case whether the claim is broken.

    `config` is that of every object, `assume` what the user and the target's author assume of inputs.
    `beside` are the claims that are judged together with the broken one, where it needs their second
    looks. `hash_seed` is that of a process in which the claim is broken, None where only kassay's own
    process showed it, whose seed is not known.
    """

    config: Mapping[str, str] = field(default_factory=dict)
    call_timeout_s: float = 2.0
    memory_mib: int = 512
    in_process: bool = False
    assume: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    hash_seed: int | None = 0


@dataclass(frozen=True)
class Trace:
    """A counterexample: what was played, against what, and which claim it broke.

    `case` is the history (or request) in JSON form, `narration` the rounds as they went (`told` in the
    document), `violations` one line each. `digest` is that of the target's source and `versions` are those
    of what played it, so that a replay can say what changed. `conditions` are None in a trace that was
    recorded before version 3.
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
    conditions: Conditions | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    broken: tuple[Mapping[str, Any], ...] = ()
    could_be: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The document of the trace; raises `ValueError` without conditions, which a trace must keep."""
        if self.conditions is None:
            raise ValueError("a trace is written with its conditions")
        return {"schema": SCHEMA, **TRACE.write(self)}


def _seconds(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise codec.wrong(path, "a number of seconds", value)
    if not (isfinite(value) and 0 < value <= SECONDS_MAX):
        raise codec.wrong(path, f"seconds above 0 and at most {SECONDS_MAX:.0f}", value)
    return float(value)


CONDITIONS: Final = record(
    Conditions,
    config=mapped(TEXT),
    call_timeout_s=Shape(_seconds),
    memory_mib=codec.whole(1, 2**40),
    in_process=codec.FLAG,
    assume=listed(TEXT),
    beside=listed(TEXT),
    hash_seed=optional(codec.whole(0, 2**32 - 1)),
)

_PARTS: Final[Mapping[str, Field | Shape[Any]]] = {
    "kind": KIND,
    "target": TEXT,
    "digest": Field(optional(TEXT), None),
    "protocol": codec.enum(RebalanceProtocol),
    "claim": TEXT,
    "contradictory": codec.FLAG,
    "case": codec.OBJECT,
    "violations": Field(listed(TEXT), ()),
    "told": Field(listed(codec.OBJECT), (), "narration"),
    "seed": Field(optional(codec.WHOLE), None),
    "index": Field(optional(codec.WHOLE), None),
}
_PLACE: Final[Mapping[str, Field | Shape[Any]]] = {"step": codec.COUNT, "round": optional(codec.COUNT)}
BROKEN: Final = listed(codec.document(**_PLACE, subject=TEXT, facts=codec.OBJECT))
"""Where a claim is broken: numbers of steps and rounds from 0, whom it is about, and named facts."""
COULD_BE: Final = codec.document(
    **_PLACE,
    by=TEXT,
    certified=codec.FLAG,
    answer=codec.ANYTHING,
    measures=codec.OBJECT,
    instead_of=codec.OBJECT,
    words=TEXT,
)
"""An answer that keeps the claim, as the told step would have it, and whose it is."""
_SINCE_3: Final = {**_PARTS, "conditions": CONDITIONS, "versions": mapped(TEXT)}
_TRACE_3: Final = record(Trace, **_SINCE_3)
TRACE: Final = record(Trace, **_SINCE_3, broken=BROKEN, could_be=optional(COULD_BE))


def _without_conditions(*, version: str, **parts: Any) -> Trace:
    return Trace(**parts, versions={"kassay": version} if version else {})


_TRACE_BEFORE_3: Final = record(_without_conditions, **_PARTS, version=Field(TEXT, ""))


def trace_of(document: object, path: str) -> Trace:
    """The trace that a document holds; raises `InputError`, with `path`, where it came from, in it."""
    fields = dict(codec.mapping(document, f"{path}:"))
    schema = fields.pop("schema", None)
    if not isinstance(schema, str) or not schema.startswith(_FAMILY):
        raise codec.wrong(f"{path}: schema", repr(SCHEMA), schema)
    if schema == _BEFORE_3:
        return _TRACE_BEFORE_3.read(fields, f"{path}:")
    if schema == _BEFORE_4:
        return _TRACE_3.read(fields, f"{path}:")
    if schema != SCHEMA:
        raise InputError(
            f"{path}: schema: {schema!r} is of another version of kassay; this one reads {SCHEMA!r}"
        )
    return TRACE.read(fields, f"{path}:")
