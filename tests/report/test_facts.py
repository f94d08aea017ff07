"""What every report says of a certificate."""

import shlex
from dataclasses import replace

import pytest

from kassay.report import facts


@pytest.mark.parametrize(("number", "said"), [(0, "0 members"), (1, "1 member"), (2, "2 members")])
def test_numbers_have_their_noun(number, said):
    assert facts.counted(number, "member") == said


def test_a_finding_is_told_by_its_size_and_how_to_see_it_again(certificates):
    found = next(r for r in certificates[0].claims if r.id == "topic-even").counterexample
    assert facts.size(found) == "3 members, 4 partitions, 0 events after the start; ordinary input"
    assert facts.replay_command(None) == ""
    assert facts.replay_command(replace(found, path=None)) == ""
    saved = replace(found, path="my traces/t.json")
    assert shlex.split(facts.replay_command(saved)) == ["kassay", "replay", "my traces/t.json"]


def test_a_known_finding_is_known_and_says_why(certificates):
    broken = next(r for r in certificates[0].claims if r.id == "topic-even")
    known = replace(broken, known="as designed")
    assert (facts.mark(broken), facts.mark(known)) == ("violated", "known")
    assert facts.reason(known) == f"{broken.why}; accepted: as designed"


def test_what_was_not_reached_is_named(certificates):
    missing = facts.unreached(certificates[0]).split(", ")
    assert missing == [name for name, count in certificates[0].reached.items() if not count]
    assert facts.unreached(replace(certificates[0], reached={"weights": 1})) == ""


def test_what_was_played_is_said_in_a_line(certificates):
    line = facts.played(certificates[0])
    assert "profile small" in line
    assert f"{certificates[0].histories} histories" in line
    assert "\n" not in line
