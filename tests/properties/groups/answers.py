"""Every small input to an assignor of groups, and every answer to it that is well-formed for a claim."""

from itertools import combinations, combinations_with_replacement, product

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT, SHARE
from kassay.model.groups.step import Step
from tests.properties.groups.steps import COOPERATIVE, EAGER

IDS = "abc"
NAMES = "tuv"
FOREIGN = "z"
SPLITS = ((1,), (2,), (1, 1), (3,), (2, 1), (1, 1, 1))
"""The ways to have up to three partitions in topics."""


def subscriptions(sizes, members_max=3, unknown=False):
    """Who reads what among topics of these sizes, up to the order of members; nothing is a choice too."""
    names = (*NAMES[: len(sizes)], *("x" if unknown else ""))
    choices = [own for size in range(len(names) + 1) for own in combinations(names, size)]
    for members in range(1, members_max + 1):
        yield from combinations_with_replacement(choices, members)


def readings(members_max=3, unknown=False):
    """Steps without an answer and without a past: every cluster and everything that members could read."""
    for sizes in SPLITS:
        cluster = Cluster(tuple(Topic(name, size) for name, size in zip(NAMES, sizes)))
        for chosen in subscriptions(sizes, members_max, unknown):
            yield step_of(cluster, [Member(i, own) for i, own in zip(IDS, chosen)])


def step_of(cluster, members, protocol=EAGER, **extras):
    return Step(
        cluster, Group(tuple(members), members[0].member_id), Assignment({}), 2, protocol=protocol, **extras
    )


def partitions(cluster):
    return [TopicPartition(topic, p) for topic, count in cluster.counts.items() for p in range(count)]


def dealt(step, holders):
    """The answer in which each partition is held by these members, in order of listing."""
    given = {member.member_id: [] for member in step.group.members}
    for tp, of_partition in holders.items():
        for member_id in of_partition:
            given[member_id].append(tp)
    return Assignment(given)


def readers(step, tp):
    return [m.member_id for m in step.group.members if tp.topic in m.topics]


def _subsets(items):
    return [own for size in range(1, len(items) + 1) for own in combinations(items, size)]


def valid_answers(step, kind=CLIENT):
    """Every answer that keeps all validity claims: a cooperative round may withhold what is owned."""
    owned = {tp for m in step.group.members for tp in m.owned} if step.protocol is COOPERATIVE else set()
    holders = {}
    for tp in partitions(step.cluster):
        able = readers(step, tp)
        if able:
            to = _subsets(able) if kind is SHARE else [(one,) for one in able]
            free = step.group.assignable is not None and tp not in step.group.assignable
            holders[tp] = [*to, ()] if free or tp in owned else to
    return [dealt(step, dict(zip(holders, chosen))) for chosen in product(*holders.values())]


def answers_in_shape(step, claim_id):
    """Every answer that may break this validity claim and keep the others: far more than do.

    Each partition is with any members, with one of them twice or with nobody. What is not there is given out
    for `exists`, entries are added and left out for `members`: both break their claim wherever they stand,
    so that of three members only answers in which nothing is given out twice are looked at.
    """
    everybody = [member.member_id for member in step.group.members]
    to = [(), *_subsets(everybody), *[(one, one) for one in everybody]]
    tps = partitions(step.cluster)
    if len(everybody) > 2 and claim_id in ("exists", "members"):
        to = [(), *[(one,) for one in everybody]]
    for chosen in product(to, repeat=len(tps)):
        answer = dealt(step, dict(zip(tps, chosen)))
        yield answer
        given = dict(answer.items())
        if claim_id == "exists":
            for nowhere in nonexistent(step):
                for member_id in everybody:
                    yield Assignment({**given, member_id: (*given[member_id], nowhere)})
        if claim_id == "members":
            yield Assignment({**given, FOREIGN: ()})
            for member_id in everybody:
                yield Assignment({m: tps for m, tps in given.items() if m != member_id})


def nonexistent(step):
    topics = {topic for member in step.group.members for topic in member.topics} | {"y"}
    return [TopicPartition(topic, step.cluster.counts.get(topic, 0)) for topic in sorted(topics)]
