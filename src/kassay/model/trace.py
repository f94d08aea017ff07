"""Traces: a history and its results, as JSON that replays on other machines and in other versions.

A trace holds only domain terms, never a pickle or a bare seed. `SCHEMA` changes if a reader of the old form
would misread the new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, NamedTuple

from kassay.model.errors import MISSING, InputError
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, Field, Shape, listed, mapped, optional, record
from kassay.model.shape.parts import KIND
from kassay.model.surroundings import REMAINDERS, Surroundings

SCHEMA: Final = "kassay/trace/5"
_FAMILY: Final = "kassay/trace/"
SECONDS_MAX: Final = 1e9
"""The longest call timeout that a trace may request, in seconds."""


@dataclass(frozen=True)
class Conditions:
    """What decides whether the claim is broken, in addition to target, protocol and case.

    `config` is that of every object, `assume` the assumptions of the user and of the target's author about
    inputs. `also_checked` are the claims to check together with the broken one, if it needs their repeat
    calls. `hash_seed` is that of a process in which the claim is broken, or None if only kassay's own
    process, whose seed is unknown, showed it. `surroundings` are those of the two processes between which the
    claim is broken; empty if the surroundings do not matter. `before` are the cases that the object lives
    through before it breaks the claim; None if each call gets a new object.
    """

    config: Mapping[str, str] = field(default_factory=dict)
    call_timeout_s: float = 2.0
    memory_mib: int = 512
    in_process: bool = False
    assume: tuple[str, ...] = ()
    also_checked: tuple[str, ...] = ()
    hash_seed: int | None = 0
    surroundings: tuple[Surroundings, ...] = ()
    before: tuple[Mapping[str, Any], ...] | None = None


class Repeated(NamedTuple):
    """How often the claim was violated when the same case was played again, in how many plays."""

    plays: int
    broken: int

    @property
    def always(self) -> bool:
        """Whether every play violated it."""
        return self.broken == self.plays

    def __str__(self) -> str:
        return f"in {self.broken:,} of {self.plays:,} play{'' if self.plays == 1 else 's'}"


@dataclass(frozen=True, repr=False)
class Trace:
    """A counterexample: the case, the target, and the broken claim.

    `case` is the history (or request) in JSON form, `narration` the rounds as they ran, `violations` one line
    each. `digest` is that of the target's source and `versions` are those of the software that ran it, so
    that a replay can report differences. `answers` are those of the target in the play that is narrated, in
    full, with the answers of repeat calls; empty if they were not recorded. `repeated` counts further plays
    of the case if the target kept the claim in some of them, else it is None.
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
    conditions: Conditions = field(default_factory=Conditions)
    versions: Mapping[str, str] = field(default_factory=dict)
    broken: tuple[Mapping[str, Any], ...] = ()
    could_be: Mapping[str, Any] | None = None
    answers: tuple[Mapping[str, Any], ...] = ()
    repeated: Repeated | None = None

    def __repr__(self) -> str:
        place = "" if self.index is None else f", history {self.index} of seed {self.seed}"
        return f"<Trace: {self.target[-80:]} breaks {self.claim[:60]}{place}>"

    def to_json(self) -> dict[str, Any]:
        """The document of the trace."""
        return {"schema": SCHEMA, **TRACE.write(self)}


