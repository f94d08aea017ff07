"""Kafka's assignors of 4.4.0, in a process of Java, and kassay's references: the same random inputs, all answers compared.

`python -m tests.assignors.genuine [--inputs 100000] [--seed 1] [NAME ...]` prints a line an assignor. The jars are
those of `kassay conform --fetch`. Inputs are small, and most of them unlike what a client would send: unequal
subscriptions, conflicting and foreign owned partitions, racks, generations.
"""

from __future__ import annotations

import argparse
import base64
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import md5
from typing import Any, Final, NamedTuple

from kassay.engines.genuine.jars import class_path, coordinator_jars
from kassay.engines.targets.resolve import resolve
from kassay.engines.vectors.check import load_formats
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.errors import KafkaError
from kassay.model.groups.group import Group

Vector = dict[str, Any]
_CLIENT: Final = "org.apache.kafka.clients.consumer."
_SERVER: Final = "org.apache.kafka.coordinator.group.assignor."
CLASSES: Final[Mapping[str, tuple[str, str]]] = {
    "client-range": ("range", f"{_CLIENT}RangeAssignor"),
    "client-roundrobin": ("roundrobin", f"{_CLIENT}RoundRobinAssignor"),
    "client-sticky": ("sticky", f"{_CLIENT}StickyAssignor"),
    "client-cooperative-sticky": ("cooperative-sticky", f"{_CLIENT}CooperativeStickyAssignor"),
    "server-uniform": ("uniform", f"{_SERVER}UniformAssignor"),
    "server-range": ("server-range", f"{_SERVER}RangeAssignor"),
    "server-simple": ("share-simple", f"{_SERVER}SimpleAssignor"),
}
"""By format of vectors: the reference, and Kafka's class."""
RACKS: Final = ("r1", "r2", "r3")


class Compared(NamedTuple):
    """The outcome: inputs, those that both refuse, and the first inputs on which the answers differ."""

    inputs: int
    refused: int
    different: int
    first: tuple[tuple[Vector, str], ...]


class _Both:
    """Stands for a target: asks the reference and Kafka, and keeps how they differ."""

    def __init__(self, reference: Callable[..., Any], kafka: Callable[..., Any], ordered: bool) -> None:
        self.reference, self.kafka, self.ordered = reference, kafka, ordered
        self.text: str | None = None
        self.refused = False

    def __call__(self, **options: Any) -> _Both:
        return self

    def configure(self, config: Mapping[str, Any]) -> None:
        """Nothing to configure."""

    def assign(self, cluster: Any, group: Any) -> Any:
        """The reference's answer, after the comparison."""
        ours = self._answer(self.reference, cluster, group)
        if self.ordered:
            theirs = self._answer(self.kafka, cluster, group)
        else:
            theirs = self._answer(self.kafka, *_named(cluster, group))
        self.refused = isinstance(theirs, str)
        self.text = None if ours == theirs else f"kassay {ours}, Kafka {theirs}"
        return {}

    def _answer(self, make: Callable[..., Any], cluster: Any, group: Any) -> Any:
        arranged = list if self.ordered else sorted
        try:
            answer = make().assign(cluster, group)
        except KafkaError as error:
            return error.java_class
        except Exception as error:  # what Java raised is in its text
            return next(
                (word.rstrip(":") for word in str(error).split() if word.startswith(("java.", "org."))),
                repr(error),
            )
        shown: dict[str, list[str]] = {}
        ids = (
            {name: topic_id for topic_id, name in TOPICS.items()}
            if make is self.kafka and not self.ordered
            else {}
        )
        for member, tps in answer.items():
            named = [f"{ids.get(tp.topic, tp.topic)}-{tp.partition}" for tp in tps]
            if self.ordered or tps:
                shown[member] = arranged(named)
        return shown


@contextmanager
def opened(algorithm: str) -> Iterator[_Both]:
    """Both sides of one format."""
    reference, name = CLASSES[algorithm]
    spec = f"jar:{class_path(coordinator_jars())}!{name}"
    with resolve(reference).open() as ours, resolve(spec).open() as theirs:
        yield _Both(partial(ours.new, {}), partial(theirs.new, {}), algorithm.startswith("client"))


def compare(algorithm: str, inputs: int, seed: int, shown: int = 3) -> Compared:
    """Compare both sides on so many random inputs."""
    form = load_formats()[algorithm]
    source = random.Random(f"{algorithm}/{seed}")
    make = client_vector if algorithm.startswith("client") else server_vector
    refused = different = 0
    first: list[tuple[Vector, str]] = []
    with opened(algorithm) as both:
        for _ in range(inputs):
            vector = make(source, algorithm)
            both.text = None
            form.check(vector, both, exact=False)
            refused += both.refused
            if both.text is not None:
                different += 1
                if len(first) < shown:
                    first.append((vector, both.text))
    return Compared(inputs, refused, different, tuple(first))


