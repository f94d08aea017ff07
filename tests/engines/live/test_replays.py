"""Replays of a history that breaks a claim, with simulated players: counts, shrinking, reports, an interrupt."""

from dataclasses import replace
from random import Random

import pytest

from kassay.engines.live.judge import judge
from kassay.engines.live.replays import Replays
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat, read_script
from tests.engines.live import simulated as s

SEATS = tuple(LiveSeat(f"m{n}", "java", ("range",)) for n in (1, 2, 3))
SCRIPT = LiveScript(
    {"orders": 6},
    SEATS,
    (
        LiveAction("join", "m1"),
        LiveAction("join", "m3"),
        LiveAction("pace", "m3", wait_ms=10),
        LiveAction("join", "m2"),
        LiveAction("pace", "m1", wait_ms=10),
        LiveAction("grow", topic="orders", partitions=8),
    ),
)


class Player:
    """Plays by simulation: where m2 joins and `faulty` says so, m1 keeps a partition that m2 then owns."""

    def __init__(self, faulty=lambda play: True, interrupt_at=0):
        self.faulty, self.interrupt_at, self.names, self.words = faulty, interrupt_at, [], []

    def __call__(self, script, name="1", words=""):
        self.names.append(name)
        self.words.append(words)
        if len(self.names) == self.interrupt_at:
            raise KeyboardInterrupt
        recording = s.World(Random(0), script, "range").play().recording()
        moves = [m for m in s.moves_between(recording) if (m[2], m[3]) in (("m1", "m2"), ("m3", "m2"))]
        if moves and self.faulty(len(self.names)):
            step, partition, old, _ = moves[0]
            recording = s.keeps(recording, step, partition, old)
        return recording, judge(recording)


def findings(tmp_path, player, again=4, shrink=True):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    replays = Replays("1", SCRIPT, player, write, again, shrink, ("--fetch",))
    recording, verdict = player(SCRIPT)
    return replays, replays.findings(tmp_path / "1.toml", recording, verdict)


def test_a_finding_is_counted_shrunk_and_reported(tmp_path):
    _, found = findings(tmp_path, Player())
    (first,) = [each for each in found if each.ruling.claim == "exclusive"]
    assert (first.seen, first.plays, first.ruling.step, first.action) == (
        5,
        5,
        6,
        "grow orders to 8 partitions",
    )
    shrunk = first.shrunk
    assert len(shrunk.script.seats) == 2 and shrunk.minimal and (shrunk.seen, shrunk.plays) == (5, 5)
    assert [each.do for each in shrunk.script.actions] == ["join", "join", "grow"]
    assert read_script(first.shrunk_script) == shrunk.script
    page = (tmp_path / "1-exclusive.md").read_text()
    assert first.report.endswith("1-exclusive.md")
    for text in (
        "# exclusive: grow orders to 8 partitions",
        "seen in 5 of 5 plays",
        "$ kassay live --fetch 1-exclusive.toml",
        'do = "join"',
        "owned by m1 and m2" if "m1" in shrunk.script.by_name else "owned by m3 and m2",
        "group  settled",
    ):
        assert text in page


@pytest.mark.parametrize(("plays", "unstable"), [({1}, True), ({1, 3}, True), ({1, 3, 5}, False)])
def test_what_is_seen_in_under_three_of_five_plays_is_not_shrunk(tmp_path, plays, unstable):
    player = Player(lambda play: play in plays or play > 5)
    _, found = findings(tmp_path, player)
    (first,) = [each for each in found if each.ruling.claim == "exclusive"]
    assert (first.seen, first.unstable, first.shrunk is None) == (len(plays), unstable, unstable)
    assert (len(player.names) == 5) == unstable
    assert ("Too rare to be shrunk." in (tmp_path / first.report).read_text()) == unstable


def test_a_finding_that_only_the_first_plays_show_keeps_its_script(tmp_path):
    _, found = findings(tmp_path, Player(lambda play: play <= 5))
    (first,) = [each for each in found if each.ruling.claim == "exclusive"]
    assert first.shrunk.script == SCRIPT and (first.shrunk.seen, first.shrunk.plays) == (5, 5)


def test_nothing_is_shrunk_if_that_is_not_wanted(tmp_path):
    player = Player()
    _, found = findings(tmp_path, player, shrink=False)
    assert found[0].shrunk is None and len(player.names) == 5


@pytest.mark.parametrize("at", [3, 8, 11])
def test_an_interrupt_keeps_what_was_found(tmp_path, at):
    replays, found = findings(tmp_path, Player(interrupt_at=at))
    first = found[0]
    assert replays.interrupted and first.seen == first.plays == min(5, at - 1)
    assert (first.shrunk is None) == (at <= 5)
    if at > 5:
        assert read_script(first.shrunk_script) == first.shrunk.script


def test_a_right_history_is_not_played_again(tmp_path):
    player = Player(lambda play: False)
    _, found = findings(tmp_path, player)
    assert found == () and len(player.names) == 1


def test_claims_that_the_same_plays_break_share_the_shrunk_script(tmp_path):
    """A partition that none owns breaks three claims in one step."""

    class LeavesOut(Player):
        def __call__(self, script, name="1", words=""):
            self.names.append(name)
            recording = s.World(Random(0), script, "range").play().recording()
            if not any(each.do == "grow" for each in script.actions):
                return recording, judge(recording)
            last = recording.steps[-1].group.members
            holder, partition = next((n, min(owned)) for n, owned in sorted(last.items()) if owned)
            broken = s.left_out(recording, len(recording.steps), partition, holder)
            return broken, judge(broken)

    player = LeavesOut()
    _, found = findings(tmp_path, player)
    scripts = {each.ruling.claim: each.shrunk.script for each in found if each.shrunk is not None}
    assert {"complete", "settles"} <= {*scripts} and len({*map(id, scripts.values())}) == 1
    assert replace(found[0].shrunk.script, seats=(), topics={}).actions[-1].do == "grow"
