"""Lines go through their points in order."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.figures.lines import line_chart
from tests.hostile import SOME

POINTS = st.lists(
    st.tuples(st.integers(0, 500), st.floats(0, 1e6)), unique_by=lambda point: point[0], max_size=6
)


@SOME
@given(st.dictionaries(st.sampled_from("abc"), POINTS))
def test_higher_numbers_stand_higher_and_strokes_join_the_points(
    series: dict[str, list[tuple[int, float]]],
) -> None:
    chart = line_chart("t", series, across="members", up="gap")
    assert [line.label for line in chart.lines] == list(series)
    for line, points in zip(chart.lines, series.values(), strict=True):
        assert len(line.strokes) == max(0, len(points) - 1)
        assert [(s.x1, s.y1) for s in line.strokes] == [(p.x, p.y) for p in line.points][:-1]
        for (_, y), mark in zip(sorted(points), line.points, strict=True):
            assert all(
                mark.y <= other.y for (_, lower), other in zip(sorted(points), line.points) if lower < y
            )
    assert line_chart("t", {}, across="a", up="b").lines == ()
