"""A history as lines."""

import json

from kassay.engines.conform.intentions import Setup
from kassay.engines.conform.script import renamed, script
from kassay.engines.genuine.coordinator import CONFIG, GenuineStep
from tests.engines.conform.sequences import FOLDER


def steps_of(name):
    trace = json.loads((FOLDER / f"{name}.json").read_text())
    return trace, [GenuineStep(step) for step in trace["steps"]]


def test_ids_are_renamed_and_usual_fields_left_out():
    trace, steps = steps_of("pending-member-with-an-instance-id")
    lines = script(Setup("classic", trace["config"], trace["topics"], 0), steps)
    assert lines == (
        "topics {}, classic_initial_rebalance_delay_ms 0, consumer_assignment_interval_ms 0",
        '0  join member="" protocols=[range(foo)] session_timeout=45000 rebalance_timeout=300000 api_version=9'
        "  -> MEMBER_ID_REQUIRED id1",
        "1  join member=id1 protocols=[range(foo)] instance=i session_timeout=45000 rebalance_timeout=300000 "
        "api_version=9  -> UNKNOWN_SERVER_ERROR; IllegalStateException",
    )


def test_a_text_gets_the_names_of_the_script():
    _, steps = steps_of("pending-member-with-an-instance-id")
    (answer,) = steps[0].answers
    assert renamed(f"{answer['member']} is expected", steps) == "id1 is expected"


def test_answers_to_earlier_requests_name_them():
    _, steps = steps_of("upgrade-without-the-protocol")
    lines = script(Setup("migration", CONFIG, {}, 0), steps)
    assert "to 1: OK member=id1 generation=1 protocol=sticky" in lines[4]
