"""Sound rules beside which a control is shown to have one fault, and what all claims of a kind make of each."""

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from itertools import permutations

from kassay.assignors.groups.client.optimal_sticky import OptimalSticky
from kassay.assignors.groups.server.share_simple import ShareSimple
from kassay.assignors.placement.striped import Striped
from kassay.assignors.registry import find
from kassay.engines.runs.blocks import Job
from kassay.engines.runs.controls import control_target
from kassay.engines.runs.options import RunOptions
from kassay.kinds.controls import Control
from kassay.kinds.groups.controls.balance import MovesOneAtATime
from kassay.kinds.judging import Subject
from kassay.kinds.placement.controls.placers import EvenPlacer
from kassay.kinds.streams.controls.members import OptimalStreams
from kassay.kinds.streams.controls.threads import EvenTasks, StickyTasks
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import CLIENT, SHARE
from kassay.model.java import RandomSource
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.request import Placement, PlacementRequest
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest
from kassay.properties.registry import load_claims
from tests.kinds.caught import IMPLIED


class ByCount(OptimalSticky):
    """The best balance; who owned what and who is in which rack does not matter."""

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The optimum for a group without owners and racks."""
        members = tuple(member._replace(owned=(), rack=None) for member in group.members)
        return super().assign(cluster, Group(members, group.leader))


class ByWeight(AssignorBase):
    """The heaviest partition goes to whoever carries least, and then on and on."""

    name = "by-weight"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Heaviest first."""
        weights = {
            TopicPartition(topic.name, p): topic.weights[p] if topic.weights else 1
            for topic in cluster.topics
            for p in range(topic.partitions)
        }
        given: dict[str, list[TopicPartition]] = {member.member_id: [] for member in group.members}
        carried = dict.fromkeys(given, 0)
        for tp in sorted(weights, key=lambda tp: (-weights[tp], tp)):
            readers = [m.member_id for m in group.members if tp.topic in m.topics]
            if readers:
                least = min(readers, key=lambda member_id: (carried[member_id], member_id))
                given[least].append(tp)
                carried[least] += weights[tp]
        readers = {m.member_id: frozenset(m.topics) for m in group.members}
        while self._lighten(given, carried, weights, readers):
            pass
        return Assignment(given)

    def _lighten(self, given, carried, weights, readers):
        """Move a partition from who carries most to somebody who carries less afterwards, if one can."""
        most = max(carried, key=lambda who: (carried[who], who), default=None)
        for tp in given.get(most, ()):
            for other, topics in readers.items():
                if tp.topic in topics and carried[other] + weights[tp] < carried[most]:
                    given[most].remove(tp)
                    given[other].append(tp)
                    carried[most] -= weights[tp]
                    carried[other] += weights[tp]
                    return True
        return False


class InOrder(Striped):
    """Kafka's rule for brokers in the order of their numbers, however they are listed."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The rows for the sorted brokers."""
        brokers = tuple(sorted(request.brokers, key=lambda broker: broker.broker_id))
        return super().place(replace(request, brokers=brokers), random)


class EvenLeaders(Striped):
    """Whoever leads least leads next; followers are always the first brokers."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """A row after the other, existing partitions included in what is led."""
        super().place(request, random)
        unfenced = sorted(request.unfenced)
        fenced = sorted(request.by_id.keys() - request.unfenced)
        leads = Counter(row[0] for row in request.existing)
        rows = []
        for _ in range(request.partitions):
            leader = min(unfenced, key=lambda broker: (leads[broker], broker))
            leads[leader] += 1
            followers = [broker for broker in (*unfenced, *fenced) if broker != leader]
            rows.append((leader, *followers[: request.replication_factor - 1]))
        return tuple(rows)


class Staircase(ShareSimple):
    """The further on a partition is, the fewer readers have it: sound, and not even."""

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Everything to everybody, but for the first readers of all partitions but the first."""
        ranks = {topic: sorted(readers) for topic, readers in group.subscribers.items()}
        return Assignment(
            {
                member: [
                    tp for tp in tps if ranks[tp.topic].index(member) >= tp.partition % len(ranks[tp.topic])
                ]
                for member, tps in super().assign(cluster, group).items()
            }
        )


class EvenThreads(EvenTasks):
    """The even rule, and then whatever can go from a thread with too many tasks goes, copies first."""

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """No thread could hand a task to another and still have no more: active tasks may be uneven for it."""
        given = {p: [list(part) for part in tasks] for p, tasks in super().assign(request).processes.items()}
        while any(self.hands_on(request, given, *pair) for pair in permutations(given, 2)):
            pass
        return TaskAssignment({p: ClientTasks(*map(tuple, map(sorted, parts))) for p, parts in given.items()})

    def hands_on(
        self, request: TaskRequest, given: Mapping[str, list[list[TaskId]]], over: str, under: str
    ) -> bool:
        """Whether the one had a task too many that the other had not, which is the other's now."""
        more, less = (len(given[p][0]) + len(given[p][1]) for p in (over, under))
        if (more - 1) * request.by_id[under].capacity < (less + 1) * request.by_id[over].capacity:
            return False
        for part in (1, 0):
            for task in sorted(set(given[over][part]).difference(*given[under]))[-1:]:
                given[over][part].remove(task)
                given[under][part].append(task)
                return True
        return False


