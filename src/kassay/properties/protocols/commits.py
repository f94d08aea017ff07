"""What commits must not do: invariants over what the coordinator would accept, and over what it did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.model.explore import Finding, Severity
from kassay.model.protocols.shared.census import Breach, Census
from kassay.properties.protocols.registry import ACCEPTED, CENSUS, always

FENCED: Final = "commits-fenced"
NEVER_BACK: Final = "offsets-never-go-back"


@always(FENCED, CENSUS, short="I5", source="generation fencing of OffsetCommit")
def commits_fenced(census: Census) -> Iterator[Finding]:
    """No commit is accepted from a client whose partition another has adopted since."""
    last = dict(census.adopted)
    for belief in census.beliefs:
        for tp in belief.owned if belief.commits else ():
            if last.get(tp, belief.client) != belief.client:
                yield Finding(
                    Severity.REAL,
                    f"a commit of {belief.client} for {tp} would count, though {last[tp]} has taken over",
                )


@always(NEVER_BACK, CENSUS, short="I9", source="KAFKA-14196 and the offsets' hand-over")
def offsets_never_go_back(census: Census) -> Iterator[Finding]:
    """Committed offsets never go back, and what is given up was committed as far as it was processed."""
    for belief in census.beliefs:
        if belief.ahead:
            yield Finding(
                Severity.REAL,
                f"{belief.client} gave partitions up after processing more than it had committed",
            )
    last = dict(census.adopted)
    owners = {belief.client: belief for belief in census.beliefs}
    for belief in census.beliefs:
        for tp in belief.owned if belief.commits else ():
            heir = owners.get(last.get(tp, belief.client))
            if heir is not None and heir is not belief and heir.commits and tp in heir.owned:
                yield Finding(
                    Severity.REAL,
                    f"{belief.client} can set {tp} back behind what {heir.client}, its owner, commits",
                )


@always(FENCED, ACCEPTED, short="I5", source="generation fencing of OffsetCommit")
def accepted_commits_fenced(accepted: Breach | None) -> Iterator[Finding]:
    """No commit was accepted from a client whose partition another has taken over."""
    return _broken(FENCED, accepted)


@always(NEVER_BACK, ACCEPTED, short="I9", source="KAFKA-14196 and the offsets' hand-over")
def accepted_offsets_never_go_back(accepted: Breach | None) -> Iterator[Finding]:
    """No offset was accepted that is lower than the one before."""
    return _broken(NEVER_BACK, accepted)


def _broken(name: str, breach: Breach | None) -> Iterator[Finding]:
    """What an accepted commit broke of one promise."""
    if breach is not None and breach.invariant == name:
        yield Finding(breach.severity, breach.message)


@always(
    "no-commit-while-assigning", CENSUS, short="I14", source="OffsetCommit in CompletingRebalance; KIP-195"
)
def no_commit_while_assigning(census: Census) -> Iterator[Finding]:
    """No commit is accepted while an assignment is awaited."""
    if census.awaiting and any(belief.commits for belief in census.beliefs):
        yield Finding(Severity.REAL, "a commit was accepted while the group awaited its assignment")
