"""Tables of everything that has a name: references, claims, models, switches, suites and more."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.model.kinds import Kind

if TYPE_CHECKING:
    from kassay.properties.registry import ClaimKind

SCHEMA: Final = "kassay/list/3"
REFERENCES: Final = ("assignors", "placers", "partitioners", "coordinators")
"""The lists of references; the kind of a reference says in which it is."""

Rows = list[dict[str, str]]
"""One dictionary per line of the table."""


def _references(name: str) -> Rows:
    from kassay.assignors.registry import Reference, load_all
    from kassay.engines.targets.resolve import Offer, ways

    listed: list[tuple[Reference | Offer, str, str]] = [
        *((reference, reference.releases, "") for reference in load_all().values()),
        *((offer, "", offer.missing()) for way in ways() for offer in way.offers()),
    ]
    return [
        {
            "target": each.spec,
            "kind": each.kind.name,
            "protocol": each.protocol.value,
            "declares": " ".join(each.claims),
            "releases": releases,
            "rule": each.summary,
            "source": each.source,
            "missing": missing,
        }
        for each, releases, missing in listed
        if each.kind.listed == name
    ]


def _kinds() -> Rows:
    from kassay.assignors.plain_answers import CALLED
    from kassay.model.kinds import every_kind

    return [
        {
            "kind": kind.meta,
            "judged as": str(kind),
            "a class has": CALLED[kind.meta],
            "as a program": f"from exec protocol {kind.exec_version}" if kind.exec_version > 1 else "yes",
        }
        for kind in every_kind()
        if kind.meta
    ]


def _claims() -> Rows:
    from kassay.properties.registry import load_claims

    merged: dict[tuple[str, str], list[Kind]] = {}
    held = load_claims()
    for (kind, claim_id), claim in held.items():
        merged.setdefault((claim_id, claim.sentence), []).append(kind)
    return [
        {
            "claim": claim_id,
            "kinds": " ".join(map(str, kinds)),
            "argument": parameter.expected if (parameter := held[kinds[0], claim_id].parameter) else "",
            "held against": _held_against(held[kinds[0], claim_id]),
            "holds when": sentence,
            "source": held[kinds[0], claim_id].source,
        }
        for (claim_id, sentence), kinds in merged.items()
    ]


def _held_against(claim: ClaimKind) -> str:
    """The targets on which the claim is checked."""
    if claim.validity_of is not None:
        return f"every {claim.validity_of} target"
    return "every target" if claim.validity else "who declares it"


def _situations() -> Rows:
    from kassay.properties.registry import load_situations

    return [
        {
            "situation": s.id,
            "kinds": " ".join(map(str, s.kinds)),
            "the input": s.sentence,
            "required by": " ".join(s.required_by),
        }
        for s in dict.fromkeys(load_situations().values())
    ]


def _dimensions() -> Rows:
    from kassay.kinds.registry import driver_for
    from kassay.kinds.wide import dimensions
    from kassay.model.kinds import every_kind

    return [
        {
            "kind": kind.name,
            "dimension": each.id,
            "classes": ", ".join(each.classes),
            "legal": each.legal,
            "excluded by": " ".join(each.excluded_by),
        }
        for kind in every_kind()
        if kind.certified
        for each in dimensions(driver_for(kind))
    ]


def _assumptions() -> Rows:
    from kassay.properties.assumptions import every_assumption

    return [{"assumption": name} for name in every_assumption()]


def _controls() -> Rows:
    from kassay.kinds.controls import load_controls

    return [
        {
            "control": c.name,
            "kind": c.kind.name,
            "must break": c.breaks,
            "fault": (c.factory.__doc__ or "").splitlines()[0],
        }
        for c in load_controls()
    ]


def _vectors() -> Rows:
    from kassay.engines.vectors.check import every_format

    return [
        {"algorithm": f.algorithm, "reference": f.reference if isinstance(f.reference, str) else "by vector"}
        for f in every_format().values()
    ]


def _invariants() -> Rows:
    from kassay.properties.protocols.registry import load_invariants

    return [
        {"invariant": one.name, "id": one.short, "holds when": one.claim, "source": one.source}
        for one in load_invariants().values()
    ]


def _models() -> Rows:
    from kassay.engines.protocols.settings import MODELS

    return [{"model": name, "what": sentence} for name, sentence in MODELS.items()]


def _switches() -> Rows:
    from kassay.engines.protocols.switch_runs import command as walk_of
    from kassay.engines.protocols.switches import SWITCHES
    from kassay.engines.protocols.variants import VARIANTS, WORDS

    return [
        *(
            {
                "switch": name,
                "model": models[0] if len(models) == 1 else "several",
                "wrong rule": "none: a variant",
                "effect": f"{WORDS[name]} ({', '.join(models)})",
                "found by": "",
                "command": f"kassay explore {models[0]} --switch {name}",
            }
            for name, models in VARIANTS.items()
        ),
        *(
            {
                "switch": s.name,
                "model": s.model,
                "wrong rule": s.bug,
                "effect": s.effect,
                "found by": ", ".join(s.shows),
                "command": walk_of(s),
            }
            for s in SWITCHES.values()
        ),
    ]


def _suites() -> Rows:
    from kassay.solver.instances.suites import SUITES

    return [{"suite": name, "instances": sentence} for name, sentence in SUITES.items()]


def _proofs() -> Rows:
    from kassay.solver.proofs.obligation import obligations

    return [
        {"proof": o.name, "expected": str(o.expected), "which says": o.sentence, "source": o.source}
        for o in obligations()
    ]


def _words() -> Rows:
    from kassay.properties.sentences.vocabulary import FUNCTIONS, checked_on
    from kassay.properties.sentences.words import VOCABULARIES

    rows = [("every kind", name, each.meaning, "") for name, each in FUNCTIONS.items()]
    for words in {words.kinds: words for words in VOCABULARIES.values()}.values():
        kinds = " ".join(map(str, words.kinds))
        rows += [(kinds, f"{each.letter} in {each.name}", each.meaning, "") for each in words.things]
        rows += [(kinds, words.form(each), each.meaning, checked_on(each)) for each in words.measures]
    return [
        {"word": word, "kinds": kinds, "meaning": meaning, "checked on": scope}
        for kinds, word, meaning, scope in rows
    ]


LISTS: Final[dict[str, Callable[[], Rows]]] = {
    **{name: partial(_references, name) for name in REFERENCES},
    "kinds": _kinds,
    "claims": _claims,
    "invariants": _invariants,
    "models": _models,
    "switches": _switches,
    "suites": _suites,
    "proofs": _proofs,
    "situations": _situations,
    "assumptions": _assumptions,
    "dimensions": _dimensions,
    "controls": _controls,
    "vectors": _vectors,
    "words": _words,
}

_BRIEF: Final = ("models", "switches", "invariants", "situations", "suites", "proofs", "assumptions", "kinds")
"""Lists whose items have no more to explain than their row."""


class ListedItem(NamedTuple):
    """An item of a list, with its row."""

    thing: str
    row: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/list/3`."""
        return {"schema": SCHEMA, "thing": self.thing, "items": [self.row]}


def item_named(name: str) -> ListedItem | None:
    """The item of this name which is neither a claim nor a reference nor a file; None if there is none."""
    from kassay.assignors import registry
    from kassay.properties.registry import load_claims
    from kassay.reading.documents import is_there

    if not name or is_there(name):
        return None
    if registry.find(name) is not None or any(known == name.partition(":")[0] for _, known in load_claims()):
        return None
    items = (ListedItem(thing, row) for thing in _BRIEF for row in LISTS[thing]())
    return next((each for each in items if name in (next(iter(each.row.values())), each.row.get("id"))), None)
