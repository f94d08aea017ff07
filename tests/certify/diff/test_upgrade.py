"""What an upgrade changes: the changes of the rule since, and the smallest example of them."""

import pytest

from kassay.certify.diff.upgrade import upgrade
from kassay.model.errors import InputError


def test_the_changes_since_a_release_stand_with_an_example_each_way():
    document = upgrade("uniform", "4.0.0")
    assert document["before"]["spec"] == "uniform@4.0.0"
    assert [change["release"] for change in document["changes"]] == ["4.0.1"]
    assert "KAFKA-18688" in document["changes"][0]["header"]
    answer, quality = document["examples"]
    assert (answer["by"], quality["by"]) == ("answer", "quality")
    assert (answer["difference"]["members"], answer["difference"]["partitions"]) == (2, 1)
    assert quality["difference"]["lines"] == ["different: movement (uniform@4.0.0 1, uniform@4.0.1 0)"]


def test_nothing_is_played_where_nothing_changed():
    document = upgrade("uniform", "4.3")
    assert (document["changes"], document["examples"]) == ([], [])
    assert document["before"]["spec"] == "uniform@4.0.1"


@pytest.mark.parametrize(
    ("rule", "since", "words"),
    [
        ("uniform", "3.0", "known since 4.0.0 only"),
        ("uniform", "soon", "'soon' is no release"),
        ("uniform@4.0.0", "4.0.0", "expected a rule of Kafka"),
        ("nope", "4.0", "expected a rule of Kafka"),
        ("optimal-sticky", "4.0", "no release is known"),
    ],
)
def test_what_is_no_rule_or_no_release_is_refused(rule, since, words):
    with pytest.raises(InputError, match=words):
        upgrade(rule, since)
