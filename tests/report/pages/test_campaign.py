"""A campaign's page: whole, with every text escaped, and drawings that say what the numbers say."""

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.pages.campaign import bars, html, lines
from tests.report.screen.campaign_document import DOCUMENT, GAP, SIZE


class Page(HTMLParser):
    """The words of a page, its headings, and the tags that are still open at its end."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.headings, self.asked = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.asked += [value for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if self.open[-1:] == ["h2"]:
            self.headings.append(data)


def test_the_page_is_whole_asks_for_nothing_and_tells_everything():
    page = Page(html(DOCUMENT))
    assert page.open == []
    assert page.asked == []
    assert page.headings == [
        "Leaderboard", "Verdicts over all profiles", "Findings", "Distance to the certified optimum",
        "By number of members", "Rounds until the group is at rest", "Time of tasks",
    ]  # fmt: skip
    assert {"Campaign mine & <yours>", "a <b> & c", "3 of 9", "25.00%"} <= set(page.words)
    assert "of small" not in page.words


def test_without_gaps_there_is_nothing_about_the_optimum():
    studies = {**DOCUMENT["studies"], "gap_by_profile": [], "gap_by_size": [], "convergence": []}
    page = Page(html(DOCUMENT | {"studies": studies, "findings": []}))
    assert "Distance to the certified optimum" not in page.headings
    assert "None." in page.words


def test_rounds_are_added_up_over_the_profiles_and_never_stands_last():
    text = html(DOCUMENT)
    table = text[text.index("Rounds until") :]
    assert re.findall(r"<th>(.*?)</th>", table)[:3] == ["target", "1", "never"]
    assert re.findall(r'<td class="?n"?>(.*?)</td>', table)[:2] == ["42", "2"]


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=12))
def test_a_bar_is_as_long_as_its_share_of_the_longest(shares):
    rows = [{**GAP, "target": f"t{number}", "unbalanced_share": share} for number, share in enumerate(shares)]
    widths = [
        float(width)
        for width in re.findall(r'width="([\d.]+)" height="11"', bars(rows, "unbalanced_share", "x"))
    ]
    longest = max(share or 0 for share in shares) or 1
    assert len(widths) == len(rows)
    for width, share in zip(widths, shares, strict=True):
        assert abs(width - 420 * (share or 0) / longest) <= 0.05


def test_a_line_rises_with_the_balance_gap():
    rows = [{**SIZE, "members": members, "balance_mean": float(members)} for members in (2, 3, 5)]
    (points,) = re.findall(r'points="(.*?)"', lines(rows))
    xs, ys = zip(*(map(float, point.split(",")) for point in points.split()), strict=True)
    assert list(xs) == sorted(set(xs))
    assert ys[0] > ys[1] > ys[2] == 30.0
    assert lines([]) == ""
    equal = [{**row, "equal": True} for row in rows]
    assert re.findall(r'points="(.*?)"', lines([*rows, *equal])) == [points]
