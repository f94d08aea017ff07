"""Put targets to the test: generated histories, claims, counterexamples, a certificate."""

from __future__ import annotations

from typing import Any

import click

from kassay.cli.options import (
    Duration,
    FilePath,
    commas,
    config_option,
    histories_options,
    in_process_option,
    json_option,
    pairs,
    seed_option,
    write_json,
)
from kassay.model.errors import InputError

PLACE = 100


@click.command(
    "certify",
    epilog="Example: kassay certify path/to/my_assignor.py --time 60s --report html,junit",
)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option("--claims", help="Judge these claims only, e.g. topic-even,converges:2.")
@histories_options
@in_process_option
@click.option("--call-timeout", type=Duration(), help="Limit of one call [default: 2s; large profile: 20s].")
@click.option("--memory", type=click.IntRange(min=32), default=512, show_default=True, help="MiB a target.")
@config_option
@click.option(
    "--member-config",
    "member_configs",
    multiple=True,
    metavar="K=V1,V2,...",
    help="Values that members draw from.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--baseline", type=FilePath(), help="Accepted findings; new ones still fail.")
@click.option("--baseline-update", is_flag=True, help="Write what this run found into the baseline.")
@click.option("--report", "reports", help="Also write html,junit,sarif,markdown reports.")
@click.option("--out", type=FilePath(), default=".kassay", show_default=True, help="Traces and reports.")
@seed_option
@json_option
def command(targets: tuple[str, ...], **chosen: Any) -> int:
    """Play generated histories against TARGETs and judge validity and the claims they declare.

    A TARGET is a reference (`sticky`), a file (`path/file.py:Name`), a module (`pkg.mod:Name`), a
    program (`exec:COMMAND`), a class of a jar (`jar:PATHS!CLASS`), an assigner of npm
    (`node:PACKAGE!EXPORT`) or a client library (`kafka-python:sticky`, `kafka-clients:sticky`).
    """
    from kassay.certify.runs.baseline import read_baseline
    from kassay.cli.certifying import Session
    from kassay.report.files.formats import parse_formats

    options = _options(chosen)
    asked = commas(chosen["reports"], "--report")
    formats = parse_formats(asked) if asked else ()
    baseline_path = chosen["baseline"]
    if chosen["baseline_update"] and baseline_path is None:
        raise InputError("--baseline-update: expected --baseline FILE as well")
    baseline = read_baseline(baseline_path) if baseline_path else None
    session = Session(
        options=options,
        out=chosen["out"],
        quiet=chosen["json_path"] == "-",
        baseline=baseline,
        formats=formats,
    )
    outcome = session.certify(*targets)
    if formats:
        session.write_reports()
    if chosen["baseline_update"]:
        session.update_baseline(baseline_path)
    if chosen["json_path"]:
        documents = [c.to_json() for c in session.certificates]
        write_json(documents[0] if len(set(targets)) == 1 and documents else documents, chosen["json_path"])
    return outcome


def _options(chosen: dict[str, Any]) -> Any:
    """The options of the run, checked before anything starts."""
    from kassay.certify.processes.host import Limits
    from kassay.certify.runs.options import DEFAULT_SECONDS, Budget, RunOptions
    from kassay.model.groups.assignor import RebalanceProtocol
    from kassay.properties.groups.histories.assumptions import parse_assumptions
    from kassay.properties.registry import require_claims, split_claims

    if chosen["seconds"] is not None and chosen["histories"] is not None:
        raise InputError("--time and --histories: expected one of the two")
    seconds = None if chosen["histories"] is not None else chosen["seconds"] or DEFAULT_SECONDS
    timeout = chosen["call_timeout"] or (2.0 if chosen["profile"] == "small" else 20.0)
    member_configs = pairs(chosen["member_configs"], "--member-config")
    claims = None if chosen["claims"] is None else split_claims(chosen["claims"])
    if claims is not None and not claims:
        raise InputError(f"--claims {chosen['claims']!r}: expected at least one")
    require_claims(claims or ())
    assumed = commas(chosen["assume"], "--assume")
    return RunOptions(
        claims=claims,
        assume=parse_assumptions(list(assumed)) if assumed else frozenset(),
        protocol=RebalanceProtocol(chosen["protocol"]) if chosen["protocol"] else None,
        budget=Budget(seconds, chosen["histories"]),
        profile=chosen["profile"],
        seed=chosen["seed"],
        exhaustive=chosen["exhaustive"],
        in_process=chosen["in_process"],
        limits=Limits(call_timeout_s=timeout, memory_mib=chosen["memory"]),
        config=pairs(chosen["configs"], "--config"),
        member_config=tuple((k, _values(k, v)) for k, v in member_configs.items()),
        jobs=chosen["jobs"],
    )


def _values(key: str, text: str) -> tuple[str, ...]:
    """What members draw from; raises `InputError` for an empty value."""
    values = tuple(text.split(","))
    if not all(values):
        raise InputError(
            f"--member-config {key}={text}: expected values with commas between, none of them empty"
        )
    return values
