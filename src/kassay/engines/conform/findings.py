"""The findings about Kafka that are known, each with the exact causes that show it in a history.

docs/coordinator-findings.md has a section of each, with a script that shows it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.engines.conform.broken import REMOVAL
from kassay.engines.conform.left_timers import (
    ACKNOWLEDGED,
    CONVERTED,
    FULL,
    NO_MEMBER,
    REFUSED,
    REPLACED,
    REPLACED_BY_FORMER,
    UNWRITTEN,
)
from kassay.model.protocols.values.releases import NEWEST
from kassay.model.protocols.values.requests import (
    CLASSIC_JOIN,
    CLASSIC_SYNC,
    CONSUMER_SESSION,
    JOIN,
    REVOCATION,
    SESSION,
    SYNC,
)
from kassay.model.protocols.values.streams import INITIAL_REBALANCE
from kassay.properties.protocols.logged import EPOCH_0, GONE, LOADS, MEMORY, ONCE, TIMER


class KnownFinding(NamedTuple):
    """A finding about Kafka: its letter, what it is in one line, the causes that show it, its releases.

    Without `releases` it is known of all of them.
    """

    letter: str
    words: str
    causes: tuple[str, ...]
    releases: tuple[str, ...] = ()


def _left(way: str, what: str, *timers: str) -> tuple[str, ...]:
    """The causes of timers that are left in one way where one thing is gone."""
    return tuple(f"{GONE}: {way}, {timer}, {what}" for timer in timers)


_THROWS: Final = "IllegalStateException, join timer of an empty group"
_THREAD, _UPGRADE = REFUSED["streams_heartbeat"], REFUSED["consumer_heartbeat"]
_BEFORE_4_4: Final = ("4.0.2", "4.1.2", "4.2.1", "4.3.1")
KNOWN: Final = (
    KnownFinding(
        "A",
        "a JoinGroup with a member id removes an empty modern group from memory, not from the log",
        (
            f"{MEMORY}: join, UNKNOWN_MEMBER_ID, {REMOVAL}",
            f"{MEMORY}: epochs in the cleaned log, after {REMOVAL}",
            f"{LOADS}: record of another type, after {REMOVAL}",
        ),
    ),
    KnownFinding(
        "B",
        "a generation that was joined but not synced is given out again after a failover",
        (f"{ONCE}: after a failover",),
    ),
    KnownFinding(
        "C",
        "a group whose creation failed leaves its join timer armed, which later throws",
        (
            f"{TIMER}: {_THROWS}",
            f"{MEMORY}: {_THROWS}",
            *_left(UNWRITTEN, "no group", JOIN),
            *_left(UNWRITTEN, "Stable group", JOIN),
        ),
    ),
    KnownFinding(
        "R5",
        "an upgrade at generation 0 answers heartbeats OK with epoch 0",
        (f"{EPOCH_0}: consumer_heartbeat, group at epoch 0", f"{EPOCH_0}: join, group at epoch 0"),
        ("4.3.1", NEWEST),
    ),
    KnownFinding(
        "E",
        "a classic group becomes empty in memory although the write of that fails; Kafka logs a warning",
        (f"{MEMORY}: classic group that became empty, its write failed",),
    ),
    KnownFinding(
        "F",
        "a JoinGroup that downgrades a group whose target is stale is answered OK with generation 0",
        (f"{EPOCH_0}: join, consumer to classic group",),
    ),
    KnownFinding(
        "G",
        "a subscription that cannot be read ends a join phase with an exception; its members get no answer",
        (f"{TIMER}: RuntimeException, end of a join phase",),
        _BEFORE_4_4,
    ),
    KnownFinding(
        "H",
        "a downgrade with a member that has no target yet fails, so the last consumer is not removed",
        (f"{TIMER}: NullPointerException, downgrade without a target",),
        ("4.0.2", "4.1.2", "4.2.1"),
    ),
    KnownFinding(
        "L",
        "what a returning static member subscribes to is written unread; the log may then not load",
        (f"{LOADS}: subscription that cannot be read",),
        _BEFORE_4_4,
    ),
    KnownFinding(
        "S",
        "of two assignments for one generation memory keeps the first, and the log the second",
        (f"{MEMORY}: flush, second assignment of a generation",),
    ),
    KnownFinding(
        "T",
        "a group that comes to speak another protocol keeps the timers of the former one",
        (
            *_left(CONVERTED, "consumer group", SESSION, JOIN, SYNC),
            *_left(CONVERTED, "Stable group", JOIN),
            *_left(CONVERTED, "classic group", CONSUMER_SESSION, REVOCATION, CLASSIC_JOIN, CLASSIC_SYNC),
            *_left(CONVERTED, "streams group", SESSION),
        ),
    ),
    KnownFinding(
        "U",
        "a request whose write fails does not stop the timers that it has armed",
        (
            *_left(UNWRITTEN, NO_MEMBER, SESSION, CONSUMER_SESSION),
            *_left(UNWRITTEN, "classic group", CONSUMER_SESSION),
            *_left(UNWRITTEN, "consumer group", SESSION, JOIN),
            *_left(UNWRITTEN, "streams group", SESSION, JOIN),
            *_left(UNWRITTEN, "classic group", INITIAL_REBALANCE),
            *_left(UNWRITTEN, "consumer group", INITIAL_REBALANCE),
            *_left(UNWRITTEN, "no group", INITIAL_REBALANCE),
        ),
    ),
    KnownFinding(
        "V",
        "the replacement of a static member stops no timer of the former one",
        _left(REPLACED, NO_MEMBER, SESSION, CONSUMER_SESSION, REVOCATION, CLASSIC_JOIN, CLASSIC_SYNC),
    ),
    KnownFinding(
        "V",
        "the replacement of a member by an instance id that it has given up stops no timer of it",
        _left(REPLACED_BY_FORMER, NO_MEMBER, CONSUMER_SESSION, REVOCATION, CLASSIC_JOIN, CLASSIC_SYNC),
        _BEFORE_4_4,
    ),
    KnownFinding(
        "W",
        "a full group forgets a member that it refuses, but keeps its session timer",
        _left(FULL, NO_MEMBER, SESSION),
    ),
    KnownFinding(
        "X",
        "an upgrade that is refused has armed the session timers of the consumer group already",
        _left(_UPGRADE, "classic group", CONSUMER_SESSION),
    ),
    KnownFinding(
        "Y",
        "a Streams thread that is refused has armed its timers already",
        (
            *_left(_THREAD, NO_MEMBER, CONSUMER_SESSION),
            *_left(_THREAD, "classic group", CONSUMER_SESSION, INITIAL_REBALANCE),
            *_left(_THREAD, "no group", INITIAL_REBALANCE),
        ),
        (NEWEST,),
    ),
    KnownFinding(
        "Z",
        "a JoinGroup that is acknowledged late arms the timers of a member that has left meanwhile",
        (
            *_left(ACKNOWLEDGED, NO_MEMBER, CONSUMER_SESSION, CLASSIC_SYNC),
            *_left(ACKNOWLEDGED, "classic group", CONSUMER_SESSION, CLASSIC_SYNC),
        ),
    ),
)
"""The known findings; a cause that is none of these in its release is new."""


def known_finding(cause: str, release: str) -> KnownFinding | None:
    """The known finding of this release with this cause, or None."""
    known = (finding for finding in KNOWN if not finding.releases or release in finding.releases)
    return next((finding for finding in known if cause in finding.causes), None)
