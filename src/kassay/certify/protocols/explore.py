"""`explore`: a protocol model, an assignor, faults and switches in; states, verdict and traces out.

Here the explorer meets the invariants and the assignors, which know nothing of each other. The result has
a JSON form for reports; its traces replay through the same models.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final

from kassay.assignors import registry
from kassay.model.cluster import Cluster, Topic
from kassay.model.errors import InputError, KafkaError
from kassay.model.explore import (
    Exploration,
    InvariantViolation,
    Severity,
    Stuck,
    Verdict,
    WalkLimits,
    WalkProgress,
    WalkStep,
    random_walk,
    rounds_between_disturbances,
)
from kassay.model.explore import explore as walk
from kassay.model.groups.assignor import Assignor, RebalanceProtocol
from kassay.model.groups.group import Group, Member
from kassay.model.kinds import Kind
from kassay.model.protocols.before_0_9 import proposal as draft
from kassay.model.protocols.before_0_9 import zookeeper
from kassay.model.protocols.before_0_9.shares import SHARES
from kassay.model.protocols.clients.any_balanced import AnyBalanced, balanced_targets, claim_of
from kassay.model.protocols.clients.classic_state import Ask, Assign, Given
from kassay.model.protocols.clients.config import COOPERATIVE, EAGER
from kassay.model.protocols.shared import census as counting
from kassay.model.protocols.shared.faults import NO_FAULTS, Faults, parse_faults
from kassay.model.protocols.values.choices import Target, TargetAsk
from kassay.model.protocols.values.requests import Image, Subscription, partitions
from kassay.model.protocols.world.models.classic import NETWORKS, ClassicModel
from kassay.model.protocols.world.models.client_symmetry import ClientSymmetry, distinguished
from kassay.model.protocols.world.models.consumer import ConsumerModel
from kassay.model.protocols.world.parts.consumer_faults import CLASSIC, CONSUMER
from kassay.model.protocols.world.parts.offsets import broken
from kassay.model.protocols.world.parts.setting import ModelOptions, failed, gained, moved
from kassay.model.protocols.world.timed.classic import TimedModel
from kassay.model.protocols.world.timed.clock import Timing
from kassay.model.protocols.world.timed.consumer import TimedConsumerModel
from kassay.properties.protocols.watched import Watched, invariants

MODELS: Final[dict[str, str]] = {
    "zookeeper": "self-coordinating consumers of Kafka 0.8",
    "draft": "the coordinator as it was designed in 2014, never shipped",
    "classic": "JoinGroup, SyncGroup, Heartbeat, LeaveGroup",
    "kip848": "consumer groups by ConsumerGroupHeartbeat",
    "migration": "a group on its way from the classic protocol to KIP-848, or back",
}
POLICIES: Final = ("disabled", "upgrade", "downgrade", "bidirectional")
ANY: Final = "any-balanced"
SCHEMA: Final = "kassay/explore/1"
SYMMETRIC_FROM: Final = 3
"""So many clients make it pay to look for renamed states (docs/explorer-speed.md)."""
_MEMBERS_MAX, _PARTITIONS_MAX, _TOPICS_MAX, _RECORDS_MAX = 4, 6, 3, 3


@dataclass(frozen=True)
class ExploreResult:
    """What one exploration came to; `built` is the model walked, whose states the traces hold."""

    model: str
    settings: dict[str, Any]
    exploration: Exploration[Any]
    built: Any

    @property
    def verdict(self) -> Verdict:
        """Holds, violated or unknown, as the explorer says."""
        return self.exploration.verdict

    @property
    def rounds(self) -> int | None:
        """The most generations begun between two disturbances; None if without end or not computed."""
        if self.exploration.limit is not None:
            return None
        return rounds_between_disturbances(self.exploration.graph)

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values."""
        done = self.exploration
        live = done.liveness
        return {
            "schema": SCHEMA,
            "model": self.model,
            "settings": self.settings,
            "states": done.states,
            "edges": done.edges,
            "diameter": done.diameter,
            "limit": done.limit,
            "verdict": str(done.verdict),
            "elapsed_s": round(done.elapsed_s, 3),
            "violations": [_violation_json(found) for found in done.violations],
            "dead_ends": None if live is None else [_stuck_json(stuck) for stuck in live.dead_ends],
            "livelocks": None if live is None else [_stuck_json(stuck) for stuck in live.livelocks],
        }


