"""What a step gathers: its outputs in their order, each as it was ordered."""

from kassay.model.protocols.values.effects import Effects
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
from tests.model.protocols.coordinator.drive import FirstChoices

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
