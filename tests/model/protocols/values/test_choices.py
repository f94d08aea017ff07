"""Enumerating free choices.

What a step gathers: its outputs in their order, each as it was ordered.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator.step import step
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.choices import LEADER, Effects, Scripted, TargetAsk, outcomes
from kassay.model.protocols.values.groups import ClassicGroup, CreatedGroup, Persist
from kassay.model.protocols.values.records import EPOCH, LogRecord
from kassay.model.protocols.values.requests import (
    SESSION,
    CancelTimer,
    Config,
    HeartbeatReply,
    Reply,
    SetTimer,
    Timer,
)
from tests.model.protocols.coordinator.drive import Drive, FirstChoices

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


OK = HeartbeatReply("NONE")
RECORD = LogRecord((EPOCH, ""), 3)


def test_outputs_keep_the_order_in_which_they_were_given():
    effects = Effects(Config(), (), FirstChoices())
    effects.persist((RECORD,), CreatedGroup(4), (ClassicGroup(),))
    effects.reply_when_durable(1, OK)
    effects.arm(SESSION, "m", 9, (7,))
    effects.arm_if_absent(SESSION, "n", 8)
    effects.disarm(SESSION, "m")
    effects.disarm("join")
    effects.reply(2, OK)
    assert effects.out == [
        Persist((RECORD,), CreatedGroup(4), (ClassicGroup(),)),
        Reply(1, OK, when_durable=True),
        SetTimer(Timer(SESSION, "m"), 9, (7,)),
        SetTimer(Timer(SESSION, "n"), 8, if_absent=True),
        CancelTimer(Timer(SESSION, "m")),
        CancelTimer(Timer("join")),
        Reply(2, OK),
    ]


def test_a_bug_is_on_if_its_switch_is():
    effects = Effects(Config(switches=frozenset({"no_sync_timer"})), (), FirstChoices())
    assert effects.has("no_sync_timer")
    assert not effects.has("strict_epoch0")
