"""Who owns what, read off two views together."""

import pytest

from kassay.certify.clusters.ownership import ownership
from kassay.model.errors import InputError
from kassay.reading.kafka.groups import read_groups
from tests.certify.clusters.cluster import offsets

MEMBERS = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"


def read(*texts):
    outputs = [read_groups(text, f"f{number}") for number, text in enumerate(texts, start=1)]
    warnings = []
    owned, _ = ownership(sum(outputs[1:], outputs[0]), "g", warnings)
    return {member: sorted(map(str, tps)) for member, tps in owned.items()}, warnings


def test_lost_topics_come_from_the_offsets_view():
    owned, warnings = read(MEMBERS + "g a /h c 2 (0), (1)\n", offsets({"a": ["t-1", "u-0"]}))
    assert (owned, warnings) == ({"a": ["t-1", "u-0"]}, [])


def test_two_views_of_different_times_are_refused_where_counts_differ():
    with pytest.raises(InputError, match="f1:2: #PARTITIONS: found 2, expected 1, which the offsets view"):
        read(MEMBERS + "g a /h c 2 (0), (1)\n", offsets({"a": ["t-1"]}))


def test_members_of_one_view_alone_and_double_owners_are_warned_of():
    owned, warnings = read(MEMBERS + "g a /h c 1 t(0)\ng b /h c 1 t(0)\n", offsets({"z": ["t-1"]}))
    assert owned == {"a": ["t-0"], "b": ["t-0"]}
    assert "1 members of the offsets view are not in the members view" in warnings[0]
    assert warnings[1].startswith("1 partitions have two owners, t-0 first")
