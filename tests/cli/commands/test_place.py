"""`kassay place`: files in, a judged and proven plan out; its files are clean, its errors one line."""

import json
import shutil

import pytest

from tests.cli.runner import here, kassay, one_line, valid
from tests.paths import ROOT

CLUSTER = ROOT / "examples" / "cluster"
FILES = ["replicas.txt", "brokers.txt", "log-dirs.txt"]


@pytest.fixture
def folder(tmp_path):
    """A folder with the example's files."""
    for name in FILES:
        shutil.copy(CLUSTER / name, tmp_path / name)
    return tmp_path


def test_a_plan_whose_every_file_is_clean_and_whose_certificate_is_accepted(folder):
    done = kassay("place", *FILES, "--per-step", "10", "--json", "-", cwd=folder)
    assert done.returncode == 0, done.stderr
    document = valid(json.loads(done.stdout), "place-2")
    assert document["proposal"]["status"] == "optimal"
    files = document["files"]
    assert len(document["steps"]) == 3 and (folder / files["rollback 3"]).exists()
    assert here("check", files["certificate"], cwd=folder).returncode == 0
    for what in ("step 1", "plan"):
        lint = here("lint", files[what], *FILES, cwd=folder)
        assert (lint.returncode, lint.stdout.strip()) == (
            0,
            f"{files[what]} (reassignment): 0 errors, 0 warnings",
        )


def test_fewer_steps_than_before_leave_no_file_of_the_earlier_plan(folder):
    here("place", *FILES, "--per-step", "5", cwd=folder)
    (folder / ".kassay/place/step-mine.json").write_text("{}")
    here("place", *FILES, cwd=folder)
    steps = sorted(path.name for path in (folder / ".kassay/place").glob("step-*"))
    assert steps == [
        "step-1-rollback.json",
        "step-1.json",
        "step-2-rollback.json",
        "step-2.json",
        "step-mine.json",
    ]


def test_brokers_come_and_go(folder):
    done = here(
        "place", *FILES, "--remove-broker", "3", "--drain", "6", "--add-broker", "7:az-c", "-v", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "rack az-c has 1 of 5 brokers" in done.stdout
    assert "replicas lie on brokers 3, 6 and have to be copied" in done.stdout


def test_judge_alone_says_what_is_broken_and_writes_nothing(folder):
    done = here("place", *FILES, "--judge", cwd=folder)
    assert done.returncode == 1 and "rack-spread" in done.stdout
    assert not (folder / ".kassay").exists()


def test_limits(folder):
    done = here("place", *FILES, "--budget", "4", "--json", "-", cwd=folder)
    assert done.returncode == 0
    assert json.loads(done.stdout)["proposal"]["copies"] == 4
    done = here("place", *FILES, "--budget", "100GiB", "--per-step", "60GiB", "--json", "-", cwd=folder)
    document = json.loads(done.stdout)
    assert document["proposal"]["bytes_copied"] <= 100 << 30
    assert done.returncode == (0 if document["proposal"]["status"] == "optimal" else 3)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--budget", "lots"], "is not a size"),
        (["--add-broker", "x"], "is not a broker"),
        (["--add-broker", "7:az-c", "--add-broker", "7:az-a"], "twice"),
        (["--add-broker", "7"], "without a rack"),
        (["--remove-broker", "77"], "--remove-broker 77: no such broker"),
        (["--judge", "--drain", "1"], "expected no change of brokers"),
        (
            ["--drain", "1", "--drain", "2", "--drain", "4", "--drain", "5"],
            "RF 3 needs 3 brokers; 2 are left",
        ),
        (["--budget", "1", "--drain", "3"], "does not pay for the copies"),
        (["--throttle", "0"], "at least a byte"),
        (["nosuch.txt"], "no such file"),
    ],
)
def test_a_wrong_option_is_one_line(folder, options, complaint):
    assert complaint in one_line(here("place", *FILES, *options, cwd=folder), 2)


def test_a_lint_with_errors(folder):
    (folder / "r.json").write_text(
        '{"partitions": [\n{"topic": "order", "partition": 0, "replicas": [1, 1, 9]}]}'
    )
    done = here("lint", "r.json", *FILES, "--json", "-", cwd=folder)
    document = valid(json.loads(done.stdout), "lint-1")
    assert done.returncode == 1
    by_rule = {each["rule"]: each["outcome"] for each in document["findings"]}
    assert [*by_rule] == ["duplicate-replica", "unknown-broker", "unknown-topic"]
    assert "did you mean orders?" in by_rule["unknown-topic"]


def test_a_page_is_written_beside_the_plan(folder):
    done = here("place", *FILES, "--out", ".kassay/place", cwd=folder)
    assert done.returncode == 0 and "report: .kassay/place/place.html" in done.stderr
    page = (folder / ".kassay/place/place.html").read_text()
    assert "kassay place replicas.txt brokers.txt log-dirs.txt --out .kassay/place" in page


@pytest.mark.parametrize("nothing", ["0", "0GiB"])
def test_a_step_of_nothing_is_refused(nothing, folder):
    words = one_line(here("place", *FILES, "--per-step", nothing, cwd=folder), 2)
    assert words == "kassay: --per-step: found 0, expected at least one copy, or a size"
