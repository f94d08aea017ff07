"""A compacted log: the last of each key, without tombstones, the same however it was cut into writes.

What is under way in the background, where states are renamed and records told apart.
"""

from __future__ import annotations

from random import Random

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.marks import Mark, marked, rewritten
from kassay.model.protocols.values.records import (
    EPOCH,
    GROUP,
    MEMBER,
    OFFSET,
    TARGET,
    Background,
    GroupValue,
    LogRecord,
    Offloaded,
    OffsetValue,
    Regex,
    RegexMatches,
    compact,
    offset_records,
)

T0 = TopicPartition("t", 0)
CLASSIC = LogRecord((GROUP, ""), GroupValue(1, "consumer", "range", "m"))


def drawn(rng):
    """Records of a consumer group, some of them tombstones."""
    keys = [(EPOCH, ""), (MEMBER, "a"), (MEMBER, "b"), (TARGET, "a"), (OFFSET, T0)]
    return [LogRecord(rng.choice(keys), rng.choice((None, 1, 2, 3))) for _ in range(rng.randint(0, 9))]


def test_the_log_holds_the_last_of_each_key_in_order_however_it_was_cut():
    for seed in range(150):
        rng = Random(seed)
        records = drawn(rng)
        last = dict(records)
        log = compact((), records)
        assert dict(log) == {key: value for key, value in last.items() if value is not None}
        assert [(kind, str(name)) for (kind, name), _ in log] == sorted(
            (kind, str(name)) for (kind, name), _ in log
        )
        cut = rng.randint(0, len(records))
        assert compact(compact((), records[:cut]), records[cut:]) == log
        assert compact(log, ()) == log


def test_a_classic_group_takes_the_place_of_all_but_offsets():
    offset = LogRecord((OFFSET, T0), OffsetValue(3))
    log = compact((), [LogRecord((EPOCH, ""), 4), LogRecord((MEMBER, "a"), 1), offset])
    assert compact(log, [CLASSIC]) == (CLASSIC, offset)
    assert compact(log, [LogRecord((GROUP, ""), None)]) == log, "a tombstone takes nobody's place"


def test_a_commit_is_a_record_a_partition():
    assert offset_records([(T0, 7)]) == (LogRecord((OFFSET, T0), OffsetValue(7)),)


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
