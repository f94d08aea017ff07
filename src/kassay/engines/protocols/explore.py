"""`explore`: settings in; states, verdict and traces out.

Combines the explorer, the models, the invariants and the assignors, which know nothing about each other. The
result has a JSON form for reports; its traces replay through the same models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

from kassay.engines.protocols.plugged import ANY, client_side, of_tasks, server_side
from kassay.engines.protocols.settings import BEFORE_0_9, COMPACTED, ExploreSettings
from kassay.engines.protocols.switches import check_switches
from kassay.engines.protocols.views import codec_of, fingerprinted, parts_of, place_of, views_of
from kassay.model.errors import InputError
from kassay.model.explore.liveness import rounds_between_disturbances
from kassay.model.explore.parallel import explore_by
from kassay.model.explore.random_walk import random_walk
from kassay.model.explore.search import explore as walk
from kassay.model.explore.shard import WalkShare
from kassay.model.explore.stable import StateCodec, collision_probability
from kassay.model.explore.states import PackedStates
from kassay.model.explore.values import (
    Exploration,
    InvariantViolation,
    Model,
    Reduced,
    Stuck,
    WalkLimits,
    WalkProgress,
    WalkStep,
)
from kassay.model.kinds import Verdict
from kassay.model.protocols.before_0_9.proposal import ProposalModel
from kassay.model.protocols.before_0_9.zookeeper import SHARES, ZooKeeperModel
from kassay.model.protocols.clients.any_balanced import balanced_targets
from kassay.model.protocols.clients.config import EAGER
from kassay.model.protocols.values.releases import RELEASES
from kassay.model.protocols.world.canonical import NUMBER
from kassay.model.protocols.world.context import ModelOptions, NetworkLevel
from kassay.model.protocols.world.faults import CLASSIC, CONSUMER
from kassay.model.protocols.world.groups import ClassicModel, ConsumerModel
from kassay.model.protocols.world.streams.model import StreamsModel
from kassay.model.protocols.world.streams.threads import LATER
from kassay.model.protocols.world.symmetry import ClientSymmetry, PartitionSymmetry, distinguished, numbered
from kassay.model.protocols.world.timed import TimedClientSymmetry, TimedConsumerModel, TimedModel
from kassay.model.streams.tasks import GroupTaskAssignor
from kassay.properties.protocols.registry import Views, invariants, load_invariants

SCHEMA: Final = "kassay/explore/5"
REGEX: Final = "t.*"
"""The subscription of clients that leave the matching of topics to the coordinator."""
UNSEEN: Final = "nothing in this model shows it"
UNPROMISED: Final = "not promised here"
UNTRIED: Final = "no state or step could have broken it"
PROMISED_SINCE: Final = {
    "assignor_change_waits": "preference-takes-effect",
    "empty_keeps_target_epoch": "empty-group-at-its-target",
    "subscription_ignored": "assigned-is-subscribed",
    "commits_at_epoch_only": "owners-may-commit",
    "no_assignment_epochs": "owners-may-commit",
    "own_pending_blocks": "waits-for-others",
    "revocation_counts_up": "epochs-of-targets",
    "empty_names_refused": "joins-are-let-in",
    "regexes_refused": "joins-are-let-in",
}
"""By older rule: the invariants that no release with this rule guarantees."""
SYMMETRIC_FROM: Final = 3
"""The number of clients from which symmetry reduction saves time (docs/explorer-speed.md)."""
CLIENTS: Final = "clients"
PARTITIONS: Final = "clients, partitions"


class NotChecked(NamedTuple):
    """An invariant that an exploration did not check: its name, its short id, and the reason."""

    invariant: str
    short: str
    why: str


@dataclass(frozen=True)
class ExploreResult:
    """The result of one exploration; `built` is the explored model, whose states are in the traces.

    `symmetric` names the objects up to whose renaming states were identified, if any. `seed` is that of
    random walks. `fingerprints`: states were distinguished by these alone.
    """

    settings: ExploreSettings
    exploration: Exploration[Any]
    built: Model[Any]
    symmetric: str = ""
    seed: int | None = None
    fingerprints: bool = False

    @property
    def collision_probability(self) -> float | None:
        """The probability that two states were confused; None if they were distinguished exactly."""
        return collision_probability(self.exploration.states) if self.fingerprints else None

    @property
    def verdict(self) -> Verdict:
        """The explorer's verdict: holds, violated or unknown."""
        return self.exploration.verdict

    @property
    def rounds(self) -> int | None:
        """The most generations begun between two disturbances; None if unbounded or not computed."""
        if self.exploration.limit is not None:
            return None
        return rounds_between_disturbances(self.exploration.graph)

    @property
    def not_checked(self) -> tuple[NotChecked, ...]:
        """The invariants that were never applicable, in the order of the registry."""
        views = _views(self.settings, self.built)
        visible = {invariant.name for invariant in invariants(views)}
        reasons = (
            (one, UNSEEN if one.name not in visible else UNPROMISED if one.name in views.waived else UNTRIED)
            for one in load_invariants().values()
            if one.name not in self.exploration.checked - views.waived
        )
        return tuple(NotChecked(one.name, one.short, why) for one, why in reasons)

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.settings.model

    def settings_json(self) -> dict[str, Any]:
        """The settings, and the kind of walk."""
        seed = {} if self.seed is None else {"seed": self.seed}
        return self.settings.to_json() | {"symmetry": self.symmetric or "off"} | seed

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values."""
        done = self.exploration
        live = done.liveness
        return {
            "schema": SCHEMA,
            "model": self.model,
            "settings": self.settings_json(),
            "states": done.states,
            "edges": done.edges,
            "diameter": done.diameter,
            "limit": done.limit,
            "verdict": str(done.verdict),
            "collision_probability": self.collision_probability,
            "elapsed_s": round(done.elapsed_s, 3),
            "violations": [_violation_json(violation) for violation in done.violations],
            "not_checked": [
                {"invariant": one.invariant, "id": one.short, "why": one.why} for one in self.not_checked
            ],
            "dead_ends": None if live is None else [_stuck_json(stuck) for stuck in live.dead_ends],
            "livelocks": [_stuck_json(stuck) for stuck in live.livelocks]
            if live is not None and live.cycles_judged
            else None,
        }


def _violation_json(violation: InvariantViolation[Any]) -> dict[str, Any]:
    return {
        "invariant": violation.invariant,
        "id": load_invariants()[violation.invariant].short,
        "claim": violation.claim,
        "severity": str(violation.severity),
        "message": violation.message,
        "seen": violation.seen,
        "length": violation.length,
        "trace": trace_json(violation.trace),
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


def build(settings: ExploreSettings) -> Model[Any]:
    """The model with these settings; raises InputError for an unknown assignor or switch."""
    model = settings.model
    if settings.switches:
        check_switches(model, settings.switches)
    if model in BEFORE_0_9:
        return _before_0_9(settings)
    if model == "streams":
        return _streams(settings)
    assignor = settings.assignor
    if isinstance(assignor, GroupTaskAssignor):
        raise InputError(f"--assignor: {assignor.name} assigns tasks; expected the model streams")
    client = client_side(None if model == "kip848" else assignor, settings.mode, settings.rules)
    targets = balanced_targets if model == "classic" else server_side(assignor)
    options, timing = _options(settings, client.name, client.modes, client.remembers), settings.timing
    if timing is not None:
        if model == "classic":
            return TimedModel.over(options, timing, client.assign)
        return TimedConsumerModel.over(options, timing, client.assign, targets)
    if model == "classic":
        return ClassicModel(options, client.assign)
    kinds = settings.kinds
    if model == "migration":
        kinds = kinds or ((CLASSIC, CONSUMER),) * settings.members
    return ConsumerModel(options, client.assign, targets=targets, kinds=kinds, policy=settings.policy)


def _streams(settings: ExploreSettings) -> Model[Any]:
    options = _options(settings, ANY, (EAGER,), remembers=False)
    if settings.faults.topic:
        options = replace(options, new_topics=(LATER,))
    return StreamsModel(options, settings.streams, tasks=of_tasks(settings.assignor))


def _before_0_9(settings: ExploreSettings) -> Model[Any]:
    share = settings.assignor if isinstance(settings.assignor, str) else "ceil-range"
    if share not in SHARES:
        raise InputError(f"--assignor: {settings.model} knows {', '.join(SHARES)}; not {share!r}")
    kind = ZooKeeperModel if settings.model == "zookeeper" else ProposalModel
    return kind(
        settings.members, settings.partitions, share=share, faults=settings.faults, switches=settings.rules
    )


def _options(s: ExploreSettings, assignor: str, modes: tuple[str, ...], remembers: bool) -> ModelOptions:
    """The options of a world. In a migration every member may restart through all of its protocols."""
    faults = s.faults
    if s.model == "migration" and not faults.rollout:
        restarts = sum(len(client) - 1 for client in s.kinds) if s.kinds else s.members
        faults = faults._replace(rollout=restarts)
    topics = tuple(f"t{i}" for i in range(s.topics)) if s.topics > 1 else ("t",)
    return ModelOptions(
        members=s.members,
        partitions=s.partitions,
        topics=topics,
        reads=tuple(topics[:number] for number in s.reads),
        pattern=s.pattern,
        regex=REGEX if s.regex else "",
        late_targets=s.late_targets,
        offload=s.offload,
        new_topics=s.new_topics,
        instances=s.instances or tuple(f"i{i + 1}" for i in range(s.static)),
        assignors=((assignor,),),
        modes=((assignor, modes),),
        faults=faults,
        switches=s.rules,
        version=s.version,
        remembers=remembers,
        threads=s.threads or "no_gen_snapshot" in s.rules,
        assignment_strategies=s.assignment_strategies,
        network=s.network,
        loading=s.loading,
        records=s.records,
        compacted=s.log == COMPACTED,
        remote_assignors=s.remote_assignors,
    )


def explore(
    settings: ExploreSettings,
    limits: WalkLimits | None = None,
    *,
    seed: int = 0,
    symmetry: bool | None = None,
    fingerprints: bool = False,
    jobs: int = 1,
    progress: Callable[[WalkProgress], None] | None = None,
) -> ExploreResult:
    """Explore the model with these settings and check all invariants.

    With `symmetry`, worlds that are identical up to renaming of interchangeable clients and of partitions are
    explored once; with None, only clients are renamed, from three clients on, where it saves time. A network
    on which messages go astray has unbounded worlds: these are explored by random walks from the `seed`, and
    the verdict is never `holds`. With `fingerprints` these are stored instead of the states: two states with
    one fingerprint count as one, with the probability in the result. With several `jobs`, each process
    explores a share of the states.

    Raises InputError for settings that are unknown, or that no exhaustive walk covers.
    """
    built = build(settings)
    claim = invariants(_views(settings, built))
    _check_ways(settings, fingerprints, jobs)
    if settings.network is NetworkLevel.ASTRAY:
        done = random_walk(built, claim, seed=seed, budget=limits, progress=progress)
        return ExploreResult(settings, done, built, seed=seed)
    symmetric = _symmetric(built, symmetry)
    if jobs > 1:
        make = partial(shares_of, settings, symmetric=symmetric)
        shares = make()
        done = explore_by(jobs, shares, make, budget=limits, progress=progress)
        return ExploreResult(settings, done, _full(shares.model), symmetric=symmetric)
    renaming = _renaming(built, symmetric)
    ways = partial(walk, built, claim, budget=limits, progress=progress, symmetry=renaming)
    if fingerprints:
        done = ways(states=lambda: fingerprinted(built), whole_most=0)
    else:
        done = ways(states=lambda: PackedStates(parts_of(built)))
    return ExploreResult(settings, done, built, symmetric=symmetric, fingerprints=fingerprints)


def _check_ways(settings: ExploreSettings, fingerprints: bool, jobs: int) -> None:
    """Raise InputError for kinds of walks that conflict with the settings, or with each other."""
    for option, wanted in (("--states fingerprints", fingerprints), ("--jobs", jobs > 1)):
        if wanted and settings.network is NetworkLevel.ASTRAY:
            raise InputError(f"{option}: not supported for random walks; expected --network atomic or steps")
    if jobs > 1 and fingerprints:
        raise InputError("--jobs: several processes need exact states; expected --states whole")
    if jobs > 1 and not isinstance(settings.assignor, str | None):
        raise InputError("--jobs: your own assignor runs in one process only; expected a built-in name")


def shares_of(settings: ExploreSettings, *, symmetric: str) -> WalkShare[Any]:
    """What each process needs to explore its share of the states, up to renaming of `symmetric`."""
    built = build(settings)
    codec = codec_of(built)
    renaming = _renaming(built, symmetric, codec)
    walked = built if renaming is None else Reduced(built, renaming)
    claim = invariants(_views(settings, built))
    return WalkShare(walked, claim, parts_of(built), codec, place_of(built, codec))


def _full(model: Model[Any]) -> Model[Any]:
    return model.full if isinstance(model, Reduced) else model


def renames(settings: ExploreSettings, symmetry: bool | None = None) -> str:
    """The objects that a walk by several processes (`shares_of`) renames, "" for none.

    Raises InputError as `explore` does, and for settings that only one process can explore.
    """
    if settings.network is NetworkLevel.ASTRAY:
        raise InputError(
            "--network: astray allows random walks by one process only; expected atomic or steps"
        )
    if not isinstance(settings.assignor, str | None):
        raise InputError("--assignor: your own assignor runs in one process only; expected a built-in name")
    return _symmetric(build(settings), symmetry)


def _views(settings: ExploreSettings, built: Model[Any]) -> Views:
    """The sights of a model; waives the guarantees that the release's older rules do not give."""
    views = views_of(built)
    waived = {PROMISED_SINCE[rule] for rule in RELEASES[settings.release] if rule in PROMISED_SINCE}
    return views._replace(waived=views.waived | waived)


