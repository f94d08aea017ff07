"""Which single thing is named, on targets that are functions of their surroundings."""

from datetime import datetime

import pytest

from kassay.engines.runs.environments.cause import CHANCE, Ours, cause_of, needed_by
from kassay.engines.runs.environments.values import environments
from kassay.model.surroundings import OURS

NOW = datetime(2026, 11, 26, 20, 15, 30).timestamp()
INHERITED = {"PATH": "/bin", "HOME": "/root", "TERM": "dumb"}
HERE = Ours(NOW, INHERITED)
PLANNED = environments(("/a", "/b", "/c", "/d"))


def at(surroundings):
    return datetime.fromtimestamp(NOW if surroundings.clock is None else surroundings.clock)


def differs_by(answer):
    return lambda first, then: answer(first) != answer(then)


def variable(name):
    return lambda surroundings: surroundings.environment(INHERITED).get(name)


@pytest.mark.parametrize("then", PLANNED)
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda s: at(s).hour, "the hour of the clock changes: 20:15 and "),
        (lambda s: at(s).minute, "the minute of the clock changes: 20:15 and 20:"),
        (lambda s: at(s).second, "the second of the clock changes: 20:15:30 and 20:15:"),
        (lambda s: at(s).weekday(), "the week day changes: Thursday and "),
        (lambda s: at(s).day, "the day of the month changes: 26 November and "),
        (lambda s: at(s).year, "the year changes: 2026 and "),
        (lambda s: at(s).month, "the month changes: November and "),
        (variable("HOME"), "the variable HOME changes: '/root' and "),
        (variable("POD_NAME"), "the variable POD_NAME changes: unset and "),
        (lambda s: s.host_name, "the host name changes: "),
        (lambda s: s.folder, "the working folder changes: "),
        (lambda s: s.time_zone, "the time zone changes: "),
        (lambda s: s.locale, "the locale changes: "),
        (lambda s: s.processors, "the number of processors changes: "),
        (lambda s: s.user, "the user changes: the machine's own and "),
        (lambda s: s.load, "the load of the machine changes: the machine's own and "),
        (lambda s: s.memory, "the memory of the machine changes: the machine's own and "),
        (lambda s: s.address, "the network address changes: the machine's own and "),
        (lambda s: s.tick, "the speed of the machine changes: the machine's own and "),
        (lambda s: s.pause, "the time between calls changes: no time between two calls and "),
        (lambda s: s.uptime, "the time since the machine was started changes: the machine's own and "),
        (lambda s: s.hash_seed or 0, "the hash seed changes: 0 and "),
        (lambda s: s.modified, "the modification time of the target's file changes: "),
    ],
)
def test_the_one_thing_is_named(then, answer, words):
    differs = differs_by(answer)
    cause = cause_of(differs, then, HERE)
    if not differs(OURS, then):
        assert cause is None
        return
    assert cause.words.startswith(words)
    assert differs(cause.first, cause.then)
    changed = [n for n in cause.then.changed if getattr(cause.then, n) != getattr(cause.first, n)]
    assert len(changed) == 1


def test_the_remainder_of_the_process_id_is_named():
    cause = cause_of(differs_by(lambda s: (s.process or 0) % 2), PLANNED[1], HERE)
    assert cause.words == "the process id changes: the remainder by 12 is 0 and 5"


def test_things_that_only_decide_together_are_named_with_the_others():
    def answer(surroundings):
        return surroundings.host_name is not None and at(surroundings).year != 2026

    cause = cause_of(differs_by(answer), PLANNED[0], HERE)
    assert "while other things differ too" in cause.words
    assert answer(cause.first) != answer(cause.then)


def test_a_difference_without_a_change_is_chance():
    assert cause_of(lambda *_: True, PLANNED[0], HERE) == CHANCE
    flips = iter([False] * 3 + [True] * 100)
    assert cause_of(lambda *_: next(flips), PLANNED[0], HERE, lambda *_: True) == CHANCE


@pytest.mark.parametrize(
    ("starts", "field", "name"),
    [
        (lambda s: variable("HOME")(s) == "/root", "variables", "HOME"),
        (lambda s: s.folder is None, "folder", ""),
    ],
)
def test_what_a_target_needs_to_start_is_named(starts, field, name):
    cause = needed_by(starts, PLANNED[3], HERE)
    assert (cause.field, cause.variable) == (field, name)
    assert needed_by(lambda _: True, PLANNED[3], HERE) is None


@pytest.mark.parametrize("needs", [False, True], ids=["one decides", "one decides beside another"])
def test_no_other_inherited_variable_is_kept(needs):
    def answer(surroundings):
        variables = surroundings.environment(INHERITED)
        return (variables.get("TERM") or not needs) and variables.get("POD_NAME")

    cause = cause_of(differs_by(answer), PLANNED[0], HERE)
    assert cause is not None and differs_by(answer)(cause.first, cause.then)
    for each in (cause.first, cause.then):
        assert "/root" not in dict(each.variables or ()).values()
