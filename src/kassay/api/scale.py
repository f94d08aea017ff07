"""At which numbers of members a consumer group is balanced."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kassay.api.what_if import refuse_for_others
from kassay.engines.clusters.given import GivenCluster, present_assignor, texts_or_paths
from kassay.engines.clusters.observed import ObservedGroup, lags_of
from kassay.engines.clusters.other_groups import OtherAnswer, SharedOrStreams, scale_other
from kassay.engines.clusters.scale import GroupScale, usual_most
from kassay.engines.clusters.scale import scale as evaluated
from kassay.model.errors import InputError
from kassay.report.blocks import VerdictBlock
from kassay.report.plot import Plot, plot_of
from kassay.report.result import PlottedResult, Progress, no_progress
from kassay.writing.text import counted


@dataclass(frozen=True, repr=False)
class Scaling(PlottedResult):
    """A group at each number of members; `answer` depends on the group.

    A `GroupScale` for a stable consumer group, the group itself if it is not stable, an `OtherAnswer` for a
    share or Streams group.
    """

    answer: GroupScale | ObservedGroup | OtherAnswer

    @property
    def safe(self) -> tuple[int, ...]:
        """The numbers of members that an autoscaler may choose with the group's assignor."""
        if not isinstance(self.answer, GroupScale):
            return ()
        return tuple(each.members for each in self.answer.counts if each.is_safe)

    @property
    def useful(self) -> tuple[int, ...]:
        """The numbers of members at which the busiest has less than at every smaller number."""
        if not isinstance(self.answer, GroupScale):
            return ()
        return tuple(each.members for each in self.answer.counts if each.is_useful)

    def summary(self) -> str:
        """The safe numbers of members."""
        if isinstance(self.answer, GroupScale):
            safe = " ".join(map(str, self.safe)) or "none"
            return f"{self.answer.target}, {self.answer.today} members today, safe: {safe}"
        return self._verdict().said

    def to_json(self) -> dict[str, Any]:
        """The document of the answer."""
        if isinstance(self.answer, ObservedGroup):
            return self.answer.unstable_document()
        return self.answer.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each number of members, or for each member of a group that is not stable."""
        from kassay.report.grouped import holdings

        match self.answer:
            case GroupScale() as answer:
                return [
                    {
                        "members": each.members,
                        "safe": each.is_safe,
                        "safe_at_best": each.is_safe_at_best,
                        "useful": each.is_useful,
                        "most": None if each.assignor is None else each.assignor.range_of("most").most,
                        "moved": None if each.assignor is None else each.assignor.range_of("moved").most,
                        "best_most": each.optimum.loads.most,
                        "best_moved": each.optimum.moved,
                        "failure": each.failure,
                    }
                    for each in answer.counts
                ]
            case OtherAnswer() as other:
                return [step.to_json() for step in (other.today, *other.steps)]
            case ObservedGroup() as observed:
                return holdings(observed)

    def plots(self) -> dict[str, Plot]:
        """Of a stable consumer group the partitions of the `busiest` member at each number."""
        from kassay.report.pages.scaling import busiest_columns

        if not isinstance(self.answer, GroupScale):
            return {}
        return {"busiest": plot_of(busiest_columns(self.answer))}

    def page(self, again: str = "") -> str:
        """The page `scale.html`."""
        from kassay.report.grouped import table_described
        from kassay.report.pages.blocks import render
        from kassay.report.pages.clusters import render_unstable
        from kassay.report.pages.scaling import render_scale

        if isinstance(self.answer, GroupScale):
            return render_scale(self.answer, again)
        if isinstance(self.answer, ObservedGroup):
            return render_unstable(self.answer, again)
        return render(table_described("scale", self._verdict(), self.rows()), again)

    def _verdict(self) -> VerdictBlock:
        if isinstance(self.answer, OtherAnswer):
            group = self.answer.subject
            said = f"{group.group.kind} group, {counted(len(self.answer.steps), 'number')} of members"
            return VerdictBlock("Answered", "plain", group.observed.name or "group", said)
        return VerdictBlock("Not stable", "warn", "group", "the group is not stable")


def scale(
    *inputs: str | Path,
    start: str | None = None,
    max_members: int | None = None,
    lag: bool = False,
    seconds: float = 1.0,
    group: str | None = None,
    bootstrap: str | None = None,
    progress: Progress = no_progress,
) -> Scaling:
    """Evaluate a group at each number of members up to `max_members` (twice today's).

    `inputs`, `group`, `bootstrap` and `start` are those of `kassay.what_if`. With `lag` partitions weigh
    their lag, and each search for the best may take `seconds`. Raises `InputError`.

    >>> import kassay
    >>> s = kassay.scale("examples/cluster/groups.txt", "examples/cluster/topics.txt", max_members=4)
    >>> [row["members"] for row in s.rows()], s.safe
    ([1, 2, 3, 4], (...))
    """
    if max_members is not None and not 1 <= max_members <= 2000:
        raise InputError(f"max_members: found {max_members}, expected 1 to 2000")
    given = GivenCluster(texts_or_paths(inputs), bootstrap, group, warnings.warn)
    return scaled(given, start=start, most=max_members, lag=lag, seconds=seconds, progress=progress)


def scaled(
    given: GivenCluster,
    *,
    start: str | None = None,
    most: int | None = None,
    lag: bool = False,
    seconds: float = 1.0,
    progress: Progress = no_progress,
) -> Scaling:
    """The answer of `scale`; raises `InputError` where the group's assignor is unknown."""
    inputs = given.inputs()
    observed = given.observed(inputs)
    if isinstance(observed, SharedOrStreams):
        refuse_for_others({"--from": start, "--lag": lag})
        return Scaling(scale_other(observed, most or usual_most(observed.observed)))
    if not observed.stability.is_stable:
        return Scaling(observed)
    target = present_assignor(observed, start)
    if target is None:
        from kassay.report.screen.clusters import unknown_start

        raise InputError(
            "--from: the group's assignor is unknown, expected a TARGET or the output of --state"
            if observed.strategy is None
            else unknown_start(observed.strategy)
        )
    lags = lags_of(inputs, observed) if lag else None
    most = most or usual_most(observed)
    return Scaling(evaluated(observed, target, most, lags=lags, seconds=seconds, report=progress))
