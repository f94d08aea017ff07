"""How far targets are from the certified optimum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from kassay.engines.optimum.instances import Instances, Sourced, instances_from
from kassay.engines.runs.options import Budget
from kassay.engines.targets.given import TargetLike, loaded, several
from kassay.model.errors import InputError
from kassay.report.result import PlottedResult, Progress, no_progress
from kassay.writing.text import counted, percent

if TYPE_CHECKING:
    from kassay.engines.optimum.gaps import GapReport, TargetGaps
    from kassay.engines.optimum.rank import Ranked
    from kassay.engines.targets.resolve import Target
    from kassay.report.plot import Plot

_NAMED_MAX: Final = 4
"""This many targets are named by the short form of a result."""


@dataclass(frozen=True, repr=False)
class Gaps(PlottedResult):
    """The distance of each target to the optimum, instance by instance.

    `kept` has the files of the worst instances by target, and `options` those of the command, for the page.
    """

    report: GapReport
    kept: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[TargetGaps, ...]:
        """Each target with its `distributions`, `totals`, `failed` and `worst`."""
        return tuple(self.report.targets)

    def summary(self) -> str:
        """How often each target is at the optimal balance."""
        shares = [f"{each.target.spec} {_share(each)}" for each in self.targets]
        more = [f"{len(shares) - _NAMED_MAX} more"] if len(shares) > _NAMED_MAX else []
        number = max((len(each.gaps) for each in self.targets), default=0)
        said = ", ".join([*shares[:_NAMED_MAX], *more])
        return f"{said} at the optimal balance of {counted(number, 'instance')}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/gap/1`."""
        return self.report.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each target and instance; a gap is None where it is not judged."""
        columns = ("balance", "spread", "movement", "rack", "moved", "rack_mismatch", "missing")
        return [
            {"target": each.target.spec, "instance": gap.problem.name}
            | {column: getattr(gap, column) for column in columns}
            | {"optimal_moved": gap.best.moved, "optimal_rack_mismatch": gap.best.rack_mismatch}
            for each in self.report.targets
            for gap in each.gaps
        ]

    def plots(self) -> dict[str, Plot]:
        """Each gap's distribution by name, the share of instances `short` of the optimum, the `moves`."""
        from kassay.report.pages.gap_views import gap_bars, gap_histograms
        from kassay.report.plot import plot_of

        plots = {
            chart.title.split()[0].lower(): plot_of(chart) for chart in gap_histograms(self.report.targets)
        }
        short, moves = map(plot_of, gap_bars(self.report.targets))
        return {**plots, "short": short, "moves": moves}

    def page(self, again: str = "") -> str:
        """The page `gap.html`."""
        from kassay.report.pages.gaps import render

        return render(self.report, self.kept, self.options, again)


