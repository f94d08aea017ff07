"""Hunt for the smallest counterexample to a claim stated in the claim language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from kassay.cli import completing
from kassay.cli.options import (
    Duration,
    FilePath,
    ScopeType,
    commas,
    gravest,
    json_option,
    narrowing_settings,
    pairs,
    present,
    seed_option,
    written_folder,
)
from kassay.cli.targets import complained, target_options
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.certify.hunts.hunt import SentenceHunt
    from kassay.certify.runs.options import RunOptions
    from kassay.certify.targets.resolve import Target

PLACE = 425


@click.command("hunt", epilog="Example: kassay hunt 'max(load) - min(load) <= 1' --on range --on roundrobin")
@click.argument("claims", nargs=-1, metavar="CLAIM...", shell_complete=completing.claims)
@click.option(
    "--on",
    "specs",
    multiple=True,
    required=True,
    metavar="TARGET",
    shell_complete=completing.target,
    help="Hunt on this target; repeatable.",
)
@click.option("--claims-file", type=FilePath(), help='Read named claims from TOML: few-moves = "moved <= 2".')
@click.option(
    "--time", "seconds", type=Duration(), help="Limit the time per claim and target.  [default: 30s]"
)
@click.option(
    "--histories", type=click.IntRange(min=0), help="Run this many histories after a complete scope."
)
@click.option(
    "--exhaustive",
    "scope",
    type=ScopeType(),
    help="Try all cases up to MxP first.  [default with --histories: by kind]",
)
@click.option(
    "--worst",
    type=click.Choice(["spread", "leaders", "moves", "rounds", "gap"]),
    help="Search for the worst case of this figure instead.",
)
@click.option("--size", type=ScopeType(), help="Set members x partitions of the worst case.")
@click.option(
    "--steps",
    type=click.IntRange(1, 1_000_000),
    default=400,
    show_default=True,
    help="Set the number of steps of a hill climb.",
)
@click.option("--assume", shell_complete=completing.assumptions, help="Narrow the inputs, e.g. no-racks.")
@click.option("--protocol", type=click.Choice(["eager", "cooperative"]), help="Play this rebalance protocol.")
@target_options
@click.option(
    "--out",
    type=FilePath(),
    default=".kassay",
    show_default=True,
    callback=written_folder,
    help="Write traces to this folder.",
)
@seed_option
@json_option
def command(claims: tuple[str, ...], **chosen: Any) -> int:
    """Hunt for the smallest counterexample to each CLAIM, or report the scope without one.

    A CLAIM is a sentence such as 'all t: spread(t) <= 1 where no_racks', or a built-in claim's id. Every
    group up to a size is tried first, then random histories. --worst searches for a target's worst case at a
    size instead. Exit codes: 0 none found, 1 a counterexample, 3 nothing was checked, 4 a target could not be
    loaded.
    """
    if chosen["worst"] is not None:
        return _worst(claims, chosen)
    if chosen["size"] is not None:
        raise InputError("--size: expected --worst as well")
    spelled = (*claims, *_from_file(chosen["claims_file"]))
    if not spelled:
        raise InputError("CLAIM: expected at least one, or --claims-file")
    if chosen["seconds"] is not None and chosen["histories"] is not None:
        raise InputError("--time and --histories: expected one of the two")
    options = _options(chosen)
    targets, missing = _loaded(chosen, options)
    if not targets:
        return 4
    hunts = list(_hunts(targets, spelled, options, chosen))
    _present(hunts, chosen)
    outcome = gravest([each.exit_code for each in hunts] or [0])
    return 4 if missing else outcome


def _worst(claims: tuple[str, ...], chosen: dict[str, Any]) -> int:
    """The worst case of each target, each with a trace that shows it."""
    from kassay.certify.hunts.worst import Badness, WorstCase, worst_case, worst_document
    from kassay.report.files.formats import saved_example
    from kassay.report.screen.console import bar, stack
    from kassay.report.screen.hunting import worst_view

    if claims or chosen["claims_file"] is not None:
        raise InputError("CLAIM and --worst: expected one of the two")
    if chosen["size"] is None:
        raise InputError("--worst: expected --size MxP as well")
    options = _options(chosen)
    targets, missing = _loaded(chosen, options)
    if not targets:
        return 4
    worst: list[WorstCase] = []
    for target in targets:
        with bar(f"the worst of {target.spec}") as tell:
            case = worst_case(
                target, Badness(chosen["worst"]), chosen["size"], options, chosen["steps"], report=tell
            )
        if case.example is not None:
            folder = chosen["out"] / "traces"
            claim = case.example.trace.claim
            case = case._replace(example=saved_example(target.spec, claim, case.example, folder))
        worst.append(case)
    documents = [worst_document(each) for each in worst]
    whole = documents[0] if len(documents) == 1 else documents
    present(whole, lambda: stack(*map(worst_view, worst)), chosen["json_path"])
    return 4 if missing else 0


def _from_file(path: Any) -> tuple[str, ...]:
    """The named sentences of a file."""
    if path is None:
        return ()
    from kassay.properties.claims import require_claims
    from kassay.reading.documents import at, read_sentences

    sentences = read_sentences(path)
    with at(str(path)):
        require_claims(sentences)
    return sentences


def _options(chosen: dict[str, Any]) -> RunOptions:
    """The options of the calls, checked before any work."""
    from kassay.certify.processes.host import Limits
    from kassay.certify.runs.options import RunOptions
    from kassay.model.kinds import RebalanceProtocol
    from kassay.properties.assumptions import parse_assumptions

    assumed = commas(chosen["assume"], "--assume")
    return RunOptions(
        assume=parse_assumptions(list(assumed)) if assumed else frozenset(),
        protocol=RebalanceProtocol(chosen["protocol"]) if chosen["protocol"] else None,
        seed=chosen["seed"],
        in_process=chosen["in_process"],
        limits=Limits(call_timeout_s=chosen["call_timeout"]),
        config=pairs(chosen["configs"], "--config"),
    )


def _loaded(chosen: dict[str, Any], options: RunOptions) -> tuple[list[Target], bool]:
    """The targets that load, each once, and whether others do not: they are reported before any is called."""
    from kassay.certify.runs.options import require_heeded
    from kassay.certify.targets.resolve import resolve
    from kassay.model.errors import TargetError

    targets, errors = [], []
    for spec in dict.fromkeys(chosen["specs"]):
        try:
            target = resolve(
                spec,
                in_process=options.in_process,
                limits=options.limits,
                config=options.config,
                protocol=options.protocol,
            )
        except TargetError as error:
            errors.append(error)
        else:
            targets.append(target)
    require_heeded(targets, options)
    return targets, complained(errors)


def _hunts(
    targets: Iterable[Target], spelled: Iterable[str], options: RunOptions, chosen: dict[str, Any]
) -> Iterable[SentenceHunt]:
    """A hunt for each claim on each target; all claims are parsed before any hunt starts."""
    from kassay.certify.hunts.hunt import HuntOptions, hunt_claim
    from kassay.properties.claims import parse_claim
    from kassay.report.files.formats import saved_example
    from kassay.report.screen.console import bar

    seconds = None if chosen["histories"] is not None else chosen["seconds"] or 30.0
    how = HuntOptions(seconds, chosen["histories"], chosen["scope"], chosen["seed"])
    narrowed_by = narrowing_settings("claims-file", "assume", "exhaustive")
    pairs_ = [(target, claim) for target in targets for claim in spelled if parse_claim(claim, target.kind)]
    for target, claim in pairs_:
        with bar(f"hunting on {target.spec}") as tell:
            hunt = hunt_claim(target, claim, how, options, tell)
        hunt = replace(hunt, narrowed_by=narrowed_by)
        example = hunt.example
        if example is not None:
            folder = chosen["out"] / "traces"
            hunt = replace(hunt, example=saved_example(target.spec, hunt.claim.id, example, folder))
        yield hunt


def _present(hunts: list[SentenceHunt], chosen: dict[str, Any]) -> None:
    from kassay.certify.hunts.document import document
    from kassay.report.screen.console import stack
    from kassay.report.screen.hunting import hunt_view

    documents = [document(each) for each in hunts]
    whole = documents[0] if len(documents) == 1 else documents
    present(whole, lambda: stack(*map(hunt_view, hunts)), chosen["json_path"])
