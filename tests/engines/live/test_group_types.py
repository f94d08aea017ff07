"""Types of groups: which one a member is in, and which releases have it."""

import pytest

from kassay.engines.live.group_types import TYPES, one_type, type_of
from kassay.engines.live.script import LiveSeat
from kassay.model.errors import InputError

RANGE = LiveSeat("m1", "java", ("range",))
CONSUMER = LiveSeat("m2", "java", ("uniform",), "consumer")
STREAMS = LiveSeat("m3", "java", (), "streams")
CLASSIC = LiveSeat("m4", "java", ("streams",))


def test_the_protocol_and_the_strategy_say_the_type():
    named = [type_of(each).name for each in (RANGE, CONSUMER, STREAMS, CLASSIC)]
    assert named == ["consumer", "consumer", "streams", "streams/classic"]


def test_a_group_has_one_type():
    assert one_type([RANGE, CONSUMER]).name == "consumer"
    with pytest.raises(InputError, match="m1 consumer, m3 streams"):
        one_type([RANGE, STREAMS])


def test_a_release_without_such_groups_is_refused():
    with pytest.raises(
        InputError, match=r"--release: Kafka 4\.0\.2 has no streams groups: expected 4\.1 or later"
    ):
        TYPES["streams"].require("4.0.2", "--release")
    TYPES["streams"].require("4.1.2", "--release")
    TYPES["streams/classic"].require("3.9.2", "--release")


def test_brokers_with_early_groups_need_a_feature():
    assert TYPES["streams"].features_in("4.1.2") == ("streams.version=1",)
    assert TYPES["streams"].features_in("4.2.1") == ()
