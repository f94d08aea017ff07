"""Which implementation holds in a release, and from when to when each does."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.registry import holding, newest, oldest, release_in, release_of, spans, taking_over
from kassay.model.errors import InputError


class Rule(NamedTuple):
    since: tuple[str, ...]


FIRST, BACKPORTED, LAST = Rule(("4.2", "4.3")), Rule(("4.2.2", "4.3.1")), Rule(("4.4",))
RULES = [LAST, BACKPORTED, FIRST]

texts = st.lists(st.integers(0, 12), min_size=2, max_size=4).map(lambda numbers: ".".join(map(str, numbers)))


@pytest.mark.parametrize(
    ("release", "rule"),
    [
        ("4.2", FIRST),
        ("4.2.0", FIRST),
        ("4.2.1", FIRST),
        ("4.2.2", BACKPORTED),
        ("4.2.9", BACKPORTED),
        ("4.3.0", FIRST),
        ("4.3.1", BACKPORTED),
        ("4.4", LAST),
        ("4.10", LAST),
        ("5.0", LAST),
        ("4.1.9", None),
        ("0.10.2.1", None),
    ],
)
def test_who_took_over_last_holds_and_a_fix_in_two_lines_holds_in_both(release, rule):
    assert holding(RULES, release) is rule


def test_the_newest_the_oldest_and_the_spans_in_words():
    assert newest(RULES) is LAST
    assert oldest(RULES) == "4.2"
    assert spans(RULES, FIRST) == "4.2 to before 4.2.2, 4.3 to before 4.3.1"
    assert spans(RULES, BACKPORTED) == "4.2.2 to before 4.3, 4.3.1 to before 4.4"
    assert spans(RULES, LAST) == "4.4 on"


@pytest.mark.parametrize(
    ("release", "turns"),
    [
        ("4.1", [("4.2", FIRST), ("4.2.2", BACKPORTED), ("4.4", LAST)]),
        ("4.2", [("4.2.2", BACKPORTED), ("4.4", LAST)]),
        ("4.3.0", [("4.3.1", BACKPORTED), ("4.4", LAST)]),
        ("4.2.2", [("4.3", FIRST), ("4.4", LAST)]),
        ("4.4", []),
    ],
)
def test_who_took_over_since_a_release_stands_once_with_the_first_time(release, turns):
    assert taking_over(RULES, release) == turns


def test_what_names_no_release_is_the_newest_and_has_no_span():
    (only,) = rules = [Rule(())]
    assert newest(rules) is only
    assert (oldest(rules), spans(rules, only)) == ("", "")
    assert holding(rules, "4.0") is None


@given(st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=4), texts)
def test_whoever_holds_took_over_at_the_newest_release_that_is_not_later(since, asked):
    firsts = [release_of(text) for texts_ in since for text in texts_]
    if len(set(firsts)) < len(firsts):
        return
    rules = [Rule(tuple(texts_)) for texts_ in since]
    earlier = [first for first in firsts if first <= release_of(asked)]
    rule = holding(rules, asked)
    if rule is None:
        assert not earlier
    else:
        assert max(earlier) in map(release_of, rule.since)


@pytest.mark.parametrize(
    "text", ["", "4", "4.", ".4", "4.0.x", "v4.0", "4.0.1.2.3", " 4.0", "4.0 ", "٤.٠", "4,0"]
)
def test_any_other_text_is_no_release(text):
    with pytest.raises(InputError, match="expected a release of Kafka"):
        release_of(text)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("3.9.1 (released kafka-clients artifact)", "3.9.1"),
        ("trunk of 2024-10-25, commit 1eb7644349cb (4.0.0-SNAPSHOT)", "4.0.0"),
        ("4.4", "4.4"),
        ("trunk", None),
    ],
)
def test_the_release_in_the_words_of_a_header(text, release):
    assert release_in(text) == release
