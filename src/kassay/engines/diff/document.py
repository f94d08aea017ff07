"""A difference as a document that replays: `kassay/difference/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kassay.engines.diff.compare import By, Lead
from kassay.model.errors import MISSING
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.model.shape import codec
from kassay.model.shape.codec import FLAG, TEXT, Field, enum, listed, mapped, optional, record
from kassay.model.shape.parts import KIND
from kassay.model.trace import CONDITIONS, Conditions

SCHEMA: Final = "kassay/difference/1"


@dataclass(frozen=True)
class Side:
    """One of the two targets: its spec, the digest of its source if it has one, and its versions."""

    target: str
    digest: str | None = None
    protocol: RebalanceProtocol = RebalanceProtocol.EAGER
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TargetDifference:
    """A case on which two targets differ: the input, whose answers it followed, and both answers.

    `narration` has the rounds of the leading target, `lines` the first difference.
    """

    kind: Kind
    left: Side
    right: Side
    by: By
    lead: Lead
    contradictory: bool
    case: Mapping[str, Any]
    lines: tuple[str, ...]
    conditions: Conditions
    narration: tuple[Mapping[str, Any], ...] = ()
    seed: int | None = None
    index: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The document."""
        return {"schema": SCHEMA, **DIFFERENCE.write(self)}


_SIDE: Final = record(
    Side,
    target=TEXT,
    digest=optional(TEXT),
    protocol=enum(RebalanceProtocol),
    versions=mapped(TEXT),
)
DIFFERENCE: Final = record(
    TargetDifference,
    kind=KIND,
    left=_SIDE,
    right=_SIDE,
    by=enum(By),
    lead=enum(Lead),
    contradictory=FLAG,
    case=codec.OBJECT,
    lines=listed(TEXT),
    conditions=CONDITIONS,
    narration=Field(listed(codec.OBJECT), ()),
    seed=optional(codec.WHOLE),
    index=optional(codec.WHOLE),
)


def is_difference(document: object) -> bool:
    """Whether the document is a difference."""
    return isinstance(document, Mapping) and document.get("schema") == SCHEMA


def difference_of(document: object, path: str) -> TargetDifference:
    """The difference in a document; raises `InputError`, which names the file `path`, for an invalid one."""
    fields = dict(codec.mapping(document, f"{path}:"))
    schema = fields.pop("schema", MISSING)
    if schema != SCHEMA:
        raise codec.wrong(f"{path}: schema", repr(SCHEMA), schema)
    return DIFFERENCE.read(fields, f"{path}:")
