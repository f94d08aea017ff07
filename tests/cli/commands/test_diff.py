"""`kassay diff`: exit codes, the trace that replays, JSON, and input that is none."""

import json

import pytest

from kassay.cli.main import run
from tests.cli.runner import here, kassay, one_line, valid

LAST_FIRST = """
class Assignor:
    name = "last-first"
    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            for p in range(count if readers else 0):
                given[readers[p % len(readers)]].append((topic, p))
        return given
"""


def test_a_difference_is_shown_saved_replayed_and_explained(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["diff", "range", "roundrobin", "--histories", "20", "--json", "report.json"]) == 1
    shown = capsys.readouterr().out
    assert "DIFFERENT" in shown
    assert "replay: kassay replay .kassay/traces/diff-range-roundrobin.json" in shown
    report = valid(json.loads((tmp_path / "report.json").read_text()), "diff-1")
    path = report["difference"]["trace"]
    valid(json.loads((tmp_path / path).read_text()), "difference-1")
    assert run(["replay", path]) == 1
    assert "range and roundrobin still differ" in capsys.readouterr().out
    assert run(["replay", path, "--json", "-"]) == 1
    valid(json.loads(capsys.readouterr().out), "difference-replay-1")
    assert run(["explain", path]) == 0
    assert "range and roundrobin differ by answer" in capsys.readouterr().out


def test_targets_that_agree_end_with_0_and_the_number_of_inputs(tmp_path):
    done = kassay("diff", "sticky", "sticky", "--histories", "30", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "SAME  sticky and sticky: on " in done.stdout
    assert not (tmp_path / ".kassay").exists()


@pytest.mark.slow
def test_a_users_file_is_compared_in_a_process_of_its_own(tmp_path):
    (tmp_path / "mine.py").write_text(LAST_FIRST)
    done = kassay("diff", "mine.py", "range", "--by", "quality", "--exhaustive", "2x3", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert f"{'groups' if done.returncode else 'every group'} up to 2x3" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["range", "placement:striped"], 2, "expected one kind"),
        (["uniform", "connect-incremental"], 2, "uniform@4.0.1 is of kind server"),
        (["share-simple", "streams-group-sticky"], 2, "expected one kind"),
        (["uniform@3.9", "uniform"], 2, "known since 4.0.0 only"),
        (["uniform", "uniform@x"], 2, "found 'x', expected a release"),
        (["connect-incremental", "connect-eager", "--exhaustive", "2x2"], 2, "has no scopes"),
        (["streams-sticky", "streams-public-sticky", "--exhaustive", "2x2"], 2, "has no scopes"),
        (["range", "range", "--histories", "0"], 2, "x>=1"),
        (["range", "range", "--time", "-1s"], 2, "is not a duration"),
        (["range"], 2, "Missing argument 'RIGHT'"),
        (["range", "ranje"], 4, "ranje"),
        (["range", "sticky", "--by", "taste"], 2, "taste"),
        (["range", "sticky", "--time", "1s", "--histories", "1"], 2, "expected one of the two"),
        (["range", "sticky", "--exhaustive", "9"], 2, "scope"),
        (["range", "sticky", "--assume", "nothing-bad"], 2, "nothing-bad"),
        (["partitioner:murmur2", "partitioner:murmur2", "--by", "quality"], 2, "not measured"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, code, words):
    assert words in one_line(here("diff", *arguments, cwd=tmp_path), code)


def test_a_difference_takes_no_options_of_a_trace(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(["diff", "range", "roundrobin", "--histories", "10"])
    capsys.readouterr()
    path = ".kassay/traces/diff-range-roundrobin.json"
    assert run(["replay", path, "--target", "sticky"]) == 2
    assert "expected no options" in capsys.readouterr().err


def test_what_is_no_target_at_all_is_the_one_complaint(tmp_path):
    done = kassay("diff", "nowhere", "", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("kassay: target ''")
    assert done.stderr.count("\n") == 1