def _violation_json(found: InvariantViolation[Any]) -> dict[str, Any]:
    return {
        "invariant": found.invariant,
        "claim": found.claim,
        "severity": str(found.severity),
        "message": found.message,
        "seen": found.seen,
        "length": found.length,
        "trace": trace_json(found.trace),
    }


def _stuck_json(stuck: Stuck[Any]) -> dict[str, Any]:
    return {
        "states": stuck.states,
        "trace": trace_json(stuck.trace),
        "cycle": [action._asdict() for action in stuck.cycle],
    }


def trace_json(trace: tuple[WalkStep[Any], ...]) -> list[dict[str, Any]]:
    """A trace's actions as JSON values."""
    return [step.action._asdict() for step in trace if step.action is not None]


def watched(model: Any) -> Watched:
    """How the invariants look into a model's states."""
    if isinstance(model, ClassicModel):
        return Watched(
            model.public,
            model.census,
            lambda state: state.broker.value.coordinator,
            lambda state: state.broker.value.state,
            gained,
            moved,
            model.timers.watched,
            lambda state: state.broker,
            clients=lambda state: [cell.value for cell in state.clients],
            failed=failed,
            broken=broken if model.options.records else None,
            image=lambda state: state.image.value,
        )
    if isinstance(model, TimedModel):
        return _watched_by_the_clock(model)
    if isinstance(model, draft.ProposalModel):
        return Watched(draft.census, draft.census, stored=lambda state: state.stored)
    return Watched(zookeeper.census, zookeeper.census, waived=frozenset({"I3", "I4", "I5", "I7", "I9"}))


