"""What is under way in the background, where states are renamed and records told apart."""

from __future__ import annotations

from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.background import Background, Offloaded, Regex, RegexMatches
from kassay.model.protocols.values.marks import Mark, marked, rewritten
from kassay.model.protocols.values.records import LogRecord, compact


def test_an_expression_is_no_member_id_whatever_it_looks_like():
    record = LogRecord((r.REGEX, Regex("m1")), RegexMatches(("t",), 0, 1))
    assert marked(record)[Mark.MEMBER_ID] == set()
    assert str(Regex("t.*")) == "t.*"


def test_who_an_offloaded_target_is_for_is_renamed_with_everybody():
    background = Background(targets=(Offloaded(7, (("a", "", ()), ("b", "i", ()))),))
    swapped = rewritten(
        background, lambda mark, part: {"a": "z"}.get(part, part) if mark is Mark.MEMBER_ID else part
    )
    assert [name for name, _, _ in swapped.targets[0].target] == ["b", "z"]
    assert marked(background)[Mark.GENERATION] == {7}


def test_of_each_expression_the_last_record_counts():
    first, other = (LogRecord((r.REGEX, Regex(text)), RegexMatches((text,))) for text in ("a", "b"))
    end = LogRecord((r.REGEX, Regex("a")), None)
    assert compact((), (first, other)) == (first, other)
    assert compact((first, other), (end,)) == (other,)
