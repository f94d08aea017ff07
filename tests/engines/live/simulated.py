"""Recordings of groups that do everything right, made without a broker; and faults to plant in them."""

from dataclasses import dataclass, field, replace
from random import Random

from kassay.engines.live.program import Called, Closing, Committed, Ready, RecordsRead, Span
from kassay.engines.live.recording import MS, GroupSeen, Life, LiveStep, Recording
from kassay.engines.live.schedule import draw_script
from kassay.engines.live.script import LiveSeat
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group, Member
from kassay.solver.groups.optimum import best_assignment
from kassay.solver.groups.problem import Problem

CLIENTS = ("java", "librdkafka", "kafka-python", "aiokafka")
STRATEGIES = ("range", "sticky", "cooperative-sticky")


@dataclass
class Seen:
    seat: LiveSeat
    number: int
    topics: frozenset
    started: int
    events: list = field(default_factory=list)
    owned: set = field(default_factory=set)
    ended: int | None = None
    pauses: list = field(default_factory=list)
    out: bool = False

    @property
    def paused(self):
        return bool(self.pauses) and self.pauses[-1][1] is None

    def life(self):
        return Life(self.seat, self.number, self.started, tuple(self.events), self.ended, tuple(self.pauses))


class World:
    """The group, event by event; every event is 1 ms later than the one before."""

    def __init__(self, random: Random, script, strategy, reports=None):
        self.random, self.script, self.strategy, self.reports = random, script, strategy, reports
        self.t, self.topics = 1_000 * MS, dict(script.topics)
        self.all, self.steps = [], []
        self.produced, self.read = {}, {}

    def tick(self, ms=1):
        self.t += ms * MS
        return self.t

    def up(self):
        return [each for each in self.all if each.ended is None and not each.out and not each.paused]

    def call(self, member, kind, partitions):
        for phase in ("begin", "end"):
            member.events.append(Called(self.tick(), kind, phase, frozenset(partitions)))
            if (kind, phase) == ("assigned", "end"):
                member.owned |= set(partitions)
            elif kind != "assigned" and phase == "begin":
                member.owned -= set(partitions)

    def target(self):
        members = sorted(self.up(), key=lambda each: each.seat.name)
        if self.strategy != "range":
            group = Group(
                tuple(
                    Member(m.seat.name, tuple(sorted(m.topics)), tuple(sorted(self.kept(m))), 1)
                    for m in members
                )
            )
            best = best_assignment(Problem.of(Cluster.of(self.topics), group)).assignment
            return {name: set(partitions) for name, partitions in best.items()}
        found = {m.seat.name: set() for m in members}
        for topic, count in self.topics.items():
            readers = [m.seat.name for m in members if topic in m.topics]
            for number in range(count) if readers else ():
                share, more = divmod(count, len(readers))
                index = number // (share + 1) if number < more * (share + 1) else (number - more) // share
                found[readers[index]].add(TopicPartition(topic, number))
        return found

    def kept(self, member):
        return {each for each in member.owned if each.topic in member.topics}

    def rebalance(self):
        """All of a group's callbacks; the cooperative ones revoke what moves, and then assign it."""
        target, cooperative = self.target(), self.strategy == "cooperative-sticky"
        members = self.up()
        if all(target[m.seat.name] == m.owned for m in members):
            return
        for m in members:
            going = m.owned - target[m.seat.name] if cooperative else set(m.owned)
            if going or not cooperative:
                self.commit(m)
                self.call(m, "revoked", going)
        for m in members:
            self.call(m, "assigned", target[m.seat.name] - m.owned)

    def work(self):
        """The producer sends, and every owner reads and commits."""
        for topic, count in self.topics.items():
            for number in range(count):
                partition = TopicPartition(topic, number)
                self.produced[partition] = self.produced.get(partition, 0) + self.random.randint(0, 3)
        for m in self.up():
            spans = []
            for each in sorted(m.owned):
                first, end = self.read.get(each, 0), self.produced.get(each, 0)
                if end > first:
                    spans.append(Span(each, first, end - 1, end - first))
                    self.read[each] = end
            if spans:
                m.events.append(RecordsRead(self.tick(), tuple(spans)))
            self.commit(m)

    def commit(self, m):
        offsets = {each: self.read[each] for each in m.owned if each in self.read}
        if offsets:
            m.events.append(Committed(self.tick(), self.t - MS // 2, offsets))

    def act(self, action):
        mine = [each for each in self.all if each.seat.name == action.member]
        m = mine[-1] if mine else None
        match action.do:
            case "join":
                self.start(action.member, frozenset(self.topics), len(mine) + 1)
            case "leave":
                m.events.append(Closing(self.tick()))
                m.out = True
            case "crash":
                m.ended = self.tick()
            case "return":
                m.ended = self.tick()
                self.start(action.member, m.topics, len(mine) + 1)
                self.call(self.all[-1], "assigned", m.owned)
            case "pause":
                m.pauses.append((self.tick(), None))
                self.tick(self.script.timeouts.session_ms)
            case "resume":
                m.pauses[-1] = (m.pauses[-1][0], self.tick())
                self.call(m, "lost", set(m.owned))
            case "subscribe":
                m.topics = frozenset(action.topics)
            case "grow":
                self.topics[action.topic] = action.partitions

    def start(self, name, topics, number):
        m = Seen(self.script.by_name[name], number, topics, self.tick())
        ready = Ready(self.tick(), m.seat.client, "1")
        m.events.append(ready if self.reports is None else replace(ready, reports=self.reports))
        self.all.append(m)

    def play(self):
        for action in self.script.actions:
            began = self.tick()
            self.act(action)
            self.rebalance()
            self.work()
            view = GroupSeen(self.tick(), "Stable", {m.seat.name: frozenset(m.owned) for m in self.up()})
            present = {m.seat.name: m.topics for m in self.up()}
            self.steps.append(LiveStep(action, began, view.t, True, dict(self.topics), present, view))
        self.work()
        return self

    def recording(self):
        lives = tuple(each.life() for each in self.all)
        return Recording(self.script, lives, tuple(self.steps), dict(self.produced))


def simulated(random: Random, *, reports=None, strategy=None):
    """A recording of a right group of two to four members."""
    strategy = strategy or random.choice(STRATEGIES)
    seats = [
        LiveSeat(f"m{number + 1}", random.choice(CLIENTS), (strategy,))
        for number in range(random.randint(2, 4))
    ]
    return World(random, draw_script(random.randrange(2**32), seats), strategy, reports).play().recording()


def moves_between(recording):
    """(step, partition, old life, new life) of each partition that changed between two that go on."""
    found = []
    for number, (before, after) in enumerate(zip(recording.steps, recording.steps[1:]), start=2):
        for old, owned in before.group.members.items():
            for new, then in after.group.members.items():
                both = old in after.group.members and new in before.group.members
                if old != new and both and after.action.do not in ("return", "resume"):
                    found += [(number, each, old, new) for each in sorted(owned & then)]
    return found


def life_at(recording, name, step):
    """The life of the member that ran in this step (from 1 on)."""
    ended = recording.steps[step - 1].ended
    return [each for each in recording.lives if each.seat.name == name and each.started < ended][-1]


def with_life(recording, old, new):
    return replace(recording, lives=tuple(new if each is old else each for each in recording.lives))


def keeps(recording, step, partition, name):
    """The member goes on owning the partition that it should give up in the step."""
    life, began, ended = life_at(recording, name, step), *_span(recording, step)
    events = tuple(
        replace(each, partitions=each.partitions - {partition})
        if isinstance(each, Called) and each.kind != "assigned" and began <= each.t <= ended
        else each
        for each in life.events
    )
    return with_life(recording, life, replace(life, events=events))


def early(recording, step, partition, old, new):
    """The new owner acknowledges the partition before the old one gives it up."""
    giver, taker = life_at(recording, old, step), life_at(recording, new, step)
    began, ended = _span(recording, step)
    gives = next(
        each.t
        for each in giver.events
        if isinstance(each, Called)
        and each.kind == "revoked"
        and partition in each.partitions
        and began <= each.t <= ended
    )
    moved = Called(gives - MS // 10, "assigned", "end", frozenset({partition}))
    events = sorted([*taker.events, moved], key=lambda each: each.t)
    return with_life(recording, taker, replace(taker, events=tuple(events)))


def left_out(recording, step, partition, new):
    """None owns the partition at the end of the last step, which reaches its limit."""
    life, ended = life_at(recording, new, step), recording.steps[step - 1].ended
    gone = Called(ended - MS // 2, "revoked", "begin", frozenset({partition}))
    events = sorted([*life.events, gone], key=lambda each: each.t)
    changed = with_life(recording, life, replace(life, events=tuple(events)))
    last = recording.steps[step - 1]
    owned = {**last.group.members, new: last.group.members[new] - {partition}}
    steps = list(recording.steps)
    steps[step - 1] = replace(last, settled=False, group=replace(last.group, members=owned))
    return replace(changed, steps=tuple(steps))


def _span(recording, step):
    each = recording.steps[step - 1]
    return each.began, each.ended