def _symmetric(model: Model[Any], wanted: bool | None) -> str:
    """The objects that a walk of the model renames, "" for none; raises InputError if names matter."""
    inner = model.inner if isinstance(model, TimedModel) else model
    few = not isinstance(inner, ClassicModel) or inner.options.members < SYMMETRIC_FROM
    if wanted is False or (wanted is None and few):
        return ""
    distinct = distinguished(inner)
    if distinct and wanted:
        raise InputError(f"--states symmetric: not applicable: {distinct}")
    if distinct:
        return ""
    return PARTITIONS if wanted and not numbered(model) else CLIENTS


def _renaming(
    model: Model[Any], symmetric: str, codec: StateCodec | None = None
) -> ClientSymmetry | PartitionSymmetry | TimedClientSymmetry | None:
    """A function from a state of the model to its representative; None for the identity.

    With a `codec`, several processes agree on the representative.
    """
    if not symmetric or not isinstance(model, ClassicModel | TimedModel):
        return None
    interner = model.context.interner
    order = NUMBER if codec is None else codec.cell_bytes
    if isinstance(model, TimedModel):
        return TimedClientSymmetry(interner, order)
    if symmetric == CLIENTS:
        return ClientSymmetry(interner, order)
    return PartitionSymmetry(model.options.partitions, interner, order)
