"""The judge, on recordings of right groups and with faults planted in them: what it finds, and what it leaves."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kassay.engines.live.claims.rulings import CLAIMS, Word
from kassay.engines.live.judge import judge
from kassay.engines.live.program import REPORTABLE, Called, Committed, RecordsRead, Stall
from kassay.engines.live.recording import MS
from tests.engines.live import simulated as s

RANDOMS = st.integers(0, 2**32 - 1).map(Random)
FEW = settings(max_examples=20)


def words(verdict, claim):
    return {ruling.step: ruling.word for ruling in verdict.rulings if ruling.claim == claim}


def picked(random, recording):
    """A partition that moves between two members that go on."""
    moves = s.moves_between(recording)
    assume(moves)
    return random.choice(moves)


@FEW
@given(RANDOMS)
def test_a_right_group_breaks_no_claim_and_leaves_none_unknown(random):
    verdict = judge(s.simulated(random))
    assert [r for r in verdict.rulings if r.word in (Word.VIOLATED, Word.UNKNOWN)] == []
    assert {ruling.claim for ruling in verdict.rulings} == {*CLAIMS}
    assert words(verdict, "progress") == {0: Word.HOLDS}
    assert verdict.figures.moved >= verdict.figures.least


@FEW
@given(RANDOMS)
def test_a_right_group_of_streams_applications_breaks_no_claim(random):
    verdict = judge(s.simulated(random, strategy="streams"))
    assert [r for r in verdict.rulings if r.word in (Word.VIOLATED, Word.UNKNOWN)] == []
    assert {*words(verdict, "moves").values()} == {Word.VACUOUS}
    assert Word.HOLDS in words(verdict, "balanced").values()


@FEW
@given(RANDOMS)
def test_a_partition_that_is_kept_is_found_in_its_step(random):
    recording = s.simulated(random)
    step, partition, old, _ = picked(random, recording)
    broken = judge(s.keeps(recording, step, partition, old))
    (ruling,) = [r for r in broken.violated if r.claim == "exclusive" and r.step == step]
    assert f"{partition} owned by " in ruling.text or "more" in ruling.text
    assert all(r.step >= step for r in broken.violated if r.claim == "exclusive")


@FEW
@given(RANDOMS)
def test_an_early_acknowledgement_is_found_in_its_step(random):
    recording = s.simulated(random)
    step, partition, old, new = picked(random, recording)
    assert words(judge(s.early(recording, step, partition, old, new)), "exclusive")[step] is Word.VIOLATED


@FEW
@given(RANDOMS)
def test_a_partition_without_an_owner_is_named(random):
    recording = s.simulated(random)
    step = len(recording.steps)
    holders = [(n, p) for n, owned in recording.steps[-1].group.members.items() for p in sorted(owned)]
    name, partition = random.choice(holders)
    verdict = judge(s.left_out(recording, step, partition, name))
    (ruling,) = [r for r in verdict.violated if r.claim == "complete"]
    assert (ruling.step, ruling.text) == (step, f"without an owner: {partition}")
    assert words(verdict, "settles")[step] is Word.VIOLATED


@FEW
@given(RANDOMS)
def test_what_a_client_cannot_report_is_unknown(random):
    recording = s.simulated(random, reports=tuple({*REPORTABLE} - {"revoked"}))
    step, partition, old, _ = picked(random, recording)
    assert words(judge(s.keeps(recording, step, partition, old)), "exclusive")[step] is Word.UNKNOWN


@FEW
@given(RANDOMS, st.booleans())
def test_what_a_stall_touches_is_unknown(random, ours):
    recording = s.simulated(random)
    step, partition, old, new = picked(random, recording)
    broken = s.early(recording, step, partition, old, new)
    began, ended = recording.steps[step - 1].began, recording.steps[step - 1].ended
    if ours:
        stalled = replace(broken, stalls=((began, ended),))
    else:
        life = s.life_at(broken, new, step)
        stall = Stall(ended, (ended - began) // MS + 1)
        stalled = s.with_life(broken, life, replace(life, events=(*life.events, stall)))
    assert words(judge(stalled), "exclusive")[step] is Word.UNKNOWN


@pytest.mark.parametrize(("seconds", "word"), [(60, Word.VIOLATED), (1, Word.UNKNOWN)])
def test_a_stall_excuses_a_step_only_if_the_time_without_it_is_too_short(seconds, word):
    """A partition without an owner, in a step that lasts for so many seconds and its stall of 300 ms."""
    recording = s.simulated(Random(3), strategy="range")
    step = len(recording.steps)
    name, owned = next((n, o) for n, o in recording.steps[-1].group.members.items() if o)
    broken = s.left_out(recording, step, min(owned), name)
    ended = broken.steps[-1].ended
    life = s.life_at(broken, name, step)
    stalled = s.with_life(broken, life, replace(life, events=(*life.events, Stall(ended, 300))))
    last = replace(stalled.steps[-1], began=ended - 300 * MS - seconds * 1000 * MS)
    verdict = judge(replace(stalled, steps=(*stalled.steps[:-1], last)))
    assert words(verdict, "complete")[step] is word and words(verdict, "settles")[step] is word


@pytest.mark.parametrize(("stalls", "word"), [(True, Word.UNKNOWN), (False, Word.VIOLATED)])
@FEW
@given(random=RANDOMS)
def test_a_session_that_was_lost_after_a_stall_is_unknown(random, stalls, word):
    """The stall is over before the partition has two owners, and may be that of any process."""
    recording = s.simulated(random)
    step, partition, old, new = picked(random, recording)
    broken = s.early(recording, step, partition, old, new)
    life, began = s.life_at(broken, old, step), broken.steps[step - 1].began
    events = tuple(
        replace(each, kind="lost")
        if isinstance(each, Called) and each.kind == "revoked" and each.t >= began
        else each
        for each in life.events
    )
    broken = s.with_life(broken, life, replace(life, events=events))
    gone = (e for e in events if isinstance(e, Called) and e.kind == "lost" and e.t >= began)
    lost = min(e.t for e in gone if partition in e.partitions)
    before = ((lost - 300 * MS, lost - MS // 2),) if stalls else ()
    assert words(judge(replace(broken, stalls=before)), "exclusive")[step] is word


@FEW
@given(RANDOMS)
def test_a_zombie_is_reported_and_does_not_count(random):
    recording = s.simulated(random)
    paused = [(n, st_) for n, st_ in enumerate(recording.steps, 1) if st_.action.do == "pause"]
    assume(paused)
    step, seen = paused[0]
    before = recording.steps[step - 2].group.members[seen.action.member]
    taken = before & frozenset().union(*seen.group.members.values())
    assume(taken)
    verdict = judge(recording)
    assert words(verdict, "exclusive")[step] in (Word.HOLDS, Word.VACUOUS)
    assert len(verdict.beliefs) >= len(taken)


@FEW
@given(RANDOMS)
def test_a_stuck_member_is_named(random):
    recording = s.simulated(random)
    last = recording.steps[-1]
    name = random.choice(sorted(last.group.members))
    rest = {other: owned for other, owned in last.group.members.items() if other != name}
    stuck = replace(last, settled=False, group=replace(last.group, members=rest))
    verdict = judge(replace(recording, steps=(*recording.steps[:-1], stuck)))
    (ruling,) = [r for r in verdict.violated if r.claim == "no-stuck-member"]
    assert ruling.text.startswith(f"{name} is not in the group")


def test_a_member_that_is_assigned_what_it_does_not_read_is_named():
    recording = s.simulated(Random(3), strategy="range")
    last = recording.steps[-1]
    name = next(n for n, owned in last.group.members.items() if owned)
    present = {**last.present, name: frozenset({"other"})}
    stuck = replace(last, settled=False, present=present)
    verdict = judge(replace(recording, steps=(*recording.steps[:-1], stuck)))
    (ruling,) = [r for r in verdict.violated if r.claim == "settles"]
    assert f"{name} was assigned {min(last.group.members[name])}" in ruling.text
    assert ruling.text.endswith("and does not read it")


@pytest.mark.parametrize("is_cut_off", [False, True])
@FEW
@given(random=RANDOMS)
def test_a_needless_move_of_a_sticky_group_is_found(random, is_cut_off):
    """Unless the members were cut off in the step: then they had forgotten what they owned."""
    recording = s.simulated(random, strategy="sticky")
    quiet = [
        number
        for number, step in enumerate(recording.steps, start=1)
        if step.action.do == "pace"
        and sum(map(bool, step.group.members.values())) > 1
        and len(set(step.present.values())) == 1
    ]
    assume(quiet)
    step = quiet[0]
    seen = recording.steps[step - 1]
    (a, one), (b, other) = [(n, min(owned)) for n, owned in seen.group.members.items() if owned][:2]
    changed = recording
    for name, gone, come in ((a, one, other), (b, other, one)):
        life = s.life_at(changed, name, step)
        calls = [
            Called(seen.ended - MS // 2, "revoked", "begin", frozenset({gone})),
            Called(seen.ended - MS // 4, "assigned", "end", frozenset({come})),
        ]
        events = sorted([*life.events, *calls], key=lambda each: each.t)
        changed = s.with_life(changed, life, replace(life, events=tuple(events)))
    if is_cut_off:
        cut = ((seen.began, seen.began + 60_000 * MS),)
        lives = tuple(replace(each, pauses=cut) for each in changed.lives)
        assert words(judge(replace(changed, lives=lives)), "moves")[step] is not Word.VIOLATED
        return
    (ruling,) = [r for r in judge(changed).violated if r.claim == "moves" and r.step == step]
    assert ruling.text.endswith("where the certified least is 0")


@FEW
@given(RANDOMS)
def test_a_lost_record_and_a_commit_backwards_are_found(random):
    recording = s.simulated(random)
    reads = [(life, e) for life in recording.lives for e in life.events if isinstance(e, RecordsRead)]
    assume(reads)
    life, event = random.choice(reads)
    span = random.choice(list(event.spans))
    assume(any(span.partition.topic in topics for topics in recording.steps[-1].present.values()))
    lost = replace(event, spans=tuple(each for each in event.spans if each != span))
    events = tuple(lost if each is event else each for each in life.events)
    verdict = judge(s.with_life(recording, life, replace(life, events=events)))
    (ruling,) = [r for r in verdict.violated if r.claim == "progress"]
    assert "never read" in ruling.text or "not read" in ruling.text

    commits = [(w, e) for w in recording.lives for e in w.events if isinstance(e, Committed)]
    life, event = commits[-1]
    partition = min(event.offsets)
    late = Committed(2**62, 2**62 - 1, {partition: event.offsets[partition] - 1})
    assume(event.offsets[partition] > 0)
    verdict = judge(s.with_life(recording, life, replace(life, events=(*life.events, late))))
    (ruling,) = [r for r in verdict.violated if r.claim == "progress"]
    assert f"{partition}: {life.name} committed" in ruling.text
    assert ruling.step == len(recording.steps), "the step in which it was called"


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_claim_is_evaluated_somewhere(claim):
    seen = set()
    for seed in range(6):
        strategy = ("sticky", "range")[seed % 2]
        seen |= set(words(judge(s.simulated(Random(seed), strategy=strategy)), claim).values())
    assert Word.HOLDS in seen
