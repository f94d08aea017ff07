"""The page of a finding: what a maintainer needs to see it again."""

from random import Random

import pytest

from kassay.engines.live.claims.rulings import CLAIMS
from kassay.engines.live.judge import judge
from kassay.engines.live.report import LINES, MEANING, OF_SHARE_GROUPS, finding_report, timeline
from kassay.engines.live.result import LiveFinding
from kassay.engines.live.script import script_toml
from tests.engines.live import shares
from tests.engines.live import simulated as s


def broken():
    """A recording with a partition that is kept, and the ruling."""
    for seed in range(50):
        recording = s.simulated(Random(seed), strategy="range")
        if moves := s.moves_between(recording):
            step, partition, old, _ = moves[0]
            recording = s.keeps(recording, step, partition, old)
            for ruling in judge(recording).violated:
                if ruling.claim == "exclusive":
                    return recording, ruling
    raise AssertionError("no history moves a partition")


def test_a_page_has_versions_script_command_and_what_was_seen():
    recording, ruling = broken()
    finding = LiveFinding(ruling, "an action", "1.toml", 4, 5)
    command = ("kassay", "live", "--program", "mine=python my.py", "1.toml")
    page = finding_report(finding, ruling, recording.script, recording, command)
    assert ruling.text in page and script_toml(recording.script) in page
    assert "Seen in 4 of 5 plays" in page and "$ kassay live --program 'mine=python my.py'" in page
    for library, version in recording.versions.items():
        assert f"{library} {version}" in page
    assert "revoked begin: " in page and "assigned end: " in page


def test_a_timeline_is_in_the_order_of_time_and_ends_with_the_group():
    recording, ruling = broken()
    lines = timeline(recording, ruling.step)
    times = [float(each.split()[0]) for each in lines if each.strip()[0].isdigit()]
    assert times == sorted(times) and len(lines) <= LINES + 2 + len(recording.script.seats)
    assert any("group  settled, the coordinator says Stable" in each for each in lines)


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_claim_says_what_it_means(claim):
    assert MEANING[claim].endswith(".")
    assert OF_SHARE_GROUPS[claim].endswith(".")


def test_a_member_of_a_share_group_owns_what_it_is_assigned():
    recording = shares.recording(shares.life("m1"), shares.life("m2"), steps=(shares.act("join", 0, 100),))
    *_, m1, m2 = timeline(recording, 1)
    assert "assigned a-0; owns what it is assigned" in m1 and "assigned a-1; owns" in m2