@dataclass(frozen=True, repr=False)
class Ranking(Gaps):
    """The targets in order, with their claims and gaps; `missing` is what would be needed by absent ones."""

    ranked: tuple[Ranked, ...] = ()
    seed: int = 0
    budget: Budget = field(default_factory=Budget)
    missing: Mapping[str, str] = field(default_factory=dict)

    def summary(self) -> str:
        """The targets, the best first."""
        return ", ".join(each.spec for each in self.ranked)

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/rank/2`."""
        from kassay.engines.optimum.rank import SCHEMA

        return {
            "schema": SCHEMA,
            "instances": self.report.source,
            "order": ",".join(self.report.order),
            "seed": self.seed,
            "budget": asdict(self.budget),
            "targets": [each.to_json() for each in self.ranked],
            "missing": [{"target": spec, "missing": what} for spec, what in self.missing.items()],
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row for each target, the best first."""
        rows = []
        for place, each in enumerate(self.ranked, 1):
            document = each.to_json()
            claims = {verdict: len(ids) for verdict, ids in document.pop("claims").items()}
            rows.append({"place": place, "valid": not each.invalid} | document | claims)
        return [{name: row[name] for name in row if name not in ("versions", "invalid")} for row in rows]

    def page(self, again: str = "") -> str:
        """The page `rank.html`."""
        from kassay.report.pages.ranks import render

        order, seed = self.report.order, self.seed
        return render(self.ranked, self.report.source, order, seed, missing=self.missing, again=again)


@overload
def gap(
    targets: TargetLike | Iterable[TargetLike],
    suite: Instances | None = None,
    *,
    order: str = ...,
    config: Mapping[str, str] | None = ...,
    rank: Literal[False] = False,
    histories: int | None = ...,
    seed: int = ...,
    progress: Progress = ...,
) -> Gaps: ...


@overload
def gap(
    targets: TargetLike | Iterable[TargetLike],
    suite: Instances | None = None,
    *,
    order: str = ...,
    config: Mapping[str, str] | None = ...,
    rank: Literal[True],
    histories: int | None = ...,
    seed: int = ...,
    progress: Progress = ...,
) -> Ranking: ...


def gap(
    targets: TargetLike | Iterable[TargetLike],
    suite: Instances | None = None,
    *,
    order: str = "balance,movement,rack",
    config: Mapping[str, str] | None = None,
    rank: bool = False,
    histories: int | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Gaps:
    """Measure the distance of targets to the certified optimum: balance, movement, rack.

    `targets` are specs, paths or classes. `suite` is a suite's name, a file or documents; by default the
    suite of the targets' kind. With `rank` all claims are checked too, on `histories` (300) of the `seed`;
    the result is a `Ranking`. Raises `InputError`, and `TargetError` for a target that cannot be loaded.

    >>> import kassay
    >>> stuck = {"family": "A", "name": "stuck", "topics": [{"name": "t", "partitions": 2},
    ...     {"name": "u", "partitions": 1}], "members": [{"id": "a", "topics": ["t"], "owned": [["t", 0],
    ...     ["t", 1]]}, {"id": "b", "topics": ["t", "u"], "owned": [["u", 0]]}, {"id": "c", "topics": ["u"]}]}
    >>> kassay.gap(["sticky", "optimal-sticky"], stuck)
    <Gaps: sticky 0 %, optimal-sticky 100 % at the optimal balance of 1 instance>
    """
    from kassay.engines.optimum.gaps import require_measurable
    from kassay.engines.optimum.rank import HISTORIES, ranked_kinds
    from kassay.engines.optimum.targets import measured_kinds, usual_suite
    from kassay.engines.processes.host import Limits
    from kassay.engines.targets.limits import CALL_TIMEOUT_S
    from kassay.solver.results import parse_order

    for name, value in {"histories": histories, "seed": seed or None}.items():
        if value is not None and not rank:
            raise InputError(f"{name}: only with rank")
    goals, limits = parse_order(order), Limits(call_timeout_s=CALL_TIMEOUT_S)
    with loaded(several(targets), limits=limits, config=config or {}) as ready:
        for target in ready:
            require_measurable(target, ranked_kinds() if rank else measured_kinds())
        instances = instances_from(usual_suite(ready) if suite is None else suite)
        if rank:
            budget = Budget(histories=HISTORIES if histories is None else histories)
            return ranking(ready, instances, goals, seed, budget, progress=progress)
        return measured(ready, instances, goals, progress=progress)


def measured(
    targets: Sequence[Target], instances: Sourced, order: tuple[str, ...], *, progress: Progress = no_progress
) -> Gaps:
    """The gaps of loaded targets; `progress` gets the number of instances."""
    from kassay.engines.optimum.gaps import measure

    return Gaps(measure(targets, instances.located, instances.source, order=order, report=progress))


def ranking(
    targets: Sequence[Target],
    instances: Sourced,
    order: tuple[str, ...],
    seed: int,
    budget: Budget,
    *,
    missing: Mapping[str, str] | None = None,
    progress: Progress = no_progress,
) -> Ranking:
    """The ranking of loaded targets; `progress` gets the number of finished ones."""
    from kassay.engines.optimum.rank import rank, require_one_sort

    require_one_sort(targets)
    report, ranked = rank(
        targets,
        instances.located,
        instances.source,
        order=order,
        seed=seed,
        budget=budget,
        report=progress,
    )
    return Ranking(report, ranked=tuple(ranked), seed=seed, budget=budget, missing=missing or {})


def _share(gaps: TargetGaps) -> str:
    balance = gaps.distributions["balance"]
    return "not measured" if balance is None else percent(balance.at_zero)