def _watched_by_the_clock(model: TimedModel) -> Watched:
    """What is watched without a clock, in the world of a timed state; and that no live member is removed."""
    kept = model.timing.keeps_members(model.options.faults, static=any(model.options.instances))
    world = watched(model.inner)

    def of(look: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *states: look(*(state.world for state in states))

    looks = {field: of(look) for field, look in world._asdict().items() if callable(look)}
    waived = world.waived if kept else world.waived | {"I17"}
    return Watched(**looks, polling=model.polling, waived=waived)


def build(
    model: str,
    *,
    assignor: str | Assignor | None = None,
    mode: str | None = None,
    members: int = 2,
    partitions: int = 2,
    topics: int = 1,
    static: int = 0,
    faults: str | Faults = NO_FAULTS,
    switches: frozenset[str] = frozenset(),
    policy: str = "bidirectional",
    timing: Timing | None = None,
    **more: Any,
) -> Any:
    """The model that these settings describe; raises InputError for what is out of range or unknown.

    With a `timing` the model runs on an integer clock. `more` goes to the classic world's `ModelOptions`
    (instances, lists, pattern, version, ...).
    """
    budget = parse_faults(faults) if isinstance(faults, str) else faults
    _check(model, members, partitions, topics, static, policy)
    _check_timing(model, timing)
    if model in ("zookeeper", "draft"):
        share = assignor if isinstance(assignor, str) else "ceil-range"
        if share not in SHARES:
            raise InputError(f"--assignor: {model} knows {', '.join(SHARES)}; not {share!r}")
        kind = zookeeper.ZooKeeperModel if model == "zookeeper" else draft.ProposalModel
        return kind(members, partitions, share=share, faults=budget, switches=switches)
    names = tuple(f"t{i}" for i in range(topics)) if topics > 1 else ("t",)
    instances = more.pop("instances", tuple(f"i{i + 1}" for i in range(static)))
    kinds = more.pop("kinds", ())
    targets = _targets(assignor) if model in ("kip848", "migration") else balanced_targets
    name, modes, assign, remembers = _client_side(None if model == "kip848" else assignor, mode, switches)
    settings: dict[str, Any] = {
        "members": members,
        "partitions": partitions,
        "topics": names,
        "instances": instances,
        "assignors": ((name,),),
        "modes": ((name, modes),),
        "faults": budget,
        "switches": switches,
        "remembers": remembers,
        "threads": "no_gen_snapshot" in switches,
    }
    options = ModelOptions(**settings | more)
    if timing is not None and model == "classic":
        return TimedModel(options, timing, assign)
    if timing is not None:
        return TimedConsumerModel(options, timing, assign, targets=targets)
    if model == "classic":
        return ClassicModel(options, assign)
    if model == "migration":
        kinds = kinds or ((CLASSIC, CONSUMER),) * members
        if not budget.rollout:
            options = ModelOptions(**settings | {"faults": budget._replace(rollout=members)} | more)
    return ConsumerModel(options, assign, targets=targets, kinds=kinds, policy=policy)


def _check(model: str, members: int, partitions: int, topics: int, static: int, policy: str) -> None:
    if model not in MODELS:
        raise InputError(f"unknown model {model!r}; expected one of {', '.join(MODELS)}")
    for name, number, low, high in (
        ("--members", members, 1, _MEMBERS_MAX),
        ("--partitions", partitions, 1, _PARTITIONS_MAX),
        ("--topics", topics, 1, _TOPICS_MAX),
        ("--static", static, 0, members),
    ):
        if not low <= number <= high:
            raise InputError(f"{name}: {number} is out of range; expected {low} to {high}")
    if policy not in POLICIES:
        raise InputError(f"--policy: unknown policy {policy!r}; expected one of {', '.join(POLICIES)}")
    if static and model in ("zookeeper", "draft"):
        raise InputError(f"--static: {model} knows no static members")


def _check_timing(model: str, timing: Timing | None) -> None:
    if timing is None:
        return
    if model in MODELS and model not in ("classic", "kip848"):
        raise InputError(f"--clock: {model} has no integer clock; expected T0, or classic or kip848")
    timing.check()


def _check_network(model: str, network: str, faults: str | Faults, records: int) -> None:
    budget = parse_faults(faults) if isinstance(faults, str) else faults
    if network not in NETWORKS:
        raise InputError(f"--network: unknown level {network!r}; expected one of {', '.join(NETWORKS)}")
    if network != "N0" and model in ("zookeeper", "draft"):
        raise InputError(f"--network: {model} has N0 only; each of its steps is a single read or write")
    if network != "N2" and (budget.duplicate or budget.reorder):
        raise InputError(f"--faults: duplicate and reorder can happen at N2 only, not at {network}")
    if not 0 <= records <= _RECORDS_MAX:
        raise InputError(f"--records: {records} is out of range; expected 0 to {_RECORDS_MAX}")
    if records and network == "N0":
        raise InputError("--records: commits are sent at N1 and N2 only, not at N0")


def explore(
    model: str,
    *,
    states_max: int | None = 500_000,
    time_s: float | None = None,
    stop_at_first: bool = False,
    network: str = "N0",
    records: int = 0,
    seed: int = 0,
    clock: str = "T0",
    timing: Timing | None = None,
    symmetry: bool | None = None,
    progress: Callable[[WalkProgress], None] | None = None,
    switches: frozenset[str] = frozenset(),
    **settings: Any,
) -> ExploreResult:
    """Walk the model that the settings describe, with all invariants on.

    With `symmetry` worlds that differ only in who is who among interchangeable clients are walked once;
    None: from three clients on, where it saves time. `timing` says how long everything takes on the clock
    T1; T0 has no use for it. `records` of each partition can be processed, and are committed by OffsetCommit.
    N2 has no end: it is walked at random from the `seed`, and never found to hold.

    Raises InputError for settings that are out of range, unknown, or that no exhaustive walk covers.
    """
    from kassay.certify.protocols.switches import check_switches

    check_switches(switches)
    _check_network(model, network, settings.get("faults", NO_FAULTS), records)
    if clock not in ("T0", "T1"):
        raise InputError(f"--clock: unknown level {clock!r}; expected T0 or T1")
    if clock == "T1":
        if network != "N0":
            raise InputError(f"--network: {network} has no integer clock; expected N0 beside --clock T1")
        settings["timing"] = timing or Timing()
    if network != "N0":
        settings["network"] = network
    if records:
        settings["records"] = records
    built = build(model, switches=switches, **settings)
    renaming = _symmetry(built, symmetry) if network != "N2" else None
    budget = WalkLimits(states_max, time_s, stop_at_first)
    if network == "N2":
        settings["seed"] = seed
        done = random_walk(built, invariants(watched(built)), seed=seed, budget=budget, progress=progress)
    else:
        done = walk(built, invariants(watched(built)), budget=budget, progress=progress, symmetry=renaming)
    told = {name: _plain(value) for name, value in settings.items()} | {"switches": sorted(switches)}
    return ExploreResult(model, told | {"symmetry": "clients" if renaming else "off"}, done, built)


def _symmetry(model: Any, wanted: bool | None) -> ClientSymmetry | None:
    """The renaming of clients to walk a model by; raises InputError where names matter."""
    if wanted is False:
        return None
    distinct = distinguished(model)
    if distinct and wanted:
        raise InputError(f"--symmetry: cannot be used: {distinct}")
    if distinct or (wanted is None and model.options.members < SYMMETRIC_FROM):
        return None
    return ClientSymmetry(model.setting.interner)


def _plain(value: Any) -> Any:
    if isinstance(value, Faults):
        return {name: count for name, count in value._asdict().items() if count}
    if isinstance(value, Timing):
        return {name: ticks for name, ticks in asdict(value).items() if ticks}
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


# Assignors.


def _client_side(
    assignor: str | Assignor | None, mode: str | None, switches: frozenset[str]
) -> tuple[str, tuple[str, ...], Assign, bool]:
    """Name, supported modes, choices, and whether user data must be remembered."""
    if mode not in (None, EAGER, COOPERATIVE):
        raise InputError(f"--mode: unknown mode {mode!r}; expected {EAGER} or {COOPERATIVE}")
    if assignor is None or assignor == ANY:
        sticky = "sticky_no_generation" in switches
        modes = (EAGER, COOPERATIVE) if mode == COOPERATIVE else (EAGER,)
        return ANY, modes, AnyBalanced(modes[-1], sticky=sticky, switches=switches), sticky
    if isinstance(assignor, str):
        found = registry.find(assignor)
        if found is None or found.kind is not Kind.CLIENT:
            raise InputError(
                f"--assignor: {assignor!r} is no client-side assignor (see kassay list assignors)"
            )
        target: Assignor = found.factory()
        cooperative = found.protocol is RebalanceProtocol.COOPERATIVE
    else:
        target = assignor
        cooperative = RebalanceProtocol.COOPERATIVE in assignor.protocols
    if mode == COOPERATIVE and not cooperative:
        raise InputError(f"--mode: {target.name} does not support {COOPERATIVE}")
    modes = (EAGER, COOPERATIVE) if cooperative and mode != EAGER else (EAGER,)
    return target.name, modes, plugged(target), target.name in ("sticky", "optimal-sticky")


def _cluster(image: Image) -> Cluster:
    return Cluster(tuple(Topic(topic.name, topic.partitions) for topic in image))


def plugged(assignor: Assignor) -> Assign:
    """An assignor's one answer as the model's choices; none where it throws one of Kafka's errors."""

    @cache
    def assign(ask: Ask) -> tuple[Given, ...]:
        members = []
        for member_id, instance, metadata in ask.members:
            assert isinstance(metadata, Subscription), "only consumers are explored"
            owned, generation = claim_of(metadata)
            members.append(Member(member_id, metadata.topics, owned, generation, None, instance or None))
        try:
            answer = assignor.assign(_cluster(ask.image), Group(tuple(members)))
        except KafkaError:
            return ()
        return (tuple((m.member_id, partitions(answer.get(m.member_id, ()))) for m in members),)

    return assign


def _targets(assignor: str | Assignor | None) -> Callable[[TargetAsk], tuple[Target, ...]]:
    """The server-side assignor as the model's choices."""
    if assignor is None or assignor == ANY:
        return balanced_targets
    name = {"range": "server-range"}.get(assignor, assignor) if isinstance(assignor, str) else assignor.name
    found = registry.find(name)
    if found is None or found.kind is not Kind.SERVER:
        raise InputError(f"--assignor: {name!r} is no server-side assignor; expected uniform or range")
    target: Assignor = found.factory()

    @cache
    def assign(ask: TargetAsk) -> tuple[Target, ...]:
        members = tuple(
            Member(m.member, m.subscribed, m.target, -1, None, m.instance or None) for m in ask.members
        )
        answer = target.assign(_cluster(ask.topics), Group(members))
        return (tuple((m.member_id, partitions(answer.get(m.member_id, ()))) for m in members),)

    return assign


def beliefs(model: Any, state: Any) -> counting.Census:
    """Who believes what in a state of any model."""
    return watched(model).census(state)


def severities(result: ExploreResult) -> dict[Severity, int]:
    """How many kinds of findings of each gravity there are."""
    found = sorted(violation.severity for violation in result.exploration.violations)
    return {severity: len(list(group)) for severity, group in itertools.groupby(found)}
