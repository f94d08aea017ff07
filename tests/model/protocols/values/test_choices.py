"""Enumerating free choices."""

from __future__ import annotations

from kassay.model.protocols.coordinator.step import step
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.choices import LEADER, Scripted, TargetAsk, outcomes
from tests.model.protocols.coordinator.drive import Drive

ASK = TargetAsk("uniform", (), ())


def test_outcomes_runs_every_combination_once():
    def run(choices):
        first = choices.pick(LEADER, ["a", "b"])
        if first == "a":
            return first
        return first + choices.pick(LEADER, ["x", "y", "z"])

    assert list(outcomes(run, lambda ask: [()], str)) == ["a", "bx", "by", "bz"]


def test_no_choice_no_branch():
    assert list(outcomes(lambda c: c.pick(LEADER, ["only"]), lambda ask: [()], str)) == ["only"]


def test_targets_are_choices():
    targets = [(("a", ()),), (("b", ()),)]
    assert list(outcomes(lambda c: c.target(ASK), lambda ask: targets, str)) == targets


def test_scripted_takes_the_first_where_the_script_ends():
    choices = Scripted(lambda ask: [()], str, (1,))
    assert [choices.pick(LEADER, ["a", "b"]), choices.pick(LEADER, ["c", "d"])] == ["b", "c"]
    assert choices.widths == [2, 2]


def test_who_leads_after_the_leader_is_open():
    drive = Drive()
    leader, *followers = drive.stable(3)
    state = drive.host.state
    found = outcomes(
        lambda choices: step(drive.runtime.config, state, requests.LeaveGroup(9, ((leader, ""),)), choices),
        lambda ask: [()],
        str,
    )
    assert sorted(result.state.group.leader for result in found) == sorted(followers)
