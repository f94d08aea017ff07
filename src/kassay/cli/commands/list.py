"""List assignors, claims, models, switches, suites and more, or the classes of a jar."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from kassay.cli import completing
from kassay.cli.common import json_option
from kassay.cli.options import tabbed, write_json
from kassay.model.errors import InputError
from kassay.model.kinds import Kind

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from kassay.engines.jars.classes import JarClass
    from kassay.properties.registry import ClaimKind

PLACE = 210

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


def _tables() -> Rows:
    from kassay.pipeline.campaign.tables import TABLES

    return [
        {
            "column": f"{table.name}.{column.name}",
            "type": column.type,
            "deterministic": "yes" if column.deterministic else "no",
            "meaning": column.meaning,
        }
        for table in TABLES.values()
        for column in table.columns
    ]


THINGS: Final[dict[str, Callable[[], Rows]]] = {
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
    "tables": _tables,
}

BRIEF: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(REFERENCES, ("target", "rule")),
    "kinds": ("kind", "a class has"),
    "claims": ("claim", "holds when"),
    "invariants": ("invariant", "id", "holds when"),
    "models": ("model", "what"),
    "switches": ("switch", "model", "wrong rule"),
    "suites": ("suite", "instances"),
    "proofs": ("proof", "expected", "which says"),
    "situations": ("situation", "the input"),
    "assumptions": ("assumption",),
    "dimensions": ("kind", "dimension", "classes"),
    "controls": ("control", "fault"),
    "vectors": ("algorithm", "reference"),
    "words": ("word", "kinds", "meaning"),
    "tables": ("column", "meaning"),
}
"""The columns on a terminal; the last one is cut at its edge."""

JAR: Final = "jar:"


def _jar(thing: str) -> Rows:
    from kassay.engines.jars.classes import candidates
    from kassay.reading.specs import Inside, parse

    spec = parse(thing)
    if not isinstance(spec, Inside) or spec.name is not None:
        raise InputError(
            f"{thing}: expected jar:FILE, all of which is listed, perhaps with more jars behind colons"
        )
    return [
        {
            "class": one.name,
            "kind": one.interfaces[0].kind,
            "level": one.interfaces[0].level,
            "implements": " ".join(interface.name for interface in one.interfaces),
            "note": _note(one),
        }
        for one in candidates(spec.places)
    ]


def _note(one: JarClass) -> str:
    if not one.public:
        return "no public constructor that Kafka calls"
    return f"tested as a {one.interfaces[0].kind}" if len(one.interfaces) > 1 else ""


class Thing(click.Choice[str]):
    """A thing to list, or a jar."""

    def __init__(self) -> None:
        super().__init__(list(THINGS))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The things, or files of jars."""
        return [*super().shell_complete(ctx, param, incomplete), *completing.file(ctx, param, incomplete)]

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002
        """What can be listed, in one line."""
        return f"Expected {JAR}FILE or one of {', '.join(THINGS)}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name of the thing, or the jar as typed."""
        if str(value).startswith(JAR):
            return str(value)
        if value not in THINGS:
            from kassay.reading.documents import suggestion

            raise InputError(
                f"unknown list {value!r}{suggestion(str(value), THINGS)}; "
                f"expected {JAR}FILE or one of {', '.join(THINGS)}"
            )
        return super().convert(value, param, ctx)


@click.command("list", epilog="Example: kassay list assignors; kassay list jar:my-assignors.jar")
@click.argument("thing", metavar="THING", type=Thing())
@json_option
def command(thing: str, json_path: str | None) -> None:
    """List every THING of a kind; `jar:FILE` lists the testable classes of a jar.

    A THING is one of assignors, placers, partitioners, coordinators, kinds, claims, invariants, models,
    switches, suites, proofs, situations, assumptions, dimensions, controls, vectors, words and tables.

    One line each; `kassay explain` has the details. In a pipe all columns, separated by tabs.
    """
    rows = _jar(thing) if thing.startswith(JAR) else THINGS[thing]()
    if json_path:
        write_json({"schema": "kassay/list/3", "thing": thing, "items": rows}, json_path)
    if json_path == "-":
        return
    headings = tuple(rows[0]) if rows else ("nothing that kassay can test",)
    if not sys.stdout.isatty():
        tabbed([headings, *(tuple(row.values()) for row in rows)])
        return
    from kassay.report.screen.console import console, one_line_each

    brief = BRIEF.get(thing, headings[:2])
    console().show(one_line_each(brief, [[row[name] for name in brief] for row in rows]))
