"""Hunt for the smallest counterexample to a claim stated in the claim language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
)
from kassay.cli.targets import complained
from kassay.model.errors import InputError
from kassay.reading.documents import one_of

if TYPE_CHECKING:
    from kassay.api.hunt import Hunted
    from kassay.engines.targets.resolve import Target
    from kassay.report.screen.console import View

PLACE = 425


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
    from kassay.api.hunt import HuntedClaims, WorstGaps, hunt
    from kassay.cli.pages import write_page, write_result, write_table
    from kassay.report.screen.console import bar

    if chosen["seconds"] is not None and chosen["histories"] is not None and chosen["worst"] is None:
        raise InputError("--time and --histories: expected one of the two")
    figure, size = _figure(chosen["worst"])
    config = pairs(chosen["configs"], "--config")
    targets, missing = _loaded(chosen["specs"], config)
    if not targets:
        return 4
    names = ("histories", "seconds", "exhaustive", "seed", "out")
    with bar("hunting") as tell:
        result = hunt(
            claims,
            on=targets,
            worst=figure,
            size=size,
            config=config,
            **{name: chosen[name] for name in names},
            progress=tell,
        )
    if isinstance(result, HuntedClaims):
        narrowed_by = narrowing_settings("exhaustive")
        result = HuntedClaims(tuple(replace(each, narrowed_by=narrowed_by) for each in result.hunts))
    present(result.to_json(), lambda: _view(result), chosen["json_path"])
    if isinstance(result, WorstGaps):
        write_page(result.page(typed_again(context)), chosen["out"], "hunt.html")
        write_table(result, chosen["out"], "hunt")
    else:
        write_result(result, chosen["out"], "hunt.html")
    return 4 if missing else _code(result)


def _figure(worst: str | None) -> tuple[str | None, tuple[int, int] | None]:
    """The figure and the size of `--worst`; gap may have no size."""
    if worst in (None, "gap"):
        return worst, None
    from kassay.engines.hunts.worst import Badness

    figure, _, size = str(worst).partition(":")
    if figure not in [*Badness]:
        raise InputError(f"--worst: unknown figure {figure!r}; expected {one_of([*Badness], figure)}")
    option = next(each for each in command.params if each.name == "worst")
    return figure, ScopeType().convert(size, option, None)


def _view(result: Hunted) -> View:
    from kassay.api.hunt import HuntedClaims, WorstCases, WorstGaps
    from kassay.report.screen.blocks import described_view
    from kassay.report.screen.console import stack
    from kassay.report.screen.gaps import hunt_view

    if isinstance(result, HuntedClaims | WorstCases):
        return described_view(result.described())
    assert isinstance(result, WorstGaps)
    return stack(*(hunt_view(each, result.paths[each.target.spec], result.options) for each in result.hunts))


def _code(result: Hunted) -> int:
    """The exit code: of the gravest hunt, or of the search for gaps."""
    from kassay.api.hunt import HuntedClaims, WorstGaps

    if isinstance(result, HuntedClaims):
        return gravest([each.exit_code for each in result.hunts] or [0])
    if isinstance(result, WorstGaps):
        if any(each.failed for each in result.hunts):
            return 1
        return 0 if all(each.finished for each in result.hunts) else 3
    return 0


def _loaded(specs: Sequence[str], config: dict[str, str]) -> tuple[list[Target], bool]:
    """The targets that load, each once, and whether others do not: they are reported before any is called."""
    from kassay.engines.processes.host import Limits
    from kassay.engines.targets.given import loaded
    from kassay.engines.targets.limits import CALL_TIMEOUT_S
    from kassay.model.errors import TargetError

    targets, errors = [], []
    for spec in dict.fromkeys(specs):
        try:
            with loaded([spec], limits=Limits(call_timeout_s=CALL_TIMEOUT_S), config=config) as ready:
                targets += ready
        except TargetError as error:
            errors.append(error)
    return targets, complained(errors)