def _seconds(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise codec.wrong(path, "a number of seconds", value)
    if not (isfinite(value) and 0 < value <= SECONDS_MAX):
        raise codec.wrong(path, f"seconds above 0 and at most {SECONDS_MAX:.0f}", value)
    return float(value)


def _surroundings(*, variables: Mapping[str, str] | None, **parts: Any) -> Surroundings:
    return Surroundings(variables=None if variables is None else tuple(variables.items()), **parts)


def _number(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise codec.wrong(path, "a number", value)
    return float(value)


_MAYBE_TEXT: Final = Field(optional(TEXT), None, sparse=True)
_MAYBE_NUMBER: Final = Field(optional(Shape(_number)), None, sparse=True)
SURROUNDINGS: Final = record(
    _surroundings,
    clock=_MAYBE_NUMBER,
    tick=_MAYBE_NUMBER,
    pause=_MAYBE_NUMBER,
    uptime=_MAYBE_NUMBER,
    time_zone=_MAYBE_TEXT,
    locale=_MAYBE_TEXT,
    variables=Field(
        optional(mapped(TEXT)),
        None,
        lambda s: None if s.variables is None else dict(s.variables),
        sparse=True,
    ),
    folder=_MAYBE_TEXT,
    host_name=_MAYBE_TEXT,
    processors=Field(optional(codec.whole(1, 2**20)), None, sparse=True),
    user=Field(optional(codec.whole(0, 2**20)), None, sparse=True),
    load=_MAYBE_NUMBER,
    memory=Field(optional(codec.whole(1, 2**40)), None, sparse=True),
    address=Field(optional(codec.whole(0, 2**48 - 1)), None, sparse=True),
    process=Field(optional(codec.whole(0, REMAINDERS - 1)), None, sparse=True),
    hash_seed=Field(optional(codec.whole(0, 2**32 - 1)), None, sparse=True),
    modified=_MAYBE_NUMBER,
)
CONDITIONS: Final = record(
    Conditions,
    config=mapped(TEXT),
    call_timeout_s=Shape(_seconds),
    memory_mib=codec.whole(1, 2**40),
    in_process=codec.FLAG,
    assume=listed(TEXT),
    also_checked=listed(TEXT),
    hash_seed=optional(codec.whole(0, 2**32 - 1)),
    surroundings=Field(optional(listed(SURROUNDINGS)), (), lambda c: c.surroundings or None, sparse=True),
    before=Field(optional(listed(codec.OBJECT)), None, sparse=True),
)

_PLACE: Final[Mapping[str, Field | Shape[Any]]] = {"step": codec.COUNT, "round": optional(codec.COUNT)}
BROKEN: Final = listed(codec.document(**_PLACE, subject=TEXT, facts=codec.OBJECT, words=TEXT))
"""Where a claim is broken: step and round numbers from 0, the subject, named facts, and a sentence."""
COULD_BE: Final = codec.document(
    **_PLACE,
    by=TEXT,
    certified=codec.FLAG,
    answer=codec.ANYTHING,
    measures=codec.OBJECT,
    instead_of=codec.OBJECT,
    words=TEXT,
)
"""A better answer for the reported step that satisfies the claim, and its source."""


def _broken_at_most(count: Repeated, path: str) -> None:
    if count.broken > count.plays:
        raise codec.wrong(codec.inside(path, "broken"), f"at most {count.plays}, the plays", count.broken)


REPEATED: Final = record(Repeated, plays=codec.whole(1), broken=codec.COUNT).checked(_broken_at_most)
"""How often the claim was violated again, in how many plays."""
TRACE: Final = record(
    Trace,
    kind=KIND,
    target=TEXT,
    digest=Field(optional(TEXT), None),
    protocol=codec.enum(RebalanceProtocol),
    claim=TEXT,
    contradictory=codec.FLAG,
    case=codec.OBJECT,
    violations=Field(listed(TEXT), ()),
    narration=Field(listed(codec.OBJECT), ()),
    seed=Field(optional(codec.WHOLE), None),
    index=Field(optional(codec.WHOLE), None),
    conditions=CONDITIONS,
    versions=mapped(TEXT),
    broken=BROKEN,
    could_be=optional(COULD_BE),
    answers=listed(codec.OBJECT),
    repeated=optional(REPEATED),
)


def trace_of(document: object, path: str) -> Trace:
    """The trace in a document; raises `InputError` that names `path`, the origin of the document."""
    fields = dict(codec.mapping(document, f"{path}:"))
    schema = fields.pop("schema", MISSING)
    if not isinstance(schema, str) or not schema.startswith(_FAMILY):
        raise codec.wrong(f"{path}: schema", repr(SCHEMA), schema)
    if schema != SCHEMA:
        raise InputError(
            f"{path}: schema: {schema!r} is of another version of kassay; this one reads {SCHEMA!r}"
        )
    return TRACE.read(fields, f"{path}:")
