"""Input files of a cluster; the content of each file identifies its format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kassay.model.cluster import Broker, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import read_text
from kassay.reading.kafka.brokers import is_broker_versions, read_brokers
from kassay.reading.kafka.groups import GroupOutputs, is_groups, read_groups
from kassay.reading.kafka.overrides import LAGS, RACKS, SUBSCRIPTIONS, Said, read_lags, read_said, titles_of
from kassay.reading.kafka.topics import is_topics, read_topics, whole_topics

KINDS: Final = (
    "kafka-consumer-groups.sh --describe, kafka-topics.sh --describe, kafka-broker-api-versions.sh, or lines "
    "consumer,rack or consumer,topics or topic,partition,lag below these titles"
)


@dataclass
class ClusterInputs:
    """The parsed files; `topics` is None if no file describes topics, `files` lists the files read."""

    groups: list[GroupOutputs] = field(default_factory=list)
    topics: dict[str, Topic] | None = None
    brokers: dict[int, Broker] = field(default_factory=dict)
    racks: tuple[Said, ...] = ()
    subscriptions: tuple[Said, ...] = ()
    lags: dict[TopicPartition, int] | None = None
    files: list[str] = field(default_factory=list)

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups that the files mention, by name."""
        return tuple(sorted({name for each in self.groups for name in each.groups}))

    def take(self, text: str, file: str) -> None:
        """Add the content of a file; raises `InputError` if its format is unknown."""
        titles = titles_of(text)
        if titles == LAGS:
            self.lags = {**(self.lags or {}), **read_lags(text, file)}
        elif titles == RACKS:
            self.racks += read_said(text, file, RACKS)
        elif titles == SUBSCRIPTIONS:
            self.subscriptions += read_said(text, file, SUBSCRIPTIONS)
        elif is_groups(text):
            self.groups.append(read_groups(text, file))
        elif is_topics(text):
            self._take_topics(text, file)
        elif is_broker_versions(text):
            self.take_brokers(read_brokers(text, file), file)
        else:
            raise InputError(f"{file}: format not recognised, expected {KINDS}")
        self.files.append(file)

    def take_brokers(self, brokers: Iterable[Broker], file: str) -> None:
        """Add brokers with their racks; raises `InputError` if a rack contradicts an earlier one."""
        for broker in brokers:
            known = self.brokers.setdefault(broker.broker_id, broker)
            if known.rack != broker.rack:
                raise InputError(
                    f"{file}: broker {broker.broker_id}: rack: found {broker.rack!r}, "
                    f"expected {known.rack!r} as in the file before"
                )

    def _take_topics(self, text: str, file: str) -> None:
        topics = self.topics if self.topics is not None else {}
        for described in whole_topics(read_topics(text, file)):
            if described.name in topics:
                raise InputError(
                    f"{described.place}: topic {described.name!r}: found twice, expected each topic once"
                )
            topics[described.name] = described.to_topic()
        self.topics = topics


def read_cluster(paths: Iterable[str], labels: Mapping[str, str] | None = None) -> ClusterInputs:
    """Read the files; `labels` gives some of them another name in errors. Raises `InputError`."""
    inputs = ClusterInputs()
    for path in dict.fromkeys(paths):
        name = "standard input" if path == "-" else path
        inputs.take(read_text(path, "outputs of Kafka's tools"), (labels or {}).get(path, name))
    return inputs
