"""Explore every state of a protocol model, with faults, and check its invariants."""

from __future__ import annotations

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
from kassay.cli.exploring import ByModel, properties_of, topics_of
from kassay.cli.options import Whole, present, require_writable, typed_again
from kassay.cli.spark import MASTER, uses_spark
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.api.explore import Explored, ExploredModel
    from kassay.engines.protocols.explore import ExploreResult
    from kassay.engines.protocols.known import Known


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
    from kassay.api.explore import BrokenRules, ComparedReleases, ExploredModel
    from kassay.engines.protocols.known import unknown
    from kassay.model.kinds import Verdict
    from kassay.report.screen.exploration import against_view, exploration_view, reasons, switches_view

    folder, spark = chosen["out"], _is_for_spark(chosen)
    if folder is not None and not spark:
        _require_folder(folder)
    explored = _on_spark(model, chosen, folder or WALKED) if spark else _explored(model, chosen)
    code = {"holds": 0, "violated": 1}.get(str(explored.verdict), 3)
    if isinstance(explored, BrokenRules):
        present(explored.to_json(), lambda: switches_view(explored.switches), chosen["json_path"])
        return code
    if isinstance(explored, ComparedReleases):
        present(explored.to_json(), lambda: against_view(explored.result), chosen["json_path"])
        return code
    assert isinstance(explored, ExploredModel)
    result, again = explored.result, typed_again(context)
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
        _write_page(explored, again, Path(folder))
    present(explored.to_json(), view, chosen["json_path"])
    if explored.verdict is Verdict.VIOLATED and not unknown(known, model, reasons(result)):
        return 0
    return code


def _write_page(explored: ExploredModel, again: str, folder: Path) -> None:
    """Write the page, and the traces as Mermaid diagrams next to it."""
    from kassay.cli.pages import write_page
    from kassay.report.screen.exploration import mermaid_text
    from kassay.writing.files import write_text

    write_page(explored.page(again), folder, "exploration.html")
    if text := mermaid_text(explored.result):
        write_text(text, str(folder / "exploration.mmd"))


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


def _is_for_spark(chosen: dict[str, Any]) -> bool:
    """Whether Spark explores: it compares no releases, and breaks no rules in turn."""
    return uses_spark(chosen) and chosen["against"] is None and "each" not in chosen["switches"]


def _settings(chosen: dict[str, Any]) -> dict[str, Any]:
    """The options that describe what is explored, as arguments."""
    names = ("members", "partitions", "switches", "release", "protocol", "network", "records", "clock")
    return {name: chosen[name] for name in names} | {"topics": topics_of(chosen["topics"])}


def _explored(model: str, chosen: dict[str, Any]) -> Explored:
    """The exploration in this process."""
    from kassay.api.explore import explore
    from kassay.report.screen.console import bar

    each = "each" in chosen["switches"]
    with bar("exploring", None if each else chosen["max_states"]) as tell:
        try:
            return explore(
                model,
                **_settings(chosen),
                **{name: chosen[name] for name in ("faults", "against", "assignor", "max_states", "seconds")},
                **{name: chosen[name] for name in ("states", "jobs", "seed")},
                config=properties_of(chosen),
                all_causes=chosen["verbose"],
                progress=tell,
            )
        except MemoryError:
            raise InputError(
                "--max-states: out of memory, expected fewer, --states symmetric or fingerprints, or "
                f"--config {MASTER}=M"
            ) from None


def _on_spark(model: str, chosen: dict[str, Any], folder: str) -> ExploredModel:
    """The exploration by Spark, continued in the folder."""
    from kassay.api.explore import ExploredModel, faults_of
    from kassay.cli.spark import walked
    from kassay.engines.protocols.options import assignor_of, settings_of
    from kassay.model.explore.values import WalkLimits

    if chosen["jobs"] > 1:
        raise InputError("--jobs: Spark has workers of its own; expected spark.master without it")
    with assignor_of(chosen["assignor"], model) as assignor:
        settings = settings_of(
            model,
            **_settings(chosen),
            faults=faults_of(chosen["faults"]),
            assignor=assignor,
            properties=properties_of(chosen),
        )
        symmetry = {"whole": False, "symmetric": True}.get(chosen["states"])
        limits = WalkLimits(chosen["max_states"], chosen["seconds"])
        return ExploredModel(walked(settings, limits, folder, chosen["configs"], symmetry))


def _require_folder(folder: str) -> None:
    """Raises InputError if no page can be written."""
    if "://" in folder:
        raise InputError(f"--out: no page can be written to {folder}; expected a folder of this machine")
    require_writable(folder, "--out", folder=True)
