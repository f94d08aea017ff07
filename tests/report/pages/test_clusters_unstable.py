"""The page on a group that is not stable: why, who holds what, and nothing computed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kassay.engines.clusters.inputs import read_cluster
from kassay.engines.clusters.observed import observe
from kassay.report.pages.clusters import render_unstable, unstable_view_of
from tests.browser import sound
from tests.cli.runner import here
from tests.paths import ROOT
from tests.report.pages.test_layout import Reader

CLUSTERS = ROOT / "tests" / "data" / "clusters"


@pytest.fixture(scope="module")
def group():
    return observe(read_cluster([str(CLUSTERS / "D5-stuck" / "stuck.txt")]))


def test_the_reason_comes_first_and_each_member_is_a_row(group):
    view = unstable_view_of(group, "kassay again")
    assert view.reasons == ("The tool warns that consumer group 'pay' is rebalancing.",)
    assert view.identity.startswith("2 members, 0 partitions owned, 2 without an owner")
    assert view.rows == (("c-1", "-", "none", "a partition"), ("c-2", "-", "none", "a partition"))
    assert view.unowned == ("t-0", "t-1")
    text = render_unstable(group, "kassay again")
    assert "optimum" not in text and "kassay again" in text
    assert not Reader(text).open


@pytest.mark.parametrize("command", ["what-if", "scale"])
def test_a_requested_page_is_written(tmp_path, command):
    files = [str(CLUSTERS / "W-kip848-stuck" / "consumer4.txt")]
    done = here(command, *files, "--out", "out", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "c2 and c3 wait" in (tmp_path / "out" / f"{command}.html").read_text("utf-8")


@pytest.mark.browser
def test_it_is_sound_in_a_browser(group, open_page):
    page = open_page(render_unstable(group, "kassay again"))
    sound(page)


def test_the_name_of_a_member_keeps_its_letters(group):
    late = replace(group, stability=replace(group.stability, reasons=("rc-1 is at epoch 2 of 3",)))
    assert unstable_view_of(late, "kassay again").reasons == ("rc-1 is at epoch 2 of 3.",)
