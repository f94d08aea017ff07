"""The reference pages of the site: commands, functions, what `kassay list` lists, schemas.

`docs/writers/site.py` generates them whenever it builds the site, so they are always up to date.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from inspect import cleandoc
from typing import Any, Final

import click

from kassay.cli.commands import list as listing
from kassay.cli.main import cli
from writers.api import api_page

INTRODUCTIONS: Final[Mapping[str, str]] = {
    "assignors": "Kafka's rules, and the supported client libraries, each by the name that `certify` takes. "
    "Without `--claims`, each is checked for the claims that it declares.",
    "placers": "Rules that place replicas on brokers, or plan a change of brokers.",
    "partitioners": "Rules that choose the partition of a record.",
    "coordinators": "Rules that find the coordinator of a group.",
    "kinds": "The values of `kind` in `META` and in `hello`, and the methods of a class of that kind.",
    "claims": "What a target can claim, and what every target is checked for. "
    "[Claims](../claims.md) explains how they are checked.",
    "invariants": "What must hold in every state, or in every step, of a protocol model.",
    "models": "What `kassay explore` explores; [the protocols](../protocols.md) shows their state machines.",
    "switches": "Deliberately broken rules of the protocol models; [switches](../switches.md) shows what "
    "finds each.",
    "suites": "Instances by shape and seed, for `kassay optimum`, `gap` and `rank`.",
    "proofs": "What `kassay prove` checks with Z3: a proof for all sizes, or a counterexample.",
    "situations": "What a run must reach before a claim holds.",
    "assumptions": "The values of `--assume`: inputs outside of them are neither generated nor checked.",
    "dimensions": "What is wide in every third case of a run; [wide input](../width.md) explains it.",
    "controls": "Built-in faulty targets, each with the claim that must catch it.",
    "vectors": "The formats of Kafka's own outputs that `kassay vectors` reads.",
    "words": "The words of [sentences](../sentences.md), by kind of target. `m in members` is a range.",
    "tables": "The tables of [campaigns](../campaigns.md) and of [fleets](../fleet.md). A deterministic "
    "column depends only on the spec, or on the snapshots. A time is a TIMESTAMP; `_s` is seconds.",
}


KIND: Final = "kinds"
"""The column with the kinds of a claim or a situation."""


def pages() -> dict[str, str]:
    """Each page's text by its path below `docs`, the overview first."""
    written = {
        "reference/commands.md": commands_page(),
        "reference/functions.md": api_page(),
        **{f"reference/{thing}.md": listed_page(thing) for thing in listing.THINGS},
        "reference/schemas.md": schemas_page(),
    }
    titles = {path: text.partition("\n")[0].removeprefix("# ") for path, text in written.items()}
    links = [f"* [{title}]({path.removeprefix('reference/')})" for path, title in titles.items()]
    head = "# Reference\n\nGenerated from the code whenever this site is built.\n\n"
    overview = head + "\n".join(links) + "\n"
    return {"reference/index.md": overview, **written}


def listed_page(thing: str) -> str:
    """The output of `kassay list THING`, in one table per kind of target where rows have kinds.

    Leaves out what is missing on this machine, and empty columns.
    """
    rows = listing.THINGS[thing]()
    parts = [f"# {thing.capitalize()}", INTRODUCTIONS[thing], f"`kassay list {thing}`, {len(rows)}:"]
    for kind in dict.fromkeys(row.get(KIND) for row in rows):
        several = [row for row in rows if row.get(KIND) == kind]
        columns = [c for c in rows[0] if c not in (KIND, "missing") and any(row[c] for row in several)]
        cells = [[_cell(row[c], as_name=c == columns[0]) for c in columns] for row in several]
        parts += [f"## {kind}"] * (kind is not None) + [_table(columns, cells)]
    return "\n\n".join(parts) + "\n"


def commands_page() -> str:
    """Every command: how it is called, what it does, its options."""
    context = click.Context(cli, info_name="kassay")
    parts = ["# Commands", _prose(cli.help), *_sections(cli, context)]
    return "\n\n".join(parts) + "\n"


def _sections(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from _sections(command, inner)
        else:
            yield _command(command, inner)


def _command(command: click.Command, context: click.Context) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines = [f"## {context.command_path}", f"```text\n{usage}\n```", _prose(command.help)]
    if command.epilog:
        lines.append(_prose(command.epilog))
    records = [record for p in command.get_params(context) if (record := p.get_help_record(context))]
    rows = [[_code(left), _prose(" ".join(right.split()))] for left, right in records]
    lines.append(_table(["option", "meaning"], rows))
    return "\n\n".join(lines)


def schemas_page() -> str:
    """The JSON schemas by what they are called, with the fields of each."""
    folder = resources.files("kassay.report.schemas")
    documents = [
        json.loads(each.read_text("utf-8"))
        for each in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if each.name.endswith(".json")
    ]
    parts = [
        "# Schemas",
        "Every JSON document that kassay writes names its schema in `schema`. The schemas are in the "
        "package, in `kassay/report/schemas`. A changed field raises the number; kassay still reads older "
        "documents.",
        *map(_schema, documents),
    ]
    return "\n\n".join(parts) + "\n"


def _schema(document: Mapping[str, Any]) -> str:
    required = set(document.get("required", ()))
    rows = [
        [_code(name), _type(field), "yes" if name in required else "", _prose(field.get("description", ""))]
        for name, field in document.get("properties", {}).items()
        if isinstance(field, dict)
    ]
    table = [_table(["field", "type", "required", ""], rows)] if rows else []
    return "\n\n".join([f"## {document['$id']}", _prose(document["title"]) + ".", *table])


def _type(field: Mapping[str, Any]) -> str:
    if "const" in field:
        return _code(json.dumps(field["const"]))
    if "enum" in field:
        return " ".join(_code(json.dumps(value)) for value in field["enum"])
    kinds = field.get("type", "")
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def _prose(text: str | None) -> str:
    """The text as Markdown: keeps code spans, escapes what a table or HTML would interpret."""
    return (
        cleandoc(text or "")
        .replace("\b", "")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace("|", "&#124;")
        .replace("*", "\\*")
    )


def _code(text: str) -> str:
    return f"<code>{_prose(text)}</code>"


def _cell(text: str, as_name: bool) -> str:
    return _code(text) if as_name and text else _prose(text)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
