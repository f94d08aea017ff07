"""Outputs of 19 other tools, written from their source before the readers: read as expected, or named.

`unseen/expected.json` has, for each file, the tool and what a reader must find: owners by client id, lags,
replicas, leaders, replicas in sync. A file that is not read must be refused by the name of its tool.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.observed import observe
from kassay.engines.replicas.sources import ClusterSources, take_file
from kassay.model.errors import InputError
from kassay.reading.kafka.dialects import in_todays_words
from kassay.reading.kafka.json_dialects import json_in_todays_words
from kassay.reading.kafka.topics import DescribedTopic, read_topics
from kassay.reading.others import what_is
from kassay.reading.pasted import pasted
from tests.reading.kafka.outputs import FOLDER
from tests.reading.pasting import ALL

UNSEEN = FOLDER / "unseen"
EXPECTED: dict[str, dict[str, Any]] = json.loads((UNSEEN / "expected.json").read_text(encoding="utf-8"))
TEXTS = {name: (UNSEEN / name).read_text(encoding="utf-8") for name in EXPECTED}
READ_GROUPS = frozenset({
    "confluent-lag.json", "kafka-rest-lags.json", "kcl-group-consumer.txt", "kcl-group-lag.txt", "kcl-group.json",
    "kcl-group.txt", "redpanda-console-group.json", "redpanda-console-groups.json",
    "rpk-group-describe-commits.txt", "rpk-group-describe-static-2.txt", "rpk-group-describe-two.txt",
})  # fmt: skip
READ_TOPICS = frozenset({
    "akhq-topic.json", "cruise-control-state.json", "cruise-control-state.txt", "kafdrop-topic.json",
    "kafdrop-topics.json", "kafka-rest-replicas.json", "kafka-ui-topic.json", "kcat-errors.json",
    "kcat-errors.txt", "kcat-one-topic.txt", "kcl-metadata-detailed.txt", "kcl-topic.json", "kcl-topic.txt",
    "kt-topic.txt", "redpanda-console-topic.json",
})  # fmt: skip
WITHOUT_PARTITIONS = frozenset({"rpk-group-summary.txt", "rpk-group-lag-per-topic.txt"})
"""Read as a group of which no file says who owns what."""
COUNTED = "rpk-topic-describe-all.txt"
"""Its replicas are sorted: `place` refuses it, groups need only the number of partitions."""
NAMED = frozenset(EXPECTED) - READ_GROUPS - READ_TOPICS - WITHOUT_PARTITIONS - {COUNTED}


def owned(text: str, group: str) -> dict[str, dict[str, list[int]]]:
    """By client id, the partitions of each topic."""
    inputs = ClusterInputs()
    inputs.take(text, "f")
    observed = observe(inputs, group or None)
    out: dict[str, dict[str, list[int]]] = {}
    for member, tps in observed.assignment.items():
        for tp in sorted(tps):
            client = next(each.client_id for each in inputs.groups[0].offsets if each.member == member)
            out.setdefault(str(client), {}).setdefault(tp.topic, []).append(tp.partition)
    return out


def topics(text: str) -> tuple[DescribedTopic, ...]:
    return read_topics(in_todays_words(pasted(text).text).text, "f")


def facts(text: str) -> dict[str, dict[str, Any]]:
    rows = {str(row.partition): row for topic in topics(text) for row in topic.partitions}
    return {
        "replicas": {name: list(row.replicas) for name, row in rows.items()},
        "leader": {name: -1 if row.leader is None else row.leader for name, row in rows.items()},
        "isr": {name: sorted(row.isr or ()) for name, row in rows.items()},
    }


def test_there_are_as_many_as_was_asked_for() -> None:
    assert len(EXPECTED) >= 60
    assert len({each["tool"] for each in EXPECTED.values()}) >= 19
    assert {each["kind"] for name, each in EXPECTED.items() if name in READ_TOPICS} == {"topics"}
    assert {each["kind"] for name, each in EXPECTED.items() if name in READ_GROUPS} == {"group"}


@pytest.mark.parametrize("name", sorted(READ_GROUPS))
def test_a_group_has_the_owners_and_lags_that_the_tool_printed(name: str) -> None:
    for group, members in EXPECTED[name]["owned"].items():
        if members:
            assert owned(TEXTS[name], group) == members
        else:
            with pytest.raises(InputError, match="has no members"):
                owned(TEXTS[name], group)
    inputs = ClusterInputs()
    inputs.take(TEXTS[name], name)
    lags = {
        f"{row.topic}-{row.partition}": row.lag for row in inputs.groups[0].offsets if row.lag is not None
    }
    assert {tp: lags[tp] for tp in EXPECTED[name].get("lag", {})} == EXPECTED[name].get("lag", {})


@pytest.mark.parametrize("name", sorted(READ_TOPICS))
def test_a_topic_has_the_replicas_in_the_order_of_the_tool(name: str) -> None:
    read = facts(TEXTS[name])
    for key in ("replicas", "leader", "isr"):
        assert key not in EXPECTED[name] or read[key] == EXPECTED[name][key], key


@pytest.mark.parametrize("name", sorted(NAMED))
def test_what_is_not_read_is_named_by_every_command(name: str) -> None:
    tool = EXPECTED[name]["tool"]
    with pytest.raises(InputError, match=tool):
        ClusterInputs().take(TEXTS[name], name)
    with pytest.raises(InputError, match=tool):
        take_file(ClusterSources(), str(UNSEEN / name))
    assert tool in what_is(TEXTS[name])


def test_sorted_replicas_are_counted_only() -> None:
    inputs = ClusterInputs()
    inputs.take(TEXTS[COUNTED], COUNTED)
    assert {name: topic.partitions for name, topic in (inputs.topics or {}).items()} == {"orders": 4}
    with pytest.raises(InputError, match="rpk topic describe prints replicas sorted"):
        take_file(ClusterSources(), str(UNSEEN / COUNTED))


@pytest.mark.parametrize("name", sorted(WITHOUT_PARTITIONS))
def test_a_summary_alone_asks_for_the_partitions(name: str) -> None:
    with pytest.raises(InputError, match="group 'billing': no output shows ownership"):
        owned(TEXTS[name], "billing")


@pytest.mark.parametrize("way", ["prompt '$ '", "CRLF", "fence ```", "quoted", "sentences", "colours"])
def test_pasted_outputs_are_read_or_named_alike(way: str) -> None:
    for name in sorted(READ_TOPICS):
        assert facts(ALL[way](TEXTS[name])) == facts(TEXTS[name]), name
    for name in sorted(READ_GROUPS):
        for group, members in EXPECTED[name]["owned"].items():
            assert not members or owned(ALL[way](TEXTS[name]), group) == members, name
    for name in sorted(NAMED):
        assert EXPECTED[name]["tool"] in what_is(pasted(ALL[way](TEXTS[name])).text), name


@pytest.mark.parametrize("name", ["akhq-group.json", "kafka-ui-group.json"])
def test_groups_of_pages(name: str) -> None:
    text = (FOLDER / "others" / name).read_text(encoding="utf-8")
    (group,) = owned(text, "billing").items()
    assert group[1] == {"orders": [0]}


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"_command": 1, "groups": [], "balancer": 0, "lag": 0}', '{"KafkaPartitionState": []}'],
)
def test_json_of_another_form_is_not_taken(text: str) -> None:
    assert json_in_todays_words(text) is None
