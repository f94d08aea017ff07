"""Inputs to assignors of groups in which answers cost moves and rack mismatches, and the best of their answers."""

import random
from functools import cache
from itertools import combinations_with_replacement, permutations, product

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.properties.groups.balance import ORDER, Best
from tests.properties.groups.answers import IDS, partitions, step_of, valid_answers


def brute_best(step, order=ORDER):
    """The best loads, moves and mismatches, and an answer that has them, by trying all."""

    def worth(answer):
        loads = sorted(map(len, answer.values()))
        costs = (len(moved(answer, step.previous)), len(rack_mismatches(step.cluster, step.group, answer)))
        return sum(load * load for load in loads), loads, costs if order == ORDER else costs[::-1]

    best = min(valid_answers(step), key=worth)
    _, loads, costs = worth(best)
    moves, mismatches = costs if order == ORDER else costs[::-1]
    return Best(tuple(loads), moves, mismatches, best)


def kinds_of_partition(racked):
    """Who reads a partition, who had it, and in whose racks it lies: all that costs depend on."""
    for size in range(1, 4):
        for able in permutations(IDS, size):
            if list(able) == sorted(able):
                for owner in (None, *able):
                    for near in product((False, True), repeat=size if racked else 0):
                        yield able, owner, tuple(m for m, is_near in zip(able, near) if is_near)


@cache
def priced_inputs(racked, everything):
    """Every input of three members and up to three partitions, as far as costs can tell, members renamed once.

    Members are each in a rack of their own; partitions with the same readers are in one topic.
    """
    types = list(kinds_of_partition(racked))
    if not everything:
        rng = random.Random(4)
        return [_priced(rng.choices(types, k=rng.randint(1, 3)), racked) for _ in range(150)]
    seen = set()
    every = (chosen for count in (1, 2, 3) for chosen in combinations_with_replacement(types, count))
    return [_priced(chosen, racked) for chosen in every if _first_of_its_names(chosen, seen)]


def _first_of_its_names(chosen, seen):
    def renamed(names):
        of = dict(zip(IDS, names))
        return tuple(
            sorted(
                (sorted(of[m] for m in able), of.get(owner, ""), sorted(of[m] for m in near))
                for able, owner, near in chosen
            ).__repr__()
        )

    name = min(renamed(names) for names in permutations(IDS))
    fresh = name not in seen
    seen.add(name)
    return fresh


def _priced(chosen, racked):
    by_readers = {}
    for able, owner, near in chosen:
        by_readers.setdefault(able, []).append((owner, near))
    topics, owned = [], {m: [] for m in IDS}
    for name, rows in zip("tuv", by_readers.values()):
        # Broker 9 is in nobody's rack: a partition on it alone is away from all of its readers.
        replicas = tuple(tuple(IDS.index(m) for m in near) or (9,) for _, near in rows)
        topics.append(Topic(name, len(rows), replicas if racked else None))
        for number, (owner, _) in enumerate(rows):
            if owner is not None:
                owned[owner].append(TopicPartition(name, number))
    brokers = (*(Broker(i, f"rack-{m}") for i, m in enumerate(IDS)), Broker(9, "elsewhere")) if racked else ()
    members = [
        Member(
            m,
            tuple(topic.name for topic, able in zip(topics, by_readers) if m in able),
            tuple(owned[m]),
            1,
            f"rack-{m}" if racked else None,
        )
        for m in IDS
    ]
    return step_of(Cluster(tuple(topics), brokers), members)


def larger_priced(size, seed=2):
    """Larger inputs at random: up to five members and six partitions."""
    rng = random.Random(seed)
    for _ in range(size):
        names = "abcde"[: rng.randint(2, 5)]
        counts = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
        topics = tuple(
            Topic(name, count, tuple((rng.randint(0, 2),) for _ in range(count)))
            for name, count in zip("tuv", counts)
        )
        cluster = Cluster(topics, tuple(Broker(i, f"r{i}") for i in range(3)))
        free = [tp for tp in partitions(cluster) if rng.random() < 0.8]
        members = []
        for name in names:
            held = tuple(tp for tp in free if rng.random() < 0.4)
            free = [tp for tp in free if tp not in held]
            reads = tuple(topic.name for topic in topics if rng.random() < 0.7)
            members.append(Member(name, reads, held, 1, rng.choice((None, "r0", "r1", "r2"))))
        if sum(counts) <= 6:
            yield step_of(cluster, members)
