"""A cluster as it is read: files that say by their content what they are, or the answers of its brokers.

The answers of brokers become the same values as the outputs of Kafka's tools: `live`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from kassay.model.cluster import Broker, Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import read_pasted
from kassay.reading.kafka.brokers import is_brokers, read_brokers
from kassay.reading.kafka.dialects import in_todays_words
from kassay.reading.kafka.groups import (
    LAGS,
    RACKS,
    SUBSCRIPTIONS,
    GroupOutputs,
    Said,
    absent_groups,
    is_groups,
    read_groups,
    read_lags,
    read_said,
    titles_of,
)
from kassay.reading.kafka.lines import failure_in
from kassay.reading.kafka.other_groups import OtherGroup, read_other_groups
from kassay.reading.kafka.topics import (
    DescribedPartition,
    DescribedTopic,
    is_topics,
    read_topics,
    whole_topics,
)
from kassay.reading.others import group_of_others, what_is
from kassay.reading.pasted import Pasted, pasted

KINDS: Final = (
    "kafka-consumer-groups.sh (or -share-groups.sh, -streams-groups.sh) --describe, kafka-topics.sh "
    "--describe, kafka-broker-api-versions.sh, lines `id,rack`, or a CSV file with the titles "
    "consumer,rack or consumer,topics or topic,partition,lag"
)


@dataclass
class ClusterInputs:
    """The parsed files; `topics` is None if no file describes topics, `files` lists the files read.

    `described` are the topics as their output describes them. `fields` are the fields that files have next to
    those of groups, `others` the share and Streams groups. `notes` is what is to be said of the files
    themselves, or of what brokers answered. `are_racks_known` says that a member without a rack has none.
    `cleaned` says what was added to files, as pasted, and is removed.
    """

    groups: list[GroupOutputs] = field(default_factory=list)
    others: list[OtherGroup] = field(default_factory=list)
    topics: dict[str, Topic] | None = None
    described: dict[str, DescribedTopic] = field(default_factory=dict)
    brokers: dict[int, Broker] = field(default_factory=dict)
    racks: tuple[Said, ...] = ()
    subscriptions: tuple[Said, ...] = ()
    lags: dict[TopicPartition, int] | None = None
    files: list[str] = field(default_factory=list)
    fields: dict[str, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    are_racks_known: bool = False
    cleaned: list[str] = field(default_factory=list)
    _contents: dict[bytes, str] = field(default_factory=dict)

    @property
    def rows(self) -> Iterator[DescribedPartition]:
        """The described partitions."""
        return (row for topic in self.described.values() for row in topic.partitions)

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups that the files mention, by name."""
        return tuple(sorted({name for each in self.groups for name in each.groups}))

    def take(self, text: str | Pasted, file: str) -> None:
        """Add the content of a file, once; raises `InputError` if its format is unknown."""
        clean = pasted(text) if isinstance(text, str) else text
        text = in_todays_words(clean.text).text
        if clean.is_nothing_else:
            raise InputError(f"{file}: has only {', '.join(clean.removed)}, expected {KINDS}")
        if self._is_known(text, file):
            return
        self.cleaned += clean.note(file)
        titles = titles_of(text)
        if titles == LAGS:
            self.lags = {**(self.lags or {}), **read_lags(text, file)}
        elif titles == RACKS:
            self.racks += read_said(text, file, RACKS)
        elif titles == SUBSCRIPTIONS:
            self.subscriptions += read_said(text, file, SUBSCRIPTIONS)
        elif group_of_others(text):
            self.others += read_other_groups(text, file)
        elif is_groups(text):
            self.groups.append(read_groups(text, file))
            self.notes += (f"{file}: {message}" for message in absent_groups(text))
        elif is_topics(text):
            self._take_topics(text, file)
        elif is_brokers(text):
            self.take_brokers(read_brokers(text, file), file)
        elif (failure := failure_in(text)) is not None:
            raise InputError(f"{file}: the tool failed: {failure}")
        else:
            raise InputError(f"{file}: {_unknown(text)} expected {KINDS}")
        self.files.append(file)

    def _is_known(self, text: str, file: str) -> bool:
        """Whether a file with this very content was read before, which is noted."""
        content = sha256(text.encode("utf-8", "surrogatepass")).digest()
        before = self._contents.setdefault(content, file)
        if file not in self.files and before == file:
            return False
        self.notes.append(f"{file} is given twice" if before == file else f"{file} is the same as {before}")
        self.notes[-1] += ": read once"
        return True

    def take_brokers(self, brokers: Iterable[Broker], file: str) -> None:
        """Add brokers with their racks; raises `InputError` if a rack contradicts an earlier one."""
        self.fields.setdefault("host, port and API versions of brokers")
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
            self.described[described.name] = described
            self.fields.update(dict.fromkeys(described.unread))
            self.fields.update(dict.fromkeys(f"Configs: {key}" for key, _ in described.configs))
            if described.topic_id is not None:
                self.fields.setdefault("TopicId")
        self.topics = topics


def _unknown(text: str) -> str:
    """What is known of a text of no kind."""
    known = what_is(text)
    return f"found {known}," if known else "format not recognised,"


def read_cluster(paths: Iterable[str], labels: Mapping[str, str] | None = None) -> ClusterInputs:
    """Read the files; `labels` gives some of them another name in errors. Raises `InputError`."""
    inputs = ClusterInputs()
    for path in paths:
        name = "standard input" if path == "-" else path
        inputs.take(read_pasted(path, "outputs of Kafka's tools"), (labels or {}).get(path, name))
    return inputs
