"""What a cleaner may leave of a log: every view of it keeps what counts, in order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.protocols.coordinator.loading import OLDER, appended, views
from kassay.model.protocols.values.records import CURRENT, EPOCH, MEMBER, LogHistory, LogRecord

KEYS = [(CURRENT, "a"), (CURRENT, "b"), (MEMBER, "a"), (EPOCH, "")]
records = st.builds(LogRecord, st.sampled_from(KEYS), st.one_of(st.none(), st.integers(1, 9)))
appends = st.lists(
    st.lists(records, min_size=1, max_size=3, unique_by=lambda r: r.key).map(tuple), max_size=8
)


def history(batches):
    kept = LogHistory()
    for number, batch in enumerate(batches):
        # Values that differ tell one record from another of its key.
        marked = tuple(r if r.value is None else r._replace(value=r.value + 10 * number) for r in batch)
        kept = appended(kept, marked)
    return kept


def flat(kept):
    return [record for batch in kept.batches for record in batch]


@settings(max_examples=60)
@given(appends)
def test_of_each_key_the_last_record_is_told_and_a_few_before_it(batches):
    kept = flat(history(batches))
    written = [(key, value) for number, batch in enumerate(batches) for key, value in batch if number >= 0]
    assert {record.key for record in kept} == {key for key, _ in written}
    for key in {record.key for record in kept}:
        mine = [record for record in kept if record.key == key]
        assert len(mine) == min(sum(key == other for other, _ in written), 1 + OLDER)
        last = [batch for batch in batches if any(record.key == key for record in batch)][-1]
        gone = next(record.value is None for record in last if record.key == key)
        assert (mine[-1].value is None) == gone


@settings(max_examples=60)
@given(appends)
def test_every_view_keeps_the_order_and_the_last_value_of_each_key(batches):
    kept = history(batches)
    whole = flat(kept)
    last = {record.key: record for record in whole}
    seen = list(views(kept))
    assert list(seen[0]) == whole
    assert len(seen) == len(set(seen))
    for view in seen:
        rest = iter(whole)
        assert all(any(record is other for other in rest) for record in view)
        latest = {record.key: record for record in view}
        for key, record in last.items():
            if record.value is not None:
                assert latest[key] is record
            else:
                # An old tombstone goes, and what it deletes has gone before.
                assert latest.get(key, record) is record


def test_a_reader_under_way_finds_an_older_assignment_whose_end_is_gone():
    given, gone, newer = ((LogRecord((CURRENT, "a"), number),) for number in (1, 2, 4))
    other = (LogRecord((CURRENT, "b"), 3),)
    kept = history([])
    for batch in (given, gone, other, newer):
        kept = appended(kept, batch)
    values = [[record.value for record in view] for view in views(kept)]
    assert [1, 3, 4] in values
    assert [3, 4] in values
    assert [1, 2, 3] not in values


@pytest.mark.parametrize("cleaned", [True, False])
def test_an_old_tombstone_may_be_gone(cleaned):
    kept = appended(history([]), (LogRecord((MEMBER, "a"), None), LogRecord((EPOCH, ""), 2)))
    assert [len(view) for view in views(kept)] == [2, 1]
    assert (LogRecord((EPOCH, ""), 2),) in list(views(kept)) or not cleaned
