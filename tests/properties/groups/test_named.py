"""Histories in which one of two topics with related names is gone: what is kept of it by its name is found."""

from dataclasses import replace

import pytest

from kassay.kinds.registry import driver_for
from kassay.kinds.wide import WidePlan, widened
from kassay.model.cluster import TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment
from kassay.model.groups.history import DeleteTopic, Resubscribe
from kassay.model.groups.kinds import CLIENT, GROUPS, SERVER
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.groups.named import RELATED, named_group
from kassay.properties.sources import Seeded
from tests.properties.widths import examined, job_of

SEEDS = range(30)


def histories(kind, **profile):
    """Histories of the kind for related names, each with the profile's own."""
    wanted = GroupProfile(kind=kind, wanted=frozenset({"topic", RELATED}), **profile)
    driver = driver_for(kind)
    return [driver.generate(Seeded(seed), wanted) for seed in SEEDS]


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_each_of_two_topics_is_dropped_by_its_owner_while_the_other_is_read(kind):
    dropped = 0
    for history in histories(kind):
        end = [e for change in history.changes[-6:] for e in change if isinstance(e, Resubscribe)]
        alone = {e.topics for e in end if len(e.topics) == 1}
        dropped += len(alone) == 2
        assert driver_for(kind).form.read(driver_for(kind).form.write(history), "case") == history
    assert dropped > len(SEEDS) // 2


def test_each_is_deleted_but_for_a_brokers_assignors():
    def deleted(kind):
        return sum(
            isinstance(event, DeleteTopic) for h in histories(kind) for c in h.changes[-2:] for event in c
        )

    assert deleted(CLIENT) > len(SEEDS)
    assert deleted(SERVER) == 0


@pytest.mark.parametrize("assumed", ["equal-subscriptions", "no-conflicting-claims"])
def test_what_is_assumed_excludes_them(assumed):
    profile = GroupProfile(assume=frozenset({assumed}))
    for history in histories(CLIENT, assume=profile.assume):
        assert named_group(history, profile) is history


class KeepsByHead(AssignorBase):
    """Leaves a partition with its owner as long as its topic begins with the name of one that is read."""

    name = "keeps-by-head"

    def assign(self, cluster, group):
        """The kept partitions, and the others for the first reader."""
        kept = {}
        for member in group.members:
            for tp in member.owned:
                known = tp.topic in cluster.counts and tp.partition < cluster.counts[tp.topic]
                if known and any(tp.topic.startswith(topic) for topic in member.topics):
                    kept.setdefault(tp, member.member_id)
        given = {member.member_id: [] for member in group.members}
        for topic, count in cluster.counts.items():
            readers = [member.member_id for member in group.members if topic in member.topics]
            for tp in (TopicPartition(topic, number) for number in range(count if readers else 0)):
                given[kept.get(tp, readers[tp.partition % len(readers)])].append(tp)
        return Assignment.of(given)


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_what_is_kept_by_a_part_of_its_name_is_found(kind):
    job = job_of({CLIENT: "range", SERVER: "server-range"}.get(kind, "share-simple@4.2"))
    (space,) = (space for space in job.widths.spaces if space.id == "topic")
    (prefix,) = (known for known in space.classes if known.id == "prefix")
    plan = WidePlan(names={"topic": prefix})
    found = 0
    for seed in SEEDS:
        source = Seeded(seed)
        wide = replace(job.profile, wanted=plan.dimensions)
        case, shown = widened(job.driver, plan, job.driver.generate(source, wide), source)
        violated = {each.claim for each in examined(job, case, KeepsByHead).violations}
        found += bool(shown) and "subscribed" in violated
    assert found > len(SEEDS) // 2
