"""Test targets: generated histories, claims, counterexamples, a certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.options import (
    Duration,
    FilePath,
    commas,
    config_option,
    histories_options,
    in_process_option,
    json_option,
    narrowing_settings,
    pairs,
    quiet_option,
    require_writable,
    seed_option,
    write_json,
    written_file,
    written_folder,
)
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.certify.runs.baseline import Baseline
    from kassay.cli.certifying import Events
    from kassay.report.screen.terminal import Detail

PLACE = 100


@click.command(
    "certify",
    epilog="Example: kassay certify path/to/my_assignor.py --time 60s --report html,junit",
)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...", shell_complete=completing.target)
@click.option(
    "--claims", shell_complete=completing.claims, help="Check only these claims, e.g. topic-even,converges:2."
)
@click.option("--claims-file", type=FilePath(), help="Also check the claims of a TOML file.")
@histories_options
@in_process_option
@click.option(
    "--call-timeout", type=Duration(), help="Limit the time of a call.  [default: 2s; large profile: 20s]"
)
@click.option(
    "--memory",
    type=click.IntRange(min=32),
    default=512,
    show_default=True,
    help="Limit the memory of a target, in MiB.",
)
@config_option
@click.option(
    "--member-config",
    "member_configs",
    multiple=True,
    metavar="K=V1,V2,...",
    help="Configure members differently: one value per member, in rotation.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Use this many processes."
)
@click.option(
    "--baseline",
    type=FilePath(),
    help="Accept the findings of this baseline.",
)
@click.option(
    "--baseline-update", is_flag=True, help="Write this run's findings to the baseline; create it if missing."
)
@click.option(
    "--report",
    "reports",
    shell_complete=completing.formats,
    help="Also write reports: html,junit,sarif,markdown,badge.",
)
@click.option(
    "--out",
    type=FilePath(),
    default=".kassay",
    show_default=True,
    callback=written_folder,
    help="Write traces and reports to this folder.",
)
@click.option(
    "--events",
    metavar="FILE",
    callback=written_file,
    help="Stream progress as JSON lines; `-` for standard output.",
)
@quiet_option
@click.option("-v", "--verbose", is_flag=True, help="Print situations reached and the basis of each verdict.")
@seed_option
@json_option
def command(targets: tuple[str, ...], **chosen: Any) -> int:
    """Run generated histories against TARGETs and check validity and the claims they declare.

    A TARGET is a reference (`sticky`), a file (`path/file.py:Name`), a module (`pkg.mod:Name`), a
    program (`exec:COMMAND`), a class of a jar (`jar:PATHS!CLASS`), an assigner of npm
    (`node:PACKAGE!EXPORT`) or a client library (`kafka-python:sticky`, `kafka-clients:sticky`).
    """
    from kassay.cli.certifying import Session
    from kassay.report.files.formats import parse_formats

    options = _options(chosen)
    reports = commas(chosen["reports"], "--report")
    session = Session(
        options=options,
        out=chosen["out"],
        detail=_detail(chosen),
        baseline=_baseline(chosen),
        formats=parse_formats(reports) if reports else (),
        events=_events(chosen),
        narrowed_by=narrowing_settings("claims", "claims-file", "assume", "exhaustive"),
    )
    outcome = session.certify(*targets)
    try:
        session.write_reports()
        if chosen["json_path"]:
            documents = [c.to_json() for c in session.certificates]
            one = len(set(targets)) == 1 and documents
            write_json(documents[0] if one else documents, chosen["json_path"])
    finally:
        session.conclude(outcome)
    return outcome


def _detail(chosen: dict[str, Any]) -> Detail | None:
    """How much is printed on standard output; None if a document goes there."""
    from kassay.report.screen.terminal import Detail

    if chosen["quiet"] and chosen["verbose"]:
        raise InputError("--quiet and --verbose: expected one of the two")
    owners = [
        option for option, name in (("--json", "json_path"), ("--events", "events")) if chosen[name] == "-"
    ]
    if len(owners) > 1:
        raise InputError("--json - and --events -: expected one of the two on standard output")
    if owners:
        return None
    return Detail.QUIET if chosen["quiet"] else Detail.VERBOSE if chosen["verbose"] else Detail.USUAL


def _baseline(chosen: dict[str, Any]) -> Baseline | None:
    """The accepted findings; raises `InputError` if the file is not a baseline or could not be written."""
    path = chosen["baseline"]
    if path is None:
        if chosen["baseline_update"]:
            raise InputError("--baseline-update: expected --baseline FILE as well")
        return None
    from kassay.certify.runs.baseline import Baseline

    baseline = Baseline.at(path, update=chosen["baseline_update"])
    if baseline.written:
        require_writable(str(path), "--baseline", folder=False)
    return baseline


def _events(chosen: dict[str, Any]) -> Events | None:
    if chosen["events"] is None:
        return None
    from kassay.cli.certifying import Events

    return Events(chosen["events"])


def _options(chosen: dict[str, Any]) -> Any:
    """The options of the run, checked before any work."""
    from kassay.certify.processes.host import Limits
    from kassay.certify.runs.options import DEFAULT_SECONDS, Budget, RunOptions
    from kassay.model.kinds import RebalanceProtocol
    from kassay.properties.assumptions import parse_assumptions
    from kassay.properties.claims import require_claims
    from kassay.properties.registry import split_claims
    from kassay.reading.documents import at

    if chosen["seconds"] is not None and chosen["histories"] is not None:
        raise InputError("--time and --histories: expected one of the two")
    seconds = None if chosen["histories"] is not None else chosen["seconds"] or DEFAULT_SECONDS
    timeout = chosen["call_timeout"] or (2.0 if chosen["profile"] == "small" else 20.0)
    member_configs = pairs(chosen["member_configs"], "--member-config")
    claims = None if chosen["claims"] is None else split_claims(chosen["claims"])
    if claims is not None and not claims:
        raise InputError(f"--claims {chosen['claims']!r}: expected at least one")
    require_claims(claims or ())
    if chosen["claims_file"] is not None:
        from kassay.reading.documents import read_sentences

        sentences = read_sentences(chosen["claims_file"])
        with at(str(chosen["claims_file"])):
            require_claims(sentences)
        claims = (*(claims or ()), *sentences)
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
    """The values of one key of the members' configuration; raises `InputError` for an empty value."""
    values = tuple(text.split(","))
    if not all(values):
        raise InputError(
            f"--member-config {key}={text}: expected values with commas between, none of them empty"
        )
    return values
