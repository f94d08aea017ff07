"""What an event does to the processes that run."""

import pytest

from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    ProcessRetag,
    Running,
    StandbysChange,
    StateLost,
    ThreadsChange,
    happen,
)

A, B = "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000002"
TAGS = (("zone", "a"),)
ALONE = {A: Running(1)}


@pytest.mark.parametrize(
    ("event", "after"),
    [
        (ProcessJoin(B, 2), {A: Running(1), B: Running(2)}),
        (ProcessJoin(B, 2, "r", TAGS), {A: Running(1), B: Running(2, "r", TAGS)}),
        (ProcessRetag(A, "r", TAGS), {A: Running(1, "r", TAGS)}),
        (ThreadsChange(A, 3), {A: Running(3)}),
    ],
)
def test_processes_come_and_change(event, after):
    here = dict(ALONE)
    happen(event, here)
    assert here == after


@pytest.mark.parametrize(
    "event",
    [
        ProcessJoin(A, 5, "r", TAGS),
        ProcessLeave(A),
        ProcessLeave(B),
        ThreadsChange(B, 2),
        ProcessRestart(A),
        ProcessRetag(B, "r", TAGS),
        StateLost(A),
        StandbysChange(2),
    ],
)
def test_who_is_not_there_or_is_there_already_changes_nothing(event):
    here = dict(ALONE)
    happen(event, here)
    assert here == ALONE


def test_the_last_process_stays_and_tags_last_through_other_events():
    here = {A: Running(1, "r", TAGS), B: Running(1)}
    happen(ThreadsChange(A, 2), here)
    happen(ProcessLeave(B), here)
    assert here == {A: Running(2, "r", TAGS)}