def client_vector(source: random.Random, algorithm: str) -> Vector:
    """A random input of a client-side assignor."""
    sizes = {f"t{n}": source.randint(0, source.choice((2, 6, 14))) for n in range(source.randint(1, 4))}
    with_racks = source.random() < 0.3
    topics = [
        {"name": name, "partitions": count, "replica_racks": _racks(source, count) if with_racks else None}
        for name, count in sizes.items()
    ]
    equal = source.random() < 0.25
    own = source.choice(("none", "dealt", "dealt", "any"))
    dealt = _dealt(source, sizes)
    members = []
    everything = sorted(sizes)
    for number in range(source.randint(1, 6)):
        reads = everything if equal else source.sample(everything, source.randint(0, len(everything)))
        if source.random() < 0.05:
            reads = [*reads, "gone"]
        owned = {"none": [], "dealt": dealt.pop() if dealt else [], "any": _any(source, sizes)}[own]
        generation = source.choice((5, 5, 5, 4, -1))
        member = {
            "id": f"m{number}",
            "instance_id": source.choice((None, None, None, f"i{9 - number}")),
            "topics": reads,
            "rack": source.choice(RACKS) if with_racks else None,
            "owned": _runs(owned),
            "generation": generation,
            "subscription_generation": source.choice((-1, generation)),
        }
        if algorithm == "client-cooperative-sticky":
            member["user_data_generation"] = generation if generation >= 0 else None
        members.append(member)
    source.shuffle(members)
    return {"id": "random", "topics": topics, "members": members, "expected": {"assignment": {}}}


def server_vector(source: random.Random, algorithm: str) -> Vector:
    """A random input of a server-side assignor."""
    sizes = {
        topic: source.randint(1, source.choice((2, 6, 14)))
        for topic in source.sample(sorted(TOPICS), source.randint(1, 4))
    }
    everything = sorted(sizes)
    equal = source.random() < 0.5
    common = source.sample(everything, source.randint(1, len(everything)))
    own = source.choice(("none", "dealt", "dealt", "any"))
    dealt = _dealt(source, sizes)
    members = []
    for number in range(source.randint(1, 6)):
        reads = common if equal else source.sample(everything, source.randint(0, len(everything)))
        owned = {"none": [], "dealt": dealt.pop() if dealt else [], "any": _any(source, sizes)}[own]
        if own == "any" and algorithm != "server-simple":
            owned = []
        members.append(
            {
                "id": f"{source.choice('abxyz')}{source.randrange(1000)}-{number}",
                "topics": reads,
                "owned": _runs(owned),
                "rack": None,
                "instance_id": source.choice((None, None, None, f"i{9 - number}")),
            }
        )
    kind = "homogeneous" if len({tuple(sorted(m["topics"])) for m in members}) == 1 else "heterogeneous"
    topics = [{"id": name, "partitions": count} for name, count in sizes.items()]
    return {
        "id": "random",
        "topics": topics,
        "members": members,
        "subscription_type": kind.upper(),
        "expected": {"assignment": {}},
    }


def _topic_id(name: str) -> str:
    """The id that the host of Java classes makes of a topic's name: Java's `UUID.nameUUIDFromBytes`."""
    data = bytearray(md5(name.encode()).digest())
    data[6], data[8] = data[6] & 0x0F | 0x30, data[8] & 0x3F | 0x80
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


TOPICS: Final = {_topic_id(name): name for name in map(str, range(2000))}
"""Names of topics by id: a vector has ids, the host of Java classes makes them of names."""


def _named(cluster: Cluster, group: Group) -> tuple[Cluster, Group]:
    """The request with the names of topics in place of their ids."""
    topics = tuple(Topic(TOPICS[topic.name], topic.partitions) for topic in cluster.topics)
    members = tuple(
        replace(
            member,
            topics=tuple(TOPICS[topic] for topic in member.topics),
            owned=tuple(TopicPartition(TOPICS[tp.topic], tp.partition) for tp in member.owned),
        )
        for member in group.members
    )
    return Cluster(topics), replace(group, members=members)


def _racks(source: random.Random, count: int) -> list[list[str]]:
    return [source.sample(RACKS, source.randint(1, 3)) for _ in range(count)]


def _dealt(source: random.Random, sizes: Mapping[str, int]) -> list[list[tuple[str, int]]]:
    """The partitions, each with one owner at most."""
    hands: list[list[tuple[str, int]]] = [[] for _ in range(source.randint(1, 5))]
    for topic, count in sizes.items():
        for number in range(count):
            if source.random() < 0.9:
                source.choice(hands).append((topic, number))
    return hands


def _any(source: random.Random, sizes: Mapping[str, int]) -> list[tuple[str, int]]:
    """Any partitions, whoever else owns them; a few that do not exist."""
    all_of = [(topic, number) for topic, count in sizes.items() for number in range(count + 1)]
    return [tp for tp in all_of if source.random() < 0.4]


def _runs(tps: list[tuple[str, int]]) -> list[list[Any]]:
    runs: dict[str, list[int]] = {}
    for topic, number in tps:
        runs.setdefault(topic, []).append(number)
    return [[topic, numbers] for topic, numbers in runs.items()]


def main() -> None:
    """Print a line an assignor."""
    options = argparse.ArgumentParser()
    options.add_argument("names", nargs="*", default=list(CLASSES))
    options.add_argument("--inputs", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    for name in chosen.names or CLASSES:
        result = compare(name, chosen.inputs, chosen.seed)
        print(
            f"{name}: {result.inputs:,} inputs, {result.refused:,} refused, {result.different:,} different",
            flush=True,
        )
        for vector, text in result.first:
            print(f"  {vector}\n  {text}", flush=True)


if __name__ == "__main__":
    main()
