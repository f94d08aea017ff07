"""A classic group: the protocol is what its members vote for."""

from __future__ import annotations

from tests.model.protocols.coordinator.drive import Drive


def votes(*lists: tuple[str, ...]) -> str:
    drive = Drive()
    members = [drive.join("", *names).member_id for names in lists]
    for member, names in zip(members, lists):
        drive.join(member, *names)
    drive.wait(0)
    return drive.classic.protocol


def test_scenario_49_the_protocol_is_what_most_put_first_among_what_all_know():
    assert votes(("a", "b"), ("a", "b"), ("b", "a")) == "a"
    assert votes(("b", "a"), ("b", "a"), ("a", "b")) == "b", "no choice where one has the most votes"
    assert votes(("a", "b"), ("a", "b"), ("b",)) == "b"
