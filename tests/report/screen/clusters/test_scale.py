"""A group at each number of members, on screen."""

import io

from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.clusters.scale import scale
from kassay.certify.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.report.screen.clusters.scale import scale_view, spans
from kassay.report.screen.console import console
from tests.certify.clusters.cluster import observed, offsets


def test_counts_marks_and_lags():
    file = io.StringIO()
    group = observed(offsets({"a": ["t-0", "t-1"], "b": []}))
    lags = {TopicPartition("t", 0): 5, TopicPartition("t", 1): 3}
    console(file=file).show(scale_view(scale(group, resolve("sticky"), 3, lags=lags, seconds=60)))
    rows = [line.split() for line in file.getvalue().splitlines()]
    assert ["1", "2", "0", "0", "0", "0", "0", "8", "8", "safe"] in rows
    assert ["2", "(today)", "1", "0", "0", "1", "0", "1", "5", "5", "safe"] in rows
    assert ["safe", "numbers", "of", "members", "with", "sticky:", "1", "2"] in rows


@given(st.sets(st.integers(1, 40)))
def test_spans_say_every_count_once(counts):
    said = set()
    for part in spans(sorted(counts)).split():
        first, _, last = part.partition("-")
        said |= set(range(int(first), int(last or first) + 1))
    assert said == counts
