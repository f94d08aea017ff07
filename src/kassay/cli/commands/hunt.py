"""Hunt for the smallest counterexample to a claim stated in the claim language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kassay.cli import completing
from kassay.cli.common import (
    config_option,
    exhaustive_option,
    histories_option,
    json_option,
    out_option,
    seed_option,
    time_option,
)
from kassay.cli.options import (
    FilePath,
    ScopeType,
    gravest,
    narrowing_settings,
    pairs,
    present,
    typed_again,
    write_json,
)
from kassay.cli.targets import CALL_TIMEOUT_S, asked_again, complained, measurable
from kassay.model.errors import InputError
from kassay.reading.documents import is_there, one_of

if TYPE_CHECKING:
    from kassay.engines.hunts.hunt import SentenceHunt
    from kassay.engines.optimum.gaps import Hunt
    from kassay.engines.runs.options import RunOptions
    from kassay.engines.targets.resolve import Target

PLACE = 425
STEPS: Final = 400
"""The steps of a hill climb."""


@click.command("hunt", epilog="Example: kassay hunt 'max(load) - min(load) <= 1' --on range --on roundrobin")
@click.argument("claims", nargs=-1, metavar="[CLAIM|FILE...]", shell_complete=completing.hunted)
@click.option(
    "--on",
    "specs",
    multiple=True,
    required=True,
    metavar="TARGET",
    shell_complete=completing.target,
    help="Hunt on this target; repeatable.",
)
@click.option(
    "--worst",
    metavar="FIGURE[:MxP]",
    help="Search for the worst spread, leaders, moves, rounds or gap.",
)
@time_option(shown="30s")
@histories_option(0)
@exhaustive_option
@config_option
@out_option(".kassay", FilePath())
@seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, claims: tuple[str, ...], **chosen: Any) -> int:
    """Hunt for the smallest counterexample to each CLAIM, or report the scope without one.

    A CLAIM is a sentence such as 'all t: spread(t) <= 1 where no_racks', a built-in claim's id, or a FILE
    (TOML) of named sentences. Every group up to a size is tried first, then random histories. --worst
    spread:4x10 searches for a target's worst case at that size by a hill climb of --histories steps (400),
    --worst gap for the instances farthest from the optimum. Exit codes: 0 none found, 1 a counterexample or
    a failure, 3 nothing was checked, 4 a target could not be loaded.
    """
    if chosen["worst"] == "gap":
        return _worst_gap(claims, chosen, typed_again(context))
    if chosen["worst"] is not None:
        return _worst(claims, chosen)
    spelled = tuple(sentence for claim in claims for sentence in _sentences(claim))
    if not spelled:
        raise InputError("CLAIM: expected at least one, or a TOML file of them")
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
    from kassay.engines.hunts.worst import Badness, WorstCase, worst_case, worst_document
    from kassay.report.files.formats import saved_example
    from kassay.report.screen.console import bar, stack
    from kassay.report.screen.hunting import worst_view

    if claims:
        raise InputError("CLAIM and --worst: expected one of the two")
    figure, _, size = chosen["worst"].partition(":")
    if figure not in [*Badness]:
        raise InputError(f"--worst: unknown figure {figure!r}; expected {one_of([*Badness], figure)}")
    option = next(each for each in command.params if each.name == "worst")
    scope = ScopeType().convert(size, option, None)
    steps = STEPS if chosen["histories"] is None else chosen["histories"]
    if not steps:
        raise InputError("--histories 0: a hill climb has at least one")
    options = _options(chosen)
    targets, missing = _loaded(chosen, options)
    if not targets:
        return 4
    worst: list[WorstCase] = []
    for target in targets:
        with bar(f"the worst of {target.spec}") as tell:
            case = worst_case(target, Badness(figure), scope, options, steps, report=tell)
        if case.example is not None:
            folder = chosen["out"] / "traces"
            claim = case.example.trace.claim
            case = case._replace(example=saved_example(target.spec, claim, case.example, folder))
        worst.append(case)
    documents = [worst_document(each) for each in worst]
    whole = documents[0] if len(documents) == 1 else documents
    present(whole, lambda: stack(*map(worst_view, worst)), chosen["json_path"])
    return 4 if missing else 0


def _worst_gap(claims: tuple[str, ...], chosen: dict[str, Any], again: str) -> int:
    """The instances on which each target is farthest from the optimum, one for each objective."""
    from kassay.cli.pages import write_page
    from kassay.engines.optimum.gaps import FAMILY, hunt, kinds_of
    from kassay.report.pages.gaps import render_hunt
    from kassay.report.screen.console import bar, stack
    from kassay.report.screen.gaps import hunt_view

    if claims:
        raise InputError("CLAIM and --worst: expected one of the two")
    targets, errors = measurable(chosen["specs"], chosen, kinds_of(FAMILY))
    if not targets:
        return 4
    complained(errors)
    hunts = []
    for target in targets:
        with bar(f"hunting {target.spec}") as tell:
            hunts.append(hunt(target, chosen["seed"], chosen["seconds"] or 20.0, tell))
    kept = {each.target.spec: _keep(each, chosen["out"]) for each in hunts}
    documents = [each.to_json() for each in hunts]
    options = asked_again(chosen)
    write_page(render_hunt(hunts, kept, options, again), chosen["out"], "hunt.html")
    views = (hunt_view(each, kept[each.target.spec], options) for each in hunts)
    present(documents[0] if len(documents) == 1 else documents, lambda: stack(*views), chosen["json_path"])
    if any(each.failed for each in hunts):
        return 1
    return 4 if errors else 0 if all(each.finished for each in hunts) else 3


def _keep(hunt: Hunt, out: Path) -> dict[str, str]:
    """Write the worst instance of each objective; returns the paths by objective."""
    from kassay.writing.files import file_name

    paths = {}
    for objective, worst in hunt.worst.items():
        path = out / "instances" / file_name(hunt.target.spec, objective, suffix=".json")
        write_json(worst.problem.document(), str(path))
        paths[objective] = str(path)
    return paths


def _sentences(claim: str) -> tuple[str, ...]:
    """The claim itself, or the named sentences of a TOML file."""
    if not claim.endswith(".toml"):
        if is_there(claim):
            raise InputError(f"{claim}: expected a file of named claims whose name ends in .toml")
        return (claim,)
    from kassay.properties.claims import require_claims
    from kassay.reading.documents import at, read_sentences

    sentences = read_sentences(Path(claim))
    with at(claim):
        require_claims(sentences)
    return tuple(sentences)


def _options(chosen: dict[str, Any]) -> RunOptions:
    """The options of the calls, checked before any work."""
    from kassay.engines.processes.host import Limits
    from kassay.engines.runs.options import RunOptions

    return RunOptions(
        seed=chosen["seed"],
        limits=Limits(call_timeout_s=CALL_TIMEOUT_S),
        config=pairs(chosen["configs"], "--config"),
    )


def _loaded(chosen: dict[str, Any], options: RunOptions) -> tuple[list[Target], bool]:
    """The targets that load, each once, and whether others do not: they are reported before any is called."""
    from kassay.engines.runs.options import require_heeded
    from kassay.engines.targets.resolve import resolve
    from kassay.model.errors import TargetError

    targets, errors = [], []
    for spec in dict.fromkeys(chosen["specs"]):
        try:
            target = resolve(
                spec,
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
    from kassay.engines.hunts.hunt import HuntOptions, hunt_claim
    from kassay.properties.claims import parse_claim
    from kassay.report.files.formats import saved_example
    from kassay.report.screen.console import bar

    seconds = None if chosen["histories"] is not None else chosen["seconds"] or 30.0
    how = HuntOptions(seconds, chosen["histories"], chosen["exhaustive"], chosen["seed"])
    narrowed_by = narrowing_settings("exhaustive")
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
    from kassay.cli.pages import write_described
    from kassay.engines.hunts.document import document
    from kassay.report.described import hunts_described
    from kassay.report.screen.blocks import described_view

    documents = [document(each) for each in hunts]
    whole = documents[0] if len(documents) == 1 else documents
    present(whole, lambda: described_view(hunts_described(hunts)), chosen["json_path"])
    write_described(hunts_described(hunts), chosen["out"], "hunt.html")
