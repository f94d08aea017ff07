"""What other assignors, or future events, would do to a consumer group."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kassay.engines.clusters.capacities import capacities_of
from kassay.engines.clusters.clients.change import ClientChange
from kassay.engines.clusters.clients.rules import client_named
from kassay.engines.clusters.events import parse_events
from kassay.engines.clusters.given import GivenCluster, assignors, present_assignor, texts_or_paths
from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.other_groups import OtherAnswer, SharedOrStreams, what_if_other
from kassay.engines.clusters.overview import GroupsOverview
from kassay.engines.clusters.recommend import Recommendation, recommend
from kassay.engines.clusters.whatif import KAFKAS, WhatIf
from kassay.engines.clusters.whatif import what_if as evaluated
from kassay.model.errors import InputError
from kassay.report.blocks import VerdictBlock
from kassay.report.plot import Plot, plot_of
from kassay.report.result import PlottedResult, Progress, no_progress
from kassay.writing.text import counted

OTHER_GROUP = "says nothing of a share or Streams group, which Kafka assigns by its own rule"
_FIGURES = ("moved", "orphaned", "unassigned", "paused", "rounds")


@dataclass(frozen=True, repr=False)
class Prediction(PlottedResult):
    """What would become of a group; `answer` depends on the group.

    A `WhatIf` for a stable consumer group, the group itself if it is not stable, an `OtherAnswer` for a share
    or Streams group, a `GroupsOverview` of several, a `ClientChange` between two libraries.
    """

    answer: WhatIf | ObservedGroup | OtherAnswer | GroupsOverview | ClientChange

    @property
    def table(self) -> list[dict[str, Any]]:
        """The rows of `to_frame`."""
        return self.rows()

    @property
    def recommendation(self) -> Recommendation | None:
        """The assignors that balance the group best, for the fewest moves; None without candidates."""
        return recommend(self.answer) if isinstance(self.answer, WhatIf) else None

    @property
    def certificate(self) -> dict[str, Any] | None:
        """What `kassay.check` accepts for the best assignment of the group, if there was one to find."""
        return self.answer.best.certificate if isinstance(self.answer, WhatIf) else None

    def summary(self) -> str:
        """The recommendation, or what kind of answer it is."""
        advice = self.recommendation
        return self._verdict().said if advice is None else f"{advice.words}. {advice.reason}"

    def to_json(self) -> dict[str, Any]:
        """The document of the answer."""
        if isinstance(self.answer, ObservedGroup):
            return self.answer.unstable_document()
        return self.answer.to_json()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each candidate and step, or for each member, group, step or setting."""
        from kassay.report.grouped import holdings

        match self.answer:
            case WhatIf() as answer:
                return _candidates(answer)
            case ObservedGroup() as observed:
                return holdings(observed)
            case OtherAnswer() as other:
                return [step.to_json() for step in (other.today, *other.steps)]
            case GroupsOverview() as overview:
                names = ("group", "state", "members", "partitions", "least", "most", "idle", "lag", "problem")
                return [{name: row.to_json().get(name) for name in names} for row in overview.rows]
            case ClientChange() as change:
                defaults = change.to_json()["defaults"]
                return [dict(zip(("setting", "old", "new"), row, strict=True)) for row in defaults]

    def plots(self) -> dict[str, Plot]:
        """Of a stable consumer group the `spread` of loads, and the `moves` of each candidate."""
        from kassay.report.pages.clusters import move_bars, spread_histograms

        if not isinstance(self.answer, WhatIf):
            return {}
        return {"spread": plot_of(spread_histograms(self.answer)), "moves": plot_of(move_bars(self.answer))}

    def page(self, again: str = "") -> str:
        """The page `what-if.html`."""
        from kassay.report.grouped import table_described
        from kassay.report.pages.blocks import render
        from kassay.report.pages.clusters import render_unstable, render_what_if

        if isinstance(self.answer, WhatIf):
            return render_what_if(self.answer, again)
        if isinstance(self.answer, ObservedGroup):
            return render_unstable(self.answer, again)
        return render(table_described("what if", self._verdict(), self.rows()), again)

    def _verdict(self) -> VerdictBlock:
        match self.answer:
            case ObservedGroup() as observed:
                return VerdictBlock("Not stable", "warn", observed.name or "group", "the group is not stable")
            case OtherAnswer() as other:
                kind, name = other.subject.group.kind, other.subject.observed.name or "group"
                words = f"{kind} group, {counted(len(other.steps), 'step')}"
                return VerdictBlock("Failed" if other.failed else "Answered", "plain", name, words)
            case GroupsOverview() as overview:
                said = f"{counted(len(overview.rows), 'group')}, the worst first"
                return VerdictBlock("Overview", "plain", "groups", said)
            case ClientChange() as change:
                said = "an assignor in common" if change.shared else "no assignor in common"
                return VerdictBlock("Compared", "plain", f"{change.old.name} and {change.new.name}", said)
        return VerdictBlock("Answered", "plain", "group", "")


