"""Random requests, timers, failovers and failing writes: what must hold whatever happens."""

from __future__ import annotations

from random import Random

import pytest

from kassay.model.protocols.coordinator.runtime import ClockedRuntime, Happened
from kassay.model.protocols.coordinator.step import SWITCHES
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.groups import EMPTY, ClassicGroup, ConsumerGroup
from kassay.model.protocols.values.releases import RELEASES
from kassay.model.protocols.values.requests import Config, Subscription
from tests.model.protocols.coordinator.drive import FirstChoices, tps

STEPS = 60


class RandomChoices(FirstChoices):
    def __init__(self, random: Random) -> None:
        super().__init__()
        self.random = random

    def pick(self, kind, options):
        return self.random.choice(list(options))

    def target(self, ask):
        given = {member.member_id: [] for member in ask.members}
        for topic in ask.topics:
            readers = [member.member_id for member in ask.members if topic.name in member.subscribed]
            for tp in tps(*range(topic.partitions), topic=topic.topic_id):
                given[self.random.choice(readers)].append(tp)
        return tuple((member, tuple(sorted(owned))) for member, owned in given.items())


class Walk:
    """One group under random fire; `kinds` are the protocols that its clients speak."""

    def __init__(self, seed: int, kinds: tuple[str, ...], switches: frozenset[str] = frozenset()) -> None:
        self.random = random = Random(seed)
        self.kinds = kinds
        self.runtime = ClockedRuntime(
            Config(
                initial_rebalance_delay=random.choice([0, 3_000]),
                new_member_join_timeout=random.choice([12_000, 60_000]),
                classic_max_size=random.choice([2, 3, 99]),
                consumer_max_size=random.choice([2, 3, 99]),
                upgrade=random.random() < 0.7,
                downgrade=random.random() < 0.7,
                switches=switches,
            ),
            RandomChoices(random),
        )
        self.host = self.runtime.first(requests.image_of({"bar": 2, "foo": 3}.items()))
        self.answered: set[int] = set()

    def run(self) -> None:
        for number in range(STEPS):
            happened = self.act(number)
            self.host = happened.host
            for reply in happened.replies:
                assert reply.correlation_id not in self.answered, "answered twice"
                self.answered.add(reply.correlation_id)
            assert hash(self.host) == hash(self.host)
            self.check()

    def act(self, number: int) -> Happened:
        random, runtime, host = self.random, self.runtime, self.host
        dice = random.random()
        if dice < 0.12:
            millis = random.choice([0, 100, 3_000, 10_000, 60_000])
            return runtime.advance(host, millis, random.choice)
        if dice < 0.15:
            return runtime.reload(host)
        if dice < 0.17:
            return Happened(host._replace(deferring=True))
        if dice < 0.20:
            return runtime.flush(host)
        if dice < 0.23:
            image = requests.image_of({"foo": random.randint(1, 4), random.choice(["foo", "bar"]): 2}.items())
            return runtime.deliver(host, requests.MetadataChanged(image))
        fails = "NOT_ENOUGH_REPLICAS" if random.random() < 0.05 else ""
        return runtime.deliver(host, self.request(number), fails)

    def request(self, number: int):
        random, group = self.random, self.host.state.group
        known = {member.member_id: member for member in (group.members if group else ())}
        pending = group.pending_join if isinstance(group, ClassicGroup) else ()
        member = random.choice([*known, *known, *pending, "", "stranger"])
        instance = random.choice(["", "", "i1", "i2"])
        if member in known and random.random() < 0.8:
            instance = known[member].group_instance_id
        generation = getattr(group, "generation", getattr(known.get(member), "epoch", 0))
        generation += random.choice([0] * 8 + [-1, 1])
        if random.choice(self.kinds) == "consumer":
            member = member or f"m{number}"
            return self.consumer_heartbeat(number, member, instance, generation, known.get(member))
        dice = random.random()
        if dice < 0.45:
            return self.join(number, member, instance, known.get(member))
        if dice < 0.7:
            given = tuple((name, tps(index)) for index, name in enumerate(known))
            kind = random.choice(["", "consumer", "connect"])
            return requests.SyncGroup(number, member, generation, given, instance, kind)
        if dice < 0.8:
            return requests.Heartbeat(number, member, generation, instance)
        if dice < 0.9:
            return requests.LeaveGroup(
                number, ((member, instance), (random.choice([*known, "x"]), ""))[: random.randint(1, 2)]
            )
        offsets = ((tps(0)[0], number),)
        return requests.OffsetCommit(number, member, generation, offsets, instance, random.choice([8, 9]))

    def join(self, number: int, member: str, instance: str, known):
        random = self.random
        topics = tuple(sorted(random.sample(["bar", "foo"], random.randint(1, 2))))
        metadata = Subscription(topics, version=random.randint(0, 3))
        names = random.sample(["range", "sticky"], random.randint(1, 2))
        protocols = tuple((name, metadata) for name in names)
        if random.random() < 0.5:
            protocols = getattr(known, "protocols", protocols)
        session, rebalance = random.choice([6_000, 10_000]), random.choice([12_000, 30_000])
        version = random.choice([9, 9, 9, 5, 3])
        return requests.JoinGroup(
            number, member, protocols, "c", instance, session, rebalance, "consumer", version
        )

    def consumer_heartbeat(self, number: int, member: str, instance: str, generation: int, known):
        random = self.random
        epoch = random.choice([0, 0, -1, -2] + [generation] * 4)
        if epoch == 0:
            return requests.ConsumerHeartbeat(number, member, 0, instance, 30_000, ("foo",), "", ())
        owned = random.choice([None, (), getattr(known, "assigned", ())])
        subscribed = random.choice([None, None, ("foo",), ("bar", "foo")])
        timeout = random.choice([-1, 30_000])
        assignor = random.choice(["", "uniform", "range"])
        return requests.ConsumerHeartbeat(
            number, member, epoch, instance, timeout, subscribed, assignor, owned
        )

    def check(self) -> None:
        group = self.host.state.group
        if isinstance(group, ConsumerGroup):
            held = [tp for member in group.members for tp in member.assigned + member.pending]
            assert len(held) == len(set(held)), "a partition has two holders"
            assert all(member.epoch <= group.target_epoch <= group.epoch for member in group.members)
        if isinstance(group, ClassicGroup) and group.members:
            assert group.state != EMPTY
            assert group.leader in {member.member_id for member in group.members}
            waiting = [member.awaiting_sync != requests.NO_REQUEST for member in group.members]
            assert group.state == "CompletingRebalance" or not any(waiting)


@pytest.mark.parametrize("kinds", [("classic",), ("consumer",), ("classic", "consumer")])
@pytest.mark.parametrize("rules", [frozenset(), RELEASES["2024-10"]])
def test_nothing_impossible_happens(kinds, rules):
    for seed in range(150):
        Walk(seed, kinds, rules).run()


BREAKS_ONE_HOLDER = {"ignore_unreleased", "pend_reassign_loses_epoch"}


@pytest.mark.parametrize("switch", sorted({*SWITCHES} - BREAKS_ONE_HOLDER - RELEASES["2024-10"]))
def test_switched_bugs_stay_within_the_tables(switch):
    for seed in range(40):
        Walk(seed, ("classic", "classic", "consumer"), frozenset({switch})).run()


@pytest.mark.parametrize("switch", sorted(BREAKS_ONE_HOLDER))
def test_random_fire_finds_two_holders_under_the_switches_that_allow_it(switch):
    with pytest.raises(AssertionError, match="two holders"):
        for seed in range(400):
            Walk(seed, ("consumer",), frozenset({switch})).run()
