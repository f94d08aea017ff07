"""Shared by a rehearsal by `kassay live`: the group of the FILEs, the rollout, and its rehearsal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kassay.cli.clusters import observed_group
from kassay.cli.options import present
from kassay.model.errors import InputError

if TYPE_CHECKING:
    from kassay.engines.clusters.observed import ObservedGroup
    from kassay.engines.live.clients import ClientPrograms
    from kassay.engines.live.run import LiveOptions
    from kassay.engines.live.script import LiveSeat


@dataclass(frozen=True)
class Rehearsing:
    """The options of a rehearsal as they were given."""

    files: tuple[str, ...]
    group: str | None
    start: str | None
    goals: tuple[str, ...]
    libraries: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether none of them was given."""
        return not (self.files or self.group or self.start or self.goals or self.libraries)


def rehearse_rollout(
    rollout: Rehearsing,
    options: LiveOptions,
    named: ClientPrograms,
    complete: Callable[[Sequence[LiveSeat]], ClientPrograms],
    json_path: str | None,
) -> int:
    """Rehearse the rollout on brokers of kassay's own; the exit code.

    `complete` gives the programs with what such members need.
    """
    from kassay.engines.clusters.clients.rules import client_named
    from kassay.engines.clusters.given import assignors, present_assignor
    from kassay.engines.clusters.rollout import POLICIES, POLICY
    from kassay.engines.rehearse.plan import RehearsalGoal, plan_of
    from kassay.engines.rehearse.rehearsal import rehearse
    from kassay.report.screen.console import bar
    from kassay.report.screen.rehearsal import rehearsal_view

    if len(rollout.goals) + (len(rollout.libraries) > 1) != 1 or len(rollout.libraries) > 2:
        raise InputError("expected one --to TARGET, or --library A,B: what is rolled out to the group")
    if options.bootstrap is not None:
        raise InputError("--bootstrap-server: its brokers are never stopped or configured; leave it out")
    policy = options.cluster.settings.get(POLICY, "")
    if policy and policy not in POLICIES:
        raise InputError(f"--config {POLICY}={policy}: expected {', '.join(POLICIES)}")
    chosen = _chosen(rollout)
    observed = _group(chosen)
    start = present_assignor(observed, rollout.start)
    if start is None:
        raise InputError("the group's assignor is not known: expected a file of --state, or --from")
    goal = assignors(rollout.goals)[0] if rollout.goals else start
    before, *after = map(client_named, rollout.libraries or ("java",))
    wanted = RehearsalGoal(start, goal, before, after[0] if after else None, policy)
    plan = plan_of(observed, wanted, named)
    ready = complete(plan.members)
    with bar("rehearsing", None) as progress:
        rehearsal = rehearse(plan, options, ready, lambda done, words: progress(done, words))
    present(rehearsal.to_json(), lambda: rehearsal_view(rehearsal), json_path)
    return rehearsal.result.exit_code


def _chosen(rollout: Rehearsing) -> dict[str, Any]:
    """The options as commands that read a cluster have them."""
    return {
        "bootstrap": None,
        "files": rollout.files,
        "group": rollout.group,
        "strategy": rollout.start,
    }


def _group(chosen: Mapping[str, Any]) -> ObservedGroup:
    """The group of the FILEs; raises `InputError` if it is not one that a rollout is planned for."""
    from kassay.engines.clusters.other_groups import SharedOrStreams

    observed = observed_group(chosen)
    if isinstance(observed, SharedOrStreams):
        raise InputError("live: not for a share or Streams group, which Kafka assigns by its own rule")
    if not observed.stability.is_stable:
        raise InputError(f"the group is {observed.stability.state}, expected a stable one")
    return observed