def _candidates(answer: WhatIf) -> list[dict[str, Any]]:
    """A row for each candidate and step, the certified optimum last."""
    return [
        {"target": spec, "step": step.text, "failure": each.failure}
        | {name: getattr(step.loads, name) for name in ("least", "most", "spread")}
        | {"idle": len(step.loads.idle)}
        | {name: getattr(step, name) for name in _FIGURES}
        for spec, each in [*((each.spec, each) for each in answer.candidates), ("optimum", answer.optimum)]
        for step in each.steps
    ]


def what_if(
    *inputs: str | Path,
    to: str | Sequence[str] = (),
    start: str | None = None,
    events: str | None = None,
    capacities: Mapping[str, float] | None = None,
    library: str | Sequence[str] = (),
    group: str | None = None,
    bootstrap: str | None = None,
    progress: Progress = no_progress,
) -> Prediction:
    """Predict what other assignors, and future events, would do to a group.

    `inputs` are outputs of Kafka's tools as files or as texts, in any order, or `client.properties` for the
    brokers at `bootstrap`; several groups need the name of one `group` or give an overview. `to` are the
    candidates (all of Kafka's assignors), `start` is the present assignor if the inputs do not name it.
    `events` is a text as for `--events`, `capacities` are members' capacities relative to 1. `library` is the
    members' client library; two are compared. Raises `InputError`, and `TargetError` for a target that cannot
    be loaded.

    >>> import kassay
    >>> w = kassay.what_if("examples/cluster/groups.txt", "examples/cluster/topics.txt", to="uniform")
    >>> w.recommendation.words
    'Switch to uniform@...'
    >>> [(row["target"], row["spread"], row["moved"]) for row in w.table]
    [('uniform@...', 1, 1), ('optimum', 1, 1)]
    """
    return predicted(
        GivenCluster(texts_or_paths(inputs), bootstrap, group, warnings.warn),
        to=(to,) if isinstance(to, str) else tuple(to),
        start=start,
        events=events,
        capacities=tuple(f"{member}={number}" for member, number in (capacities or {}).items()),
        libraries=(library,) if isinstance(library, str) and library else tuple(library),
        progress=progress,
    )


def predicted(
    given: GivenCluster,
    *,
    to: Sequence[str] = (),
    start: str | None = None,
    events: str | None = None,
    capacities: Iterable[str] = (),
    libraries: Sequence[str] = (),
    one_group: bool = False,
    progress: Progress = no_progress,
) -> Prediction:
    """The answer of `what_if`; capacities are texts `member=number`.

    With `one_group`, several groups without the name of one are an error, as with candidates and events.
    """
    if len(libraries) > 1:
        return Prediction(_library_change(given, libraries, start))
    client = client_named(libraries[0]) if libraries else None
    if to or events or one_group:
        observed: ObservedGroup | SharedOrStreams | GroupsOverview = given.observed(given.inputs())
    else:
        observed = given.observed_or_all(progress)
    if isinstance(observed, GroupsOverview):
        return Prediction(observed)
    if isinstance(observed, SharedOrStreams):
        refuse_for_others({"--from": start, "--to": to, "--library": libraries})
        return Prediction(what_if_other(observed, events))
    if not observed.stability.is_stable:
        return Prediction(observed)
    capacity = capacities_of(texts, observed) if (texts := tuple(capacities)) else None
    changes = () if events is None else parse_events(events, observed)
    targets = assignors(to or KAFKAS)
    assignor = present_assignor(observed, start)
    return Prediction(evaluated(observed, targets, changes, assignor, progress, None, client, capacity))


def refuse_for_others(options: Mapping[str, object]) -> None:
    """Raises `InputError` if an option was given that says nothing of a share or Streams group."""
    for option, value in options.items():
        if value:
            raise InputError(f"{option}: {OTHER_GROUP}")


def _library_change(given: GivenCluster, libraries: Sequence[str], start: str | None) -> ClientChange:
    """Two client libraries compared, for the group if one is given."""
    if len(libraries) > 2:
        raise InputError(f"--library: found {len(libraries)} libraries, expected one or two")
    group = given.observed(given.inputs()) if given.files or given.bootstrap else None
    if isinstance(group, SharedOrStreams):
        raise InputError("--library A,B: not for a share or Streams group, which Kafka assigns itself")
    old, new = map(client_named, libraries)
    return ClientChange(old, new, start or (None if group is None else group.strategy))
