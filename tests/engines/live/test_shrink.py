"""ScriptShrinking by plays, with players that break a claim for a reason that is known, always or often."""

from contextlib import suppress
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.live.schedule import draw_script
from kassay.engines.live.script import LiveAction, LiveScript, LiveSeat
from kassay.engines.live.shrink import CANDIDATES, ScriptShrinking, smaller, tidy

SEATS = tuple(LiveSeat(f"m{n}", "java", ("range",)) for n in (1, 2, 3))
JOINS = tuple(LiveAction("join", seat.name) for seat in SEATS)
GROW = LiveAction("grow", topic="orders", partitions=9)


def script(*actions):
    return LiveScript({"orders": 6}, SEATS, (*JOINS, *actions))


def holds_all(wanted, chance=1.0, seed=0):
    """A player that breaks the claim if the script has all of these actions, with this chance."""
    random, plays = Random(seed), []

    def breaks(candidate, words):
        plays.append((candidate, words))
        return all(each in candidate.actions for each in wanted) and random.random() < chance

    return breaks, plays


def test_what_is_left_has_only_what_the_claim_needs():
    wanted = (JOINS[1], GROW)
    breaks, plays = holds_all(wanted)
    kept = []
    long = script(LiveAction("leave", "m1"), GROW, LiveAction("pause", "m3"), LiveAction("resume", "m3"))
    shrinking = ScriptShrinking(long, 5, breaks, kept.append)
    shrinking.run()
    shrunk = shrinking.confirmed(5, 3 / 5)
    assert shrunk.script.actions == wanted and [seat.name for seat in shrunk.script.seats] == ["m2"]
    assert (shrunk.seen, shrunk.plays, shrunk.minimal) == (5, 5, True)
    assert kept[-1] == shrunk.script and len(kept) < shrunk.candidates < CANDIDATES
    assert plays[0][0].actions == long.actions[:5], "what comes after the step is left out first"


def test_no_more_than_the_candidates_allowed_are_played():
    breaks, plays = holds_all((*JOINS, GROW))
    shrinking = ScriptShrinking(
        script(*[LiveAction("pace", "m1", wait_ms=n) for n in range(60)], GROW), 0, breaks
    )
    shrinking.run()
    assert shrinking.candidates == CANDIDATES and not shrinking.minimal
    assert len({candidate.actions for candidate, _ in plays}) == CANDIDATES


def test_a_candidate_that_breaks_the_claim_once_is_not_accepted():
    outcomes = iter([True, False, False] * CANDIDATES)
    shrinking = ScriptShrinking(script(GROW), 0, lambda *_: next(outcomes))
    shrinking.run()
    assert shrinking.best == script(GROW) and shrinking.confirmed(5, 3 / 5) is None
    assert shrinking.so_far(4, 5).script == script(GROW)


def test_a_result_that_its_own_plays_do_not_show_is_taken_back():
    """By chance a script is accepted that breaks nothing; the one before it is the result."""
    lucky = script(GROW).without(0)
    counts = {}

    def breaks(candidate, words):
        counts[candidate.actions] = counts.get(candidate.actions, 0) + 1
        if JOINS[0] in candidate.actions:
            return GROW in candidate.actions and JOINS[1] in candidate.actions
        return candidate.actions == tidy(lucky).actions and counts[candidate.actions] <= 2

    kept = []
    shrinking = ScriptShrinking(script(GROW), 0, breaks, kept.append)
    shrinking.run()
    shrunk = shrinking.confirmed(5, 3 / 5)
    assert shrunk is None and kept[-1] == script(GROW)


def test_an_interrupted_shrinking_has_what_it_found_so_far():
    def breaks(candidate, words):
        if len(candidate.actions) < 5:
            raise KeyboardInterrupt
        return True

    shrinking = ScriptShrinking(script(GROW, GROW, GROW, GROW), 5, breaks)
    with suppress(KeyboardInterrupt):
        shrinking.run()
    found = shrinking.so_far(3, 5)
    assert len(found.script.actions) == 5 and (found.seen, found.plays, found.minimal) == (2, 2, False)


@given(st.integers(0, 2**32 - 1))
def test_every_candidate_is_smaller_and_a_script_that_can_be_played(seed):
    drawn = draw_script(seed, SEATS)
    for candidate in smaller(drawn):
        assert len(candidate.actions) < len(drawn.actions)
        assert {each.member for each in candidate.actions if each.member} <= {*candidate.by_name}
        assert tidy(candidate) == candidate


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.8, 1.0]))
def test_what_breaks_often_is_shrunk_to_what_breaks_it(seed, chance):
    drawn = draw_script(seed, SEATS)
    wanted = tuple(Random(seed).sample(drawn.actions[len(SEATS) :], 1))
    needed = {JOINS[[s.name for s in SEATS].index(each.member)] for each in wanted if each.member}
    breaks, _ = holds_all((*wanted, *needed), chance, seed)
    shrinking = ScriptShrinking(drawn, 0, breaks)
    shrinking.run()
    shrunk = shrinking.confirmed(5, 3 / 5)
    if shrunk is not None:
        assert {*wanted, *needed} <= {*shrunk.script.actions} and shrunk.seen >= 3
    if chance == 1.0:
        assert shrunk is not None
        more = {*shrunk.script.actions} - {*wanted, *needed}
        assert not shrunk.minimal or len(more) == (not needed)  # a script has a member that joins
