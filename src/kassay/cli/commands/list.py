"""List assignors, claims, models, switches, suites and more, or the classes of a jar."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

from kassay.cli import completing
from kassay.cli.common import json_option
from kassay.cli.options import tabbed, write_json
from kassay.engines.listing import LISTS, REFERENCES, SCHEMA, Rows
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from kassay.engines.jars.classes import JarClass

PLACE = 210


def _tables() -> Rows:
    from kassay.pipeline.campaign.tables import TABLES
    from kassay.pipeline.fleet.tables import TABLES as FLEET_TABLES

    return [
        {
            "column": f"{table.name}.{column.name}",
            "type": column.type,
            "deterministic": "yes" if column.deterministic else "no",
            "meaning": column.meaning,
        }
        for table in (*TABLES.values(), *FLEET_TABLES.values())
        for column in table.columns
    ]


THINGS: Final[dict[str, Callable[[], Rows]]] = {**LISTS, "tables": _tables}

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
        write_json({"schema": SCHEMA, "thing": thing, "items": rows}, json_path)
    if json_path == "-":
        return
    headings = tuple(rows[0]) if rows else ("nothing that kassay can test",)
    if sys.stdout is None or not sys.stdout.isatty():  # it may be closed
        tabbed([headings, *(tuple(row.values()) for row in rows)])
        return
    from kassay.report.screen.console import console, one_line_each

    brief = BRIEF.get(thing, headings[:2])
    console().show(one_line_each(brief, [[row[name] for name in brief] for row in rows]))
