"""`kassay scale`: the documented example, its document, what is refused."""

import json

import pytest

from tests.cli.runner import here, one_line, valid
from tests.paths import ROOT

CLUSTER = ROOT / "examples" / "cluster"
FILES = ["groups.txt", "topics.txt"]


def test_each_count_is_a_row_and_what_is_safe_a_line():
    done = here("scale", *FILES, "--max-members", "7", "--from", "cooperative-sticky", cwd=CLUSTER)
    assert done.returncode == 0, done.stderr
    rows = [line.split()[0] for line in done.stdout.partition("members  ")[2].splitlines()[1:8]]
    assert rows == ["1", "2", "3", "4", "5", "6", "7"]
    assert (
        "\nsafe numbers of members with cooperative-sticky: 3-7; with the certified optimum: 3-7\n"
        in done.stdout
        and "6 (today)" in done.stdout
    )


def test_lags_come_from_the_offsets_view(tmp_path):
    done = here("scale", *FILES, "--lag", "--time", "60s", "--json", "-", cwd=CLUSTER)
    document = valid(json.loads(done.stdout), "scale-1")
    assert document["counts"][0]["lag"]["most"] == document["counts"][0]["lag"]["optimum"]["lower"] == 13875
    assert document["target"] == "range"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--max-members", "0"], "--max-members"),
        (["nosuch.csv"], "nosuch.csv: no such file, expected outputs"),
        (["--from", "nosuch"], "there is no target 'nosuch'"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line(arguments, complaint):
    code = 4 if "--from" in arguments else 2
    assert complaint in one_line(here("scale", *FILES, *arguments, cwd=CLUSTER), code)


def test_without_a_strategy_the_assignor_is_asked_for(tmp_path):
    view = (CLUSTER / "groups.txt").read_text().partition("\n\n")[0]
    (tmp_path / "g.txt").write_text(view)
    assert "--from: the group's assignor is unknown" in one_line(here("scale", "g.txt", cwd=tmp_path), 2)


def test_a_strategy_that_kassay_lacks_is_named(tmp_path):
    view, *_ = (CLUSTER / "groups.txt").read_text().partition("\n\n")
    state = "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS\nbilling h:1 (1) mine.Own Stable 6\n"
    (tmp_path / "g.txt").write_text(f"{view}\n\n{state}")
    words = "the strategy 'mine.Own' is no assignor that kassay has: load it with --from TARGET"
    assert words in one_line(here("scale", "g.txt", cwd=tmp_path), 2)
    shown = here("what-if", "g.txt", "--to", "range", cwd=tmp_path).stdout
    assert f"no rolling path: {words}" in " ".join(shown.split())
