"""What the traces of 4.4 tell beside the older format."""

import pytest

from kassay.certify.vectors.protocol.codec import partitions_of
from kassay.certify.vectors.protocol.more import records_beside, rendered_beside, rendered_more, state_beside
from kassay.model.errors import InputError
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.background import Background, RegexMatches, Resolution
from kassay.model.protocols.values.groups import (
    ClassicGroup,
    ConsumerGroup,
    ConsumerMember,
    CoordinatorState,
)
from kassay.model.protocols.values.requests import image_of
from tests.certify.vectors.protocol.traced import step

RECORDS = ({"type": "target_epoch", "epoch": 2}, {"type": "member", "member": "m"})


def traced(**more):
    return step({}, records=RECORDS, more=more).shape


def test_what_stands_beside_a_record_is_told_of_it_and_of_nothing_else():
    dated = {**RECORDS[0], "more": {"time": 7}}
    shape = traced(records=[{"time": 7}, None], assignment_time=7)
    assert records_beside(shape) == [dated, RECORDS[1]]
    assert state_beside(shape) == {"assignment_time": 7}


@pytest.mark.parametrize("beside", [[], [None], "all", [None] * 3])
def test_what_stands_beside_no_record_is_refused(beside):
    with pytest.raises(InputError, match=r"step 3: more\.records: expected one for each of 2 records"):
        records_beside(traced(records=beside))


TPS = partitions_of({"t": [0, 2], "u": [1]})


def test_records_tell_their_topics_time_and_epochs():
    def beside(kind, value):
        return rendered_beside(r.LogRecord((kind, ""), value)).get("more")

    assert beside(r.EPOCH, r.EpochValue(3, image_of({"t": 4}.items()))) == {"topics": {"t": 4}}
    assert beside(r.TARGET_EPOCH, r.TargetEpochValue(3, 0)) == {"time": 0}
    assert beside(r.TARGET_EPOCH, r.TargetEpochValue(3, r.UNKNOWN_TIME)) is None
    assert beside(r.CURRENT, r.CurrentValue(3, 2, "STABLE", TPS, (), (1, 2, 3), ())) == {
        "assigned_epochs": {"t": [1, 2], "u": [3]}
    }
    assert beside(r.CURRENT, r.CurrentValue(3, 2, "STABLE", (), TPS[:1], (), (1,))) == {
        "pending_epochs": {"t": [1]}
    }
    assert beside(r.CURRENT, None) is beside(r.EPOCH, 3) is None


def test_a_group_tells_its_epochs_its_time_and_whether_it_looks_again():
    member = ConsumerMember("m", assigned=TPS, assigned_epochs=(1, 2, 3))
    group = ConsumerGroup(3, 3, (), (member, ConsumerMember("n")), target_time=5, refreshed=(3,))
    epochs = {"m": {"assigned": {"t": [1, 2], "u": [3]}}, "n": {"assigned": {}}}
    assert rendered_more(CoordinatorState(group)) == {"partition_epochs": epochs, "assignment_time": 5}
    again = rendered_more(CoordinatorState(group._replace(refreshed=(4,), target_time=r.UNKNOWN_TIME)))
    assert again == {"partition_epochs": epochs, "metadata_expired": True}
    assert rendered_more(CoordinatorState(ClassicGroup())) == rendered_more(CoordinatorState()) == {}


def test_a_state_tells_its_regular_expressions_and_whether_they_are_being_resolved():
    matches = RegexMatches(("t",), 5, 2)
    group = ConsumerGroup(members=(ConsumerMember("m", regex="t.*"),), resolved=(("t.*", matches),))
    resolving = Background(2, 1, (Resolution(("t.*",)),))
    more = rendered_more(CoordinatorState(group, background=resolving))
    assert more["regex_of"] == {"m": "t.*"} and more["refreshing"] is True
    assert more["resolved"] == {"t.*": {"topics": ["t"], "time": 5, "image": 2}}
    assert rendered_more(CoordinatorState(background=resolving)) == {"refreshing": True}
