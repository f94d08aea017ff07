"""What an exploration found, as a person reads it.

The table of switches for a terminal.
"""

from dataclasses import replace

import pytest
from rich.console import Console

from kassay.engines.protocols.switch_runs import SwitchRow, hunt, row
from kassay.engines.protocols.switches import SWITCHES
from kassay.report.screen.exploration import exploration_view, mermaid_text, switches_view
from tests.explored import explore


def shown(result, **more):
    screen = Console(width=200)
    with screen.capture() as out:
        screen.print(exploration_view(result, replay="kassay explore again", **more))
    return out.get()


def test_settings_are_told_where_they_are_not_the_plain_ones():
    text = shown(explore("classic", mode="cooperative", faults="crash=1", partitions=1))
    assert text.splitlines()[1] == "mode cooperative, members 2, partitions 1, topics 1, faults crash=1"
    timed = shown(explore("classic", clock="ticks", members=1, partitions=1))
    assert "clock ticks, timing session=6,heartbeat=2,max_poll=8" in timed
    assert "policy bidirectional" in shown(explore("migration", states_max=20))
    assert "network steps" in shown(explore("classic", network="steps", states_max=20))


@pytest.mark.parametrize(
    ("chosen", "first"),
    [
        ({"model": "classic", "partitions": 1}, "HOLDS  classic: every invariant, in every reachable state"),
        (
            {"model": "classic", "states_max": 20},
            "UNKNOWN  classic: stopped at the limit of states (--max-states)",
        ),
        (
            {"model": "zookeeper", "switches": frozenset({"zk_no_owner_guard"})},
            "VIOLATED  zookeeper: single-current-owner",
        ),
        ({"model": "zookeeper", "switches": frozenset({"zk_stale_view"})}, "VIOLATED  zookeeper: dead ends"),
    ],
)
def test_the_verdict_comes_first_and_says_why(chosen, first):
    lines = shown(explore(**chosen)).splitlines()
    assert (lines[0], lines[-1]) == (first, "again: kassay explore again")


def test_livelocks_that_were_not_judged_are_told_with_the_verdict():
    result = explore("classic", partitions=1)
    live = replace(result.exploration.liveness, cycles_judged=False)
    large = replace(result, exploration=replace(result.exploration, limit="edges", liveness=live))
    lines = shown(large).splitlines()
    assert lines[0] == "UNKNOWN  classic: stopped at the limit of edges up to which livelocks are judged"
    assert "dead ends: none" in lines
    assert "livelocks: not checked, too many edges" in lines


def test_what_was_not_checked_is_counted_and_if_verbose_listed_by_reason():
    lines = shown(explore("zookeeper"), verbose=True).splitlines()
    short = [line for line in shown(explore("zookeeper")).splitlines() if line.startswith("not checked")]
    assert short == ["not checked: 43 invariants, which nothing in this walk could break (-v lists them)"]
    (unseen,) = (line for line in lines if line.startswith("not checked (nothing in this model shows it): "))
    assert unseen.endswith("topics-never-shrink, members-watched, member-id-kept, live-members-kept, ")
    (unpromised,) = (line for line in lines if line.startswith("not checked (not promised here): "))
    assert "commits-fenced" in unpromised
    assert (
        sum(line.startswith("not checked (no state or step could have broken it): ") for line in lines) == 1
    )
    told = [
        line
        for line in shown(explore("classic", static=1), verbose=True).splitlines()
        if line.startswith("not checked")
    ]
    assert told
    assert not any("one-member-per-instance-id" in line for line in told)


def test_one_run_is_drawn_once_and_in_the_form_that_was_asked_for():
    result = explore("zookeeper", switches=frozenset({"zk_stale_view"}))
    assert "the same run as for complete-at-rest (by design)" in shown(result)
    assert "sequenceDiagram" in mermaid_text(result)


def test_what_each_client_has_is_told_as_options_take_it():
    text = shown(explore("migration", partitions=1, kinds=(("classic", "consumer"), ("classic",))))
    assert "kinds classic,consumer/classic" in text.splitlines()[1]


def switches_shown(*walked: SwitchRow) -> str:
    screen = Console(width=200)
    with screen.capture() as out:
        screen.print(switches_view(walked))
    return out.get()


def test_a_switch_that_is_found_is_told_with_its_steps() -> None:
    text = switches_shown(row("zk_no_owner_guard"))
    assert "in 6 steps" in text
    assert "1 of 1 switches are found" in text


def test_a_switch_that_is_not_found_is_told() -> None:
    lost = hunt("zk_no_owner_guard", on=False)
    missed = SwitchRow(SWITCHES["zk_no_owner_guard"], lost, lost, None)
    assert not missed.holds
    text = switches_shown(missed)
    assert "not found" in text
    assert "WRONG" in text
    assert "0 of 1 switches" in text
