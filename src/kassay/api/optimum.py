"""The certified optimum of instances."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kassay.engines.optimum.instances import Instances, instances_from
from kassay.model.errors import InputError
from kassay.report.result import Progress, Result, no_progress

if TYPE_CHECKING:
    from kassay.api.check import Checks


class Solution(NamedTuple):
    """Where an instance is from, and its result in the form of `kassay optimum --json`."""

    where: str
    result: dict[str, Any]


@dataclass(frozen=True, repr=False)
class Optima(Result):
    """The results of the instances in order, each in the form of `kassay optimum --json`."""

    results: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Optima]:
        return (Optima((result,)) for result in self.results)

    @property
    def status(self) -> str:
        """Of the instance: `optimal`, `interval`, `unknown` or `infeasible`."""
        status: str = self._only["status"]
        return status

    @property
    def assignment(self) -> dict[str, Any]:
        """Of the instance, in the form of its family; empty if there is none."""
        return dict(self._only["assignment"] or {})

    @property
    def certificate(self) -> dict[str, Any] | None:
        """What `kassay.check` accepts; None if there is no assignment."""
        certificate: dict[str, Any] | None = self._only["certificate"]
        return certificate

    @property
    def _only(self) -> dict[str, Any]:
        if len(self.results) != 1:
            raise InputError(f"found {len(self.results)} instances, expected one: iterate over the result")
        return self.results[0]

    def check(self) -> Checks:
        """Check all results with the independent checker."""
        from kassay.api.check import check

        return check(self.results)

    def levels(self) -> dict[str, str]:
        """The instance as linear models: MPS by file name, one for each level of the order.

        A level fixes those before it at their proven values; the last level is the first one without a proof.
        Empty without an assignment. Raises `InputError` for an instance that is too large.
        """
        from kassay.solver.linear.levels import level_files

        if self.certificate is None:
            return {}
        return {each.name: each.text() for each in level_files(self._only)}

    def summary(self) -> str:
        """The loads of one instance, or how many instances have which status."""
        if len(self.results) != 1:
            statuses = [result["status"] for result in self.results]
            return ", ".join(f"{statuses.count(each)} {each}" for each in dict.fromkeys(statuses))
        row = self.rows()[0]
        return f"{row['name']} {row['status']}" + (
            "" if row["loads"] is None else f", loads {row['loads']}, {row['moved']} moved"
        )

    def to_json(self) -> Any:
        """The document `kassay/optimum/2` of one instance, or a list of several."""
        return self.results[0] if len(self.results) == 1 else list(self.results)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each instance; its loads are a text, ascending."""
        columns = (
            "name",
            "family",
            "status",
            "loads",
            "moved",
            "rack_mismatch",
            "lower",
            "upper",
            "elapsed_s",
        )
        rows = [{column: result.get(column) for column in columns} for result in self.results]
        return [row | {"loads": row["loads"] and " ".join(map(str, row["loads"]))} for row in rows]

    def page(self, again: str = "") -> str:
        """The page `optimum.html`."""
        from kassay.report.optima import optima_described
        from kassay.report.pages.blocks import render

        return render(optima_described(self.results), again)


def optimum(
    instance: Instances,
    *,
    order: str = "balance,movement,rack",
    tolerance: str | None = None,
    budget: int | None = None,
    seconds: float | None = None,
    progress: Progress = no_progress,
) -> Optima:
    """Find the best assignment, placement or task assignment of instances, and prove it.

    `instance` is a document of `docs/instances.md`, a file, the name of a suite, or several documents. With
    `tolerance` ("5%") the largest load may be that much above its bound, with `budget` moves cost at most
    that. Each instance may take `seconds`, by default 10 where the problem is NP-hard. Raises `InputError`
    for what is no instance.

    >>> import kassay
    >>> group = {"family": "A", "name": "g", "topics": [{"name": "t", "partitions": 2}],
    ...     "members": [{"id": "a", "topics": ["t"], "owned": [["t", 0]]}, {"id": "b", "topics": ["t"]}]}
    >>> kassay.optimum(group)
    <Optima: g optimal, loads 1 1, 0 moved>
    >>> best = kassay.optimum(group)
    >>> best.assignment, best.check().accepted
    ({'a': {'t': [0]}, 'b': {'t': [1]}}, True)
    >>> [*best.levels()]
    ['level-1-balance.mps', 'level-2-movement.mps', 'level-3-rack.mps']
    """
    results = []
    for solution in solved(instance, order=order, tolerance=tolerance, budget=budget, seconds=seconds):
        results.append(solution.result)
        progress(len(results), f"{len(results):,} solved")
    return Optima(tuple(results))


def solved(
    instance: Instances,
    *,
    order: str = "balance,movement,rack",
    tolerance: str | None = None,
    budget: int | None = None,
    seconds: float | None = None,
) -> Iterator[Solution]:
    """The solutions of `optimum` one at a time, each as soon as it is known.

    That of a single instance says why its balance is no better.
    """
    from kassay.engines.optimum.solve import forced_by, read_instance, solve
    from kassay.reading.documents import no_collection
    from kassay.solver.packing.items import parse_tolerance
    from kassay.solver.results import parse_order

    goals = parse_order(order)
    within = None if tolerance is None else parse_tolerance(tolerance)
    located = instances_from(instance).located
    collection: AbstractContextManager[None] = nullcontext()
    single = isinstance(located, list) and len(located) == 1
    if single:
        # Until the result is written: collection takes a third of the time for a large one.
        collection = no_collection()
    elif isinstance(located, list):
        for each in located:
            read_instance(each)
    with collection:
        for each in located:
            result = solve(each, goals, "flow", seconds, tolerance=within, budget=budget)
            if single and (forced := forced_by(result)):
                result["why_not_better"] = forced
            yield Solution(each.where, result)
