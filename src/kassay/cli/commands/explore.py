"""Explore every state of a protocol model, with faults, and check its invariants."""

from __future__ import annotations

import platform
import resource
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kassay.cli import completing
from kassay.cli.common import (
    against_option,
    baseline_options,
    config_option,
    jobs_option,
    json_option,
    out_option,
    protocol_option,
    release_option,
    seed_option,
    time_option,
    verbose_option,
)
from kassay.cli.exploring import FINGERPRINTS_FROM, ByModel, assignor_of, settings_of
from kassay.cli.options import Whole, present, require_writable, typed_again
from kassay.cli.spark import uses_spark
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.engines.protocols.explore import ExploreResult
    from kassay.engines.protocols.known import Known
    from kassay.engines.protocols.settings import ExploreSettings
    from kassay.model.explore.values import WalkProgress


PLACE = 500
WALKED: Final = ".kassay/walk"


@click.command(
    "explore",
    cls=ByModel,
    epilog="All that a model takes: kassay explore classic --help. "
    "Example: kassay explore classic --protocol cooperative --faults crash=1,pause=1,failover=1",
)
@click.argument("model", shell_complete=completing.model)
@click.option("--members", type=int, metavar="N", default=2, show_default=True, help="Set the clients.")
@click.option(
    "--partitions",
    type=int,
    metavar="N",
    default=2,
    show_default=True,
    help="Set the partitions or tasks.",
)
@click.option(
    "--topics", default="1", metavar="N[,N...]", show_default=True, help="Set the topics, or each client's."
)
@click.option(
    "--faults",
    default="",
    metavar="NAME=N,...",
    help="Set the budget of faults, e.g. crash=1.  [default: none]",
)
@click.option(
    "--switch",
    "switches",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.switch,
    help="Change a rule; `each`: break one after another.",
)
@release_option("4.4.0")
@against_option
@click.option(
    "--assignor",
    metavar="RULE",
    shell_complete=completing.target,
    help="Use a reference, a file or any-balanced.  [default: any-balanced]",
)
@protocol_option
@click.option(
    "--network",
    metavar="LEVEL",
    default="atomic",
    show_default=True,
    help="Choose atomic (N0), steps (N1) or astray (N2).",
)
@click.option(
    "--records",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Set the records per partition (steps, astray).",
)
@click.option(
    "--clock",
    metavar="LEVEL",
    default="timeless",
    show_default=True,
    help="Choose timeless (T0) or ticks (T1).",
)
@config_option
@click.option(
    "--max-states",
    type=Whole(min=1),
    metavar="N",
    default=500_000,
    show_default=True,
    help="Stop after this many states.",
)
@time_option()
@click.option(
    "--states",
    type=click.Choice(["whole", "symmetric", "fingerprints"]),
    metavar="HOW",
    help="Store whole, symmetric or fingerprints of states.  [default: by size]",
)
@jobs_option
@verbose_option
@baseline_options
@out_option(None)
@seed_option
@json_option
@click.pass_context
def command(context: click.Context, /, model: str, **chosen: Any) -> int:
    """Explore every reachable state of MODEL: zookeeper, draft, classic, kip848, migration or streams.

    Reports the size, violated invariants with a shortest trace, dead ends and livelocks. A client that an
    error ends is an outcome, not a violation. -v prints a trace for each cause and dead end
    (of one process). --out DIR writes a page and Mermaid diagrams. With --against,
    1 means that the releases differ. With --config spark.master=M, Spark explores; DIR keeps the progress.
    Exit codes: 0 holds, 1 violated, 3 unknown: a limit is reached.
    """
    from kassay.engines.protocols.known import unknown
    from kassay.model.kinds import Verdict
    from kassay.report.screen.exploration import exploration_view, reasons

    if "each" in chosen["switches"]:
        return _each_switch(model, chosen["release"], chosen["json_path"])
    chosen["spark"] = uses_spark(chosen)
    folder = chosen["out"]
    if folder is not None and not chosen["spark"]:
        _require_folder(folder)
    with assignor_of(chosen["assignor"], model) as assignor:
        settings = settings_of(model, chosen, assignor)
        if chosen["against"] is not None:
            return _against(settings, chosen)
        result = _explored(settings, folder or WALKED, chosen)
    again = typed_again(context)
    known = _known(chosen, model, result)
    view = partial(
        exploration_view,
        result,
        replay=again,
        every=chosen["verbose"],
        verbose=chosen["verbose"],
        known=known.get(model, {}),
    )
    if folder is not None and "://" not in folder:
        _write_page(result, again, Path(folder))
    present(result.to_json(), view, chosen["json_path"])
    if result.verdict is Verdict.VIOLATED and not unknown(known, model, reasons(result)):
        return 0
    return {"holds": 0, "violated": 1}.get(str(result.verdict), 3)


