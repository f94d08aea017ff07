"""Boards: small ones tile by tile, large ones by ranges, and in a browser by slider, keyboard and link."""

import re
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.kinds.frames import (
    FRAMES_MAX,
    TILES_MAX,
    Cell,
    Frame,
    Grid,
    Row,
    Tile,
    TileLook,
    board,
    number_ranges,
)
from kassay.report.pages.layout import PAGE_BYTES_MAX
from tests.browser import expect, sound
from tests.kinds.boards import HELD, OURS, drawn, page

NUMBERS = st.sets(st.integers(0, 60), min_size=1)


def read_ranges(text):
    numbers = []
    for run in text.split(", "):
        first, _, last = run.partition("–")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


@given(NUMBERS)
def test_ranges_say_every_number_once(numbers):
    assert read_ranges(number_ranges(sorted(numbers))) == sorted(numbers)


def frame(number, rows, broken=False):
    return Frame(
        f"round-{number}", str(number), f"Round {number}", Grid(("member", "is given"), rows), broken=broken
    )


def large(members=100, partitions=1000, step=1):
    """Members with every hundredth partition of a topic, or with blocks of them."""
    share = partitions // members
    numbers = [
        [(i * step + turn * (members if step == 1 else 1)) for turn in range(share)] for i in range(members)
    ]
    return tuple(
        Row(
            f"m{i:03d}",
            (Cell(tuple(Tile(f"orders-{n}", TileLook.NEW, n == 7, "orders", n) for n in own), given=True),),
        )
        for i, own in enumerate(numbers)
    )


@pytest.mark.parametrize("step", [1, 10], ids=["dealt", "blocks"])
def test_a_large_board_has_all_partitions_in_ranges_and_the_guilty_one_alone(step):
    (only,) = board("trace-1", [frame(1, large(step=step))]).frames
    told = [tile for row in only.table.rows for cell in row.cells for tile in cell.tiles]
    assert [tile.text for tile in told if tile.guilty] == ["orders-7"]
    numbers = [
        n
        for tile in told
        if not tile.guilty
        for n in read_ranges(tile.text.removeprefix("orders ").removeprefix("orders-"))
    ]
    assert sorted(numbers) == [n for n in range(1000) if n != 7]
    assert len(told) <= TILES_MAX


def test_a_board_of_100_members_and_1000_partitions_is_light():
    rounds = [frame(number, large()) for number in range(1, 9)]
    assert len(page(board("trace-1", rounds)).encode()) < PAGE_BYTES_MAX / 3


def test_far_too_many_frames_are_left_out_around_the_broken_one():
    frames = [frame(number, (), broken=number == 90) for number in range(100)]
    drawn_board = board("trace-1", frames)
    assert len(drawn_board.frames) == FRAMES_MAX
    assert drawn_board.frames[drawn_board.opens].anchor == "round-90"
    assert drawn_board.left_out == 100 - FRAMES_MAX


def shows(view, *anchors):
    """These frames of the page's boards are visible, and no other, once the page has followed what was done."""
    expect(view.locator(".frame:visible")).to_have_count(len(anchors))
    for number, anchor in enumerate(anchors):
        expect(view.locator(".frame:visible").nth(number)).to_have_id(anchor)


@pytest.fixture
def converging():
    return drawn(HELD / "cooperative-sticky-converges.json")


def test_no_other_style_has_the_word_of_a_tiles_look():
    """A rule for any `.kept` of a page would take hold of the tiles of its boards."""
    folder = resources.files("kassay.report.pages") / "templates"
    for style in (each for each in folder.iterdir() if each.name.endswith(".css")):
        selectors = {
            part.strip()
            for rule in re.findall(r"([^{};/]+)\{", style.read_text())
            for part in rule.split(",")
        }
        assert selectors.isdisjoint(f".{look}" for look in TileLook), style.name


@pytest.mark.browser
def test_a_board_opens_at_the_broken_round_and_goes_by_slider_buttons_and_keys(open_page, converging):
    view = open_page(page(converging), still=True)
    broken = next(i for i, each in enumerate(converging.frames, 1) if each.broken)
    shows(view, f"trace-1/round-{broken}")
    slider = view.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", f"{converging.frames[broken - 1].title}, broken here")
    slider.focus()
    slider.press("ArrowLeft")
    shows(view, f"trace-1/round-{broken - 1}")
    slider.press("Home")
    shows(view, "trace-1/round-1")
    expect(view.get_by_role("button", name="Previous")).to_be_disabled()
    view.get_by_role("button", name="Next").click()
    shows(view, "trace-1/round-2")
    expect(view.get_by_role("status")).to_have_text(converging.frames[1].title)
    view.get_by_role("link", name=converging.frames[2].title).click()
    shows(view, "trace-1/round-3")
    expect(view).to_have_url(re.compile("#trace-1/round-3$"))
    view.go_back()
    expect(view).not_to_have_url(re.compile("#"))
    view.get_by_role("button", name="Next").press("ArrowRight")
    shows(view, "trace-1/round-4")


@pytest.mark.browser
def test_a_link_opens_its_round(open_page, converging):
    shows(open_page(page(converging), fragment="#trace-1/round-2"), "trace-1/round-2")


@pytest.mark.browser
def test_tiles_move_and_keep_still_where_that_is_asked(open_page, converging):
    running = "document.getAnimations().length"
    for still in (False, True):
        view = open_page(page(converging), fragment="#trace-1/round-1", still=still)
        view.get_by_role("button", name="Next").click()
        assert (view.evaluate(running) == 0) is still


@pytest.mark.browser
def test_play_shows_the_rounds_from_the_start(open_page, converging):
    view = open_page(page(converging), still=True)
    view.get_by_role("slider").press("End")
    view.get_by_role("button", name="Play").click()
    shows(view, "trace-1/round-1")
    view.locator("[id='trace-1/round-2']").wait_for(state="visible")
    view.get_by_role("button", name="Stop").click()
    view.get_by_role("button", name="Play").wait_for()


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_boards_of_every_kind_are_sound(open_page, dark):
    paths = [
        HELD / "sticky-single-owner.json",
        HELD / "placement_rack-unaware-rack-spread.json",
        HELD / "plan_optimal-plan-minimal-holds.json",
        HELD / "partitioner_abs-hash-compatible.json",
        OURS / "streams-group-sticky-sticky-standbys.json",
        OURS / "connect-incremental-sticky-minimal.json",
    ]
    for path in paths:
        view = open_page(page(drawn(path)), dark=dark)
        sound(view)


@pytest.mark.browser
def test_a_large_board_is_usable(open_page):
    view = open_page(page(board("trace-1", [frame(number, large()) for number in range(1, 9)])))
    view.get_by_role("button", name="Previous").click()
    shows(view, "trace-1/round-7")
    sound(view)
