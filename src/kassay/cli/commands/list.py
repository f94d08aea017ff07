"""List assignors, placers, partitioners, claims, models, switches or suites."""

from __future__ import annotations

import click

from kassay.cli.options import json_option, write_json
from kassay.model.kinds import GROUPS, Kind

PLACE = 40

THINGS = (
    "assignors",
    "placers",
    "partitioners",
    "coordinators",
    "claims",
    "invariants",
    "models",
    "switches",
    "suites",
    "proofs",
    "situations",
    "assumptions",
    "controls",
    "vectors",
)


@click.command("list", epilog="Example: kassay list assignors")
@click.argument("thing", type=click.Choice(THINGS))
@json_option
def command(thing: str, json_path: str | None) -> int:
    """List what there is of one THING."""
    from rich.table import Table

    from kassay.report.screen.terminal import console

    rows = _rows(thing)
    if json_path:
        write_json({"schema": "kassay/list/2", "thing": thing, "items": rows}, json_path)
    if json_path != "-":
        table = Table(box=None, pad_edge=False)
        for name in rows[0] if rows else ():
            table.add_column(name, overflow="fold")
        for row in rows:
            table.add_row(*(str(value) for value in row.values()))
        console().print(table)
    return 0


def _rows(thing: str) -> list[dict[str, str]]:
    """One dictionary a line of the table."""
    if thing == "claims":
        from kassay.properties.registry import load_claims

        merged: dict[tuple[str, str], list[Kind]] = {}
        held = load_claims()
        for (kind, claim_id), claim in held.items():
            merged.setdefault((claim_id, claim.sentence), []).append(kind)
        return [
            {
                "claim": claim_id,
                "kinds": " ".join(map(str, kinds)),
                "held against": "every target" if held[kinds[0], claim_id].validity else "who declares it",
                "holds when": sentence,
                "source": held[kinds[0], claim_id].source,
            }
            for (claim_id, sentence), kinds in merged.items()
        ]
    if thing == "situations":
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
    if thing == "assumptions":
        from kassay.properties.groups.assumptions import ASSUMPTIONS

        return [{"assumption": name} for name in ASSUMPTIONS]
    if thing == "controls":
        from kassay.certify.faulty.registry import load_controls

        return [
            {
                "control": c.name,
                "kind": c.kind.value,
                "must break": c.breaks,
                "fault": (c.factory.__doc__ or "").splitlines()[0],
            }
            for c in load_controls()
        ]
    if thing == "vectors":
        from kassay.certify.vectors.registry import load_formats

        return [
            {
                "algorithm": f.algorithm,
                "reference": f.reference if isinstance(f.reference, str) else "by vector",
            }
            for f in load_formats().values()
        ]
    if thing == "invariants":
        from kassay.properties.protocols.registry import load_invariants

        return [
            {"invariant": one.name, "id": one.short, "holds when": one.claim, "source": one.source}
            for one in load_invariants().values()
        ]
    if thing == "models":
        from kassay.certify.protocols.settings import MODELS

        return [{"model": name, "what": sentence} for name, sentence in MODELS.items()]
    if thing == "switches":
        from kassay.certify.protocols.switches import SWITCHES

        return [
            {"switch": s.name, "model": s.model, "wrong rule": s.bug, "effect": s.effect}
            for s in SWITCHES.values()
        ]
    if thing == "suites":
        from kassay.solver.instances.suites import SUITES

        return [{"suite": name, "instances": sentence} for name, sentence in SUITES.items()]
    if thing == "proofs":
        from kassay.solver.proofs.obligation import obligations

        return [
            {"proof": o.name, "expected": str(o.expected), "which says": o.sentence, "source": o.source}
            for o in obligations()
        ]
    return _references(
        {
            "assignors": (*GROUPS, Kind.STREAMS),
            "placers": (Kind.PLACER, Kind.PLANNER),
            "partitioners": (Kind.PARTITIONER,),
            "coordinators": (Kind.COORDINATOR,),
        }[thing]
    )


def _references(kinds: tuple[Kind, ...]) -> list[dict[str, str]]:
    from kassay.assignors.registry import load_all, load_foreign

    return [
        {
            "target": spec,
            "kind": found.kind.value,
            "protocol": found.protocol.value,
            "declares": " ".join(found.claims),
            "rule": found.summary,
            "source": found.source,
        }
        for spec, found in (load_all() | load_foreign()).items()
        if found.kind in kinds
    ]
