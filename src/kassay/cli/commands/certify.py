"""Test targets: generated histories, claims, counterexamples, a certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.common import (
    assume_option,
    baseline_options,
    call_timeout_option,
    config_option,
    exhaustive_option,
    histories_option,
    in_process_option,
    jobs_option,
    json_option,
    out_option,
    profile_option,
    protocol_option,
    quiet_option,
    seed_option,
    time_option,
    verbose_option,
)
from kassay.cli.options import (
    FilePath,
    commas,
    narrowing_settings,
    pairs_in_rotation,
    require_writable,
    write_json,
    written_file,
)
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.cli.certifying import Events
    from kassay.engines.runs.baseline import Baseline
    from kassay.engines.runs.options import RunOptions
    from kassay.report.screen.terminal import Detail

PLACE = 100


@click.command(
    "certify",
    epilog="Example: kassay certify path/to/my_assignor.py --time 60s --report html,junit",
)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...", shell_complete=completing.target)
@click.option(
    "--claims",
    shell_complete=completing.claims,
    help="Check only these claims, e.g. converges:2, or a TOML file's.",
)
@assume_option
@protocol_option
@time_option(shown="30s")
@histories_option()
@profile_option
@exhaustive_option
@in_process_option
@call_timeout_option
@config_option
@jobs_option
@baseline_options
@click.option(
    "--report",
    "reports",
    shell_complete=completing.formats,
    help="Also write reports: html,junit,sarif,markdown,badge.",
)
@out_option(".kassay", FilePath())
@click.option(
    "--progress",
    metavar="FILE",
    callback=written_file,
    help="Stream progress as JSON lines; `-` for standard output.",
)
@quiet_option
@verbose_option
@seed_option
@json_option
def command(targets: tuple[str, ...], **chosen: Any) -> int:
    """Run generated histories against TARGETs and check validity and the claims they declare.

    A TARGET is a reference (`sticky`), a file (`path/file.py:Name`), a module (`pkg.mod:Name`), a
    program (`exec:COMMAND`), a class of a jar (`jar:PATHS!CLASS`), an assigner of npm
    (`node:PACKAGE!EXPORT`) or a client library (`kafka-python:sticky`, `kafka-clients:sticky`).
    A property of --config that is given again configures members in rotation. A call may take 2s, with
    --profile large 20s, and a target 512 MiB.
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
        narrowed_by=narrowing_settings("claims", "assume", "exhaustive"),
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
        option
        for option, name in (("--json", "json_path"), ("--progress", "progress"))
        if chosen[name] == "-"
    ]
    if len(owners) > 1:
        raise InputError("--json - and --progress -: expected one of the two on standard output")
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
    from kassay.engines.runs.baseline import Baseline

    baseline = Baseline.at(path, update=chosen["baseline_update"])
    if baseline.written:
        require_writable(str(path), "--baseline", folder=False)
    return baseline


def _events(chosen: dict[str, Any]) -> Events | None:
    if chosen["progress"] is None:
        return None
    from kassay.cli.certifying import Events

    return Events(chosen["progress"])


def _options(chosen: dict[str, Any]) -> RunOptions:
    """The options of the run, checked before any work."""
    from kassay.api.certify import run_options

    if chosen["seconds"] is not None and chosen["histories"] is not None:
        raise InputError("--time and --histories: expected one of the two")
    if chosen["claims"] is not None and not chosen["claims"].strip(", "):
        raise InputError(f"--claims {chosen['claims']!r}: expected at least one")
    config, rotating = pairs_in_rotation(chosen["configs"], "--config")
    names = ("claims", "protocol", "histories", "seconds", "profile", "exhaustive", "seed", "call_timeout")
    return run_options(
        assume=commas(chosen["assume"], "--assume") or (),
        config={**config, **dict(rotating)},
        **{name: chosen[name] for name in (*names, "in_process", "jobs")},
    )