BESIDE: dict[str | tuple[Kind, str], str | type] = {
    "counts-partitions": ByWeight,
    "deals-in-turn": MovesOneAtATime,
    "moves-one-at-a-time": ByCount,
    "trusts-owned": "roundrobin",
    "gives-up-one-by-one": "optimal-cooperative",
    "hands-over-at-once": "optimal-cooperative",
    "rounds-up": "range",
    "deals-each-topic": "range",
    "goes-on-where-it-was": "range",
    "restarts-per-topic": "roundrobin",
    "starts-at-the-first": EvenLeaders,
    "fills-in-order": EvenPlacer,
    "takes-partial-racks": "placement:rack-aware",
    "stands-by-itself": EvenTasks,
    "copies-everywhere": EvenTasks,
    "ignores-threads": EvenTasks,
    "swaps-two": StickyTasks,
    "copies-to-one": EvenThreads,
    "state-to-one": EvenTasks,
    "leaves-one-out": EvenTasks,
    "deals-again": EvenTasks,
    (STREAMS, "goes-by-listing"): EvenTasks,
    (PLACER, "goes-by-listing"): InOrder,
    "hashes-processes": EvenTasks,
    "swaps-what-was-lost": OptimalStreams,
    "swaps-copies": OptimalStreams,
}
"""The sound rule for a control where it is not the reference that the control is like.

By its name, and by its kind where controls of other kinds have that name and no such rule.
"""
OF_EVEN_SHARES = ("assignable", "balanced-within-one", "shared-evenly", "fewest-taken-back", "stable")
"""The claims of share groups that `Staircase` does not keep."""
USUAL = {
    PLACER: "placement:striped",
    PLANNER: "plan:optimal",
    STREAMS: "streams-high-availability",
    CONNECT: "optimal-connect",
}


UNASKED = ("scales", "terminates")
"""What breaks these gives no answers that other claims could judge, or late ones."""
CASES = 80
"""Those in which every situation was aimed at once: cases in which all claims of a kind are asked."""
OF_PLACERS = 240
"""Few requests have neither racks nor enough brokers."""

ENTANGLED = {
    (CLIENT, "trusts-owned"): "who keeps whatever is owned is out of balance too; gives-twice is not",
    (CONNECT, "gives-lost-work-to-one"): "a rebalance for no reason moves what is too much there",
    (CONNECT, "never-stops-what-it-revokes"): "it starts what runs elsewhere, and counts twice there",
    (CONNECT, "never-reassigns-without-delay"): "what is left out was lost",
}
"""The controls that more than their claim tells from a sound rule.

Each has a fault that clients had, or Kafka itself, whose harm is of several kinds; beside it another control of its claim
is told by that claim alone.
"""


def broken_by_sound(control: Control) -> frozenset[str]:
    """The claims of the kind that the sound rule beside the control breaks as well, in the same cases."""
    named = BESIDE.get((control.kind, control.name)) or BESIDE.get(control.name)
    rule = named or control.like or USUAL[control.kind]
    if control.kind is SHARE and control.breaks not in OF_EVEN_SHARES:
        rule = Staircase
    if isinstance(rule, str):
        reference = find(rule)
        assert reference is not None, rule
        rule = reference.factory
    return _broken(rule, control.kind, control.protocol)


@cache
def _broken(factory: type, kind: Kind, protocol: RebalanceProtocol) -> frozenset[str]:
    return broken_of_all(Control("sound", factory, "complete", protocol, kind))


def broken_of_all(control: Control) -> frozenset[str]:
    """The claims of the kind, but for those about time, that the control breaks in the kind's first cases."""
    names = [name for kind, name in load_claims() if kind is control.kind and name not in UNASKED]
    job = Job(control_target(control), RunOptions(claims=tuple(names)))
    broken: set[str] = set()
    with ExitStack() as stack:
        subject = Subject(control.new, control.protocol, job.claims)
        if control.breaks == "deterministic":
            one, other = (
                stack.enter_context(control_target(control).open(hash_seed=seed)) for seed in (1, 2)
            )
            subject = replace(subject, new=one.new, twin=other.new)
        for index in range(OF_PLACERS if control.kind is PLACER else CASES):
            broken |= {v.claim for v in job.driver.examine(job.case(index), subject).violations}
    return frozenset(broken)


def implying(claim: str) -> set[str]:
    """The claims that imply this one, directly or not, and itself."""
    reached, latest = {claim}, {claim}
    while latest:
        latest = set().union(*(IMPLIED.get(name, set()) for name in latest)) - reached
        reached |= latest
    return reached