def _each_switch(model: str, release: str, json_path: str | None) -> int:
    """Break each rule of the model in turn; 0 if the expected check finds each, and nothing else is found."""
    from kassay.engines.protocols.switch_runs import names_of, rows
    from kassay.engines.protocols.switches import SWITCHES
    from kassay.model.protocols.values.releases import RELEASES
    from kassay.reading.documents import one_of
    from kassay.report.screen.console import bar
    from kassay.report.screen.exploration import rows_json, switches_view

    models = tuple(dict.fromkeys(switch.model for switch in SWITCHES.values()))
    if model not in models:
        raise InputError(f"no switches for model {model!r}; expected {one_of(models, model)}")
    if release not in RELEASES:
        raise InputError(f"--release: unknown release {release!r}; expected {one_of(RELEASES, release)}")
    names = names_of(model, release)
    if not names:
        raise InputError(f"--release: {model} is older than {release}; expected another model")
    with bar("walking", len(names)) as progress:
        walked = rows(model, progress, release)
    present(rows_json(walked), lambda: switches_view(walked), json_path)
    return 0 if all(row.holds for row in walked) else 1


def _write_page(result: ExploreResult, again: str, folder: Path) -> None:
    """Write the page, and the traces as Mermaid diagrams next to it."""
    from kassay.cli.pages import write_page
    from kassay.report.pages.exploration import render
    from kassay.report.screen.exploration import mermaid_text
    from kassay.writing.files import write_text

    write_page(render(result, again=again), folder, "exploration.html")
    if text := mermaid_text(result):
        write_text(text, str(folder / "exploration.mmd"))


def _against(settings: ExploreSettings, chosen: dict[str, Any]) -> int:
    """Compare two releases of the model. Raises InputError."""
    from kassay.engines.protocols.against import compare_releases
    from kassay.model.explore.values import WalkLimits
    from kassay.report.screen.exploration import against_view

    limits = WalkLimits(chosen["max_states"], chosen["seconds"])
    result = compare_releases(settings, chosen["against"], limits)
    present(result.to_json(), lambda: against_view(result), chosen["json_path"])
    return 1 if result.differs else 3 if result.limit else 0


def _known(chosen: dict[str, Any], model: str, result: ExploreResult) -> Known:
    """The findings of the baseline; with `--baseline-update`, this run's are added to it."""
    from kassay.engines.protocols.known import read_known, with_known, write_known
    from kassay.report.screen.exploration import reasons

    path: Path | None = chosen["baseline"]
    if path is None:
        if chosen["baseline_update"]:
            raise InputError("--baseline-update: expected --baseline FILE as well")
        return {}
    if not chosen["baseline_update"]:
        return read_known(path)
    known = with_known(read_known(path) if path.exists() else {}, model, reasons(result))
    write_known(path, known)
    return known


def _progress(walked: WalkProgress) -> str:
    """Progress of the exploration: depth, rate, memory."""
    rate = walked.states / walked.elapsed_s if walked.elapsed_s else 0.0
    return f"{walked.states:,} states, depth {walked.depth}, {rate:,.0f}/s, {_peak_mib():,} MiB"


def _peak_mib() -> int:
    """The peak memory of this process, or of a child process that has ended, in MiB."""
    unit = 1 << 20 if platform.system() == "Darwin" else 1 << 10
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(whose).ru_maxrss for whose in both) // unit


def _explored(settings: ExploreSettings, folder: str, chosen: dict[str, Any]) -> ExploreResult:
    """The result of an exploration in this process, or on Spark."""
    from kassay.model.explore.values import WalkLimits

    apart = chosen["verbose"] and chosen["jobs"] == 1 and not chosen["spark"]
    limits = WalkLimits(chosen["max_states"], chosen["seconds"], all_causes=apart)
    symmetry = {"whole": False, "symmetric": True}.get(chosen["states"])
    if chosen["spark"]:
        from kassay.cli.spark import walked

        if chosen["jobs"] > 1:
            raise InputError("--jobs: Spark has workers of its own; expected spark.master without it")
        return walked(settings, limits, folder, chosen["configs"], symmetry)
    from kassay.engines.protocols.explore import explore
    from kassay.report.screen.console import bar

    with bar("exploring", limits.states_max) as show:
        return explore(
            settings,
            limits,
            seed=chosen["seed"],
            symmetry=symmetry,
            fingerprints=_by_fingerprints(chosen),
            jobs=chosen["jobs"],
            progress=lambda walked: show(walked.states, _progress(walked)),
        )


def _by_fingerprints(chosen: dict[str, Any]) -> bool:
    """Whether states are stored as fingerprints: chosen, or one process may meet too many for whole ones."""
    if chosen["states"] is not None:
        return bool(chosen["states"] == "fingerprints")
    large = chosen["max_states"] > FINGERPRINTS_FROM
    return bool(large and chosen["jobs"] == 1 and chosen["network"] in ("atomic", "steps", "N0", "N1"))


def _require_folder(folder: str) -> None:
    """Raises InputError if no page can be written."""
    if "://" in folder:
        raise InputError(f"--out: no page can be written to {folder}; expected a folder of this machine")
    require_writable(folder, "--out", folder=True)
