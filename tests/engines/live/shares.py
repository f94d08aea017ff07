"""Recordings of share groups, made by hand."""

from kassay.engines.live.program import TIMEOUTS, Ready
from kassay.engines.live.recording import MS, GroupSeen, Life, LiveStep, Recording
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat
from kassay.model.cluster import TopicPartition

A0, A1 = TopicPartition("a", 0), TopicPartition("a", 1)
LOCK = TIMEOUTS.session_ms
SEATS = tuple(LiveSeat(f"m{number}", "java", (), "share") for number in (1, 2))
REPORTS = ("records", "acknowledged")


def life(name, *events, reports=REPORTS, **more):
    """The life of a member with these events."""
    return Life(LiveSeat(name, "java", (), "share"), 1, 0, (Ready(0, "java", "1", reports), *events), **more)


def act(do, began, ended, members=None, settled=True):
    """A step, in milliseconds, at whose end the coordinator says who has what."""
    members = {"m1": frozenset({A0}), "m2": frozenset({A1})} if members is None else members
    present = {name: frozenset({"a"}) for name in ("m1", "m2")}
    group = GroupSeen(ended * MS, "Stable", members, type="share")
    action = LiveAction(do, "m2" if do == "join" else "")
    return LiveStep(action, began * MS, ended * MS, settled, {"a": 2}, present, group)


def recording(*lives, steps=(), produced=None, starts=None):
    """A recording of a group of two members."""
    return Recording(
        LiveScript({"a": 2}, SEATS, ()), lives, tuple(steps), produced or {}, starts=starts or {}
    )
