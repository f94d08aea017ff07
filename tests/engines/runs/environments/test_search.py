"""Targets that answer by something besides their input, and those that do not."""

from dataclasses import replace

import pytest

from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.environments import search
from kassay.engines.runs.environments.search import look_elsewhere
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve

SORTS = """
META = {{"kind": "assignor", "claims": ["{claim}"]}}
import datetime, os, socket
{top}

class Mine:
    def assign(self, partitions_per_topic, members):
        given = {{m["id"]: [] for m in members}}
        for topic in sorted(partitions_per_topic):
            readers = sorted((m["id"] for m in members if topic in m["topics"]), reverse=bool({flips}))
            for p in range(partitions_per_topic[topic] if readers else 0):
                given[min(readers, key=lambda r: len(given[r]))].append((topic, p))
        return given
"""
LEAST = RunOptions(budget=Budget(histories=30))


def looked(tmp_path, flips, *, top="", claim="deterministic", options=LEAST, broken=()):
    file = tmp_path / "mine.py"
    file.write_text(SORTS.format(flips=flips, top=top, claim=claim))
    with open_bench(Job(resolve(str(file), in_process=options.in_process), options)) as bench:
        return look_elsewhere(bench, 60.0, broken)


@pytest.mark.slow_cases("hour", "host", "variable", "import")
@pytest.mark.parametrize(
    ("flips", "top", "words"),
    [
        pytest.param("datetime.datetime.now().hour == 3", "", "the hour of the clock", id="hour"),
        pytest.param("socket.gethostname()[-1] == '9'", "", "the host name", id="host"),
        pytest.param("os.environ.get('ODD') == 'b'", "", "the variable ODD", id="variable"),
        pytest.param("FLIP", "FLIP = datetime.date.today().isoweekday() == 7", "the week day", id="import"),
        pytest.param("os.environ.get('POD_NAME')", "", "the variable POD_NAME", id="pod"),
    ],
)
def test_what_decides_is_named(tmp_path, flips, top, words):
    (finding,) = looked(tmp_path, flips, top=top).findings
    assert finding.claim == "deterministic"
    assert finding.why.startswith(f"answers differ when {words} changes: ")


EXPIRES = """import time
class Lease:
    at = None
    def is_over(self):
        now, self.at = time.{watch}(), self.at or time.{watch}()
        return now - self.at > {seconds}
LEASE = Lease()
"""


@pytest.mark.parametrize(
    ("watch", "seconds", "words"),
    [("time", 3_600, "the time between calls"), ("monotonic", 3_600, "the speed of the machine")],
)
def test_an_object_that_is_called_again_after_hours_answers_alike(tmp_path, watch, seconds, words):
    top = EXPIRES.format(watch=watch, seconds=seconds)
    (finding,) = looked(tmp_path, "LEASE.is_over()", top=top).findings
    assert finding.why.startswith(f"answers differ when {words} changes: ")


LOADS = """
import sys
if "library" not in sys.modules or {always}:
    sys.modules["library"] = sys
    sum(range(20_000_000))
ODD = os.environ.get("ODD") == "b"
"""


def test_what_is_read_on_import_is_found_though_libraries_load_slowly(tmp_path):
    """They stay loaded: only the target's own file is loaded again."""
    (finding,) = looked(tmp_path, "ODD", top=LOADS.format(always=False)).findings
    assert "the variable ODD changes" in finding.why
    result = looked(tmp_path, "ODD", top=LOADS.format(always=True))
    assert result.findings == ()
    assert "loaded in 4 environments only (loading it takes more than 50 ms)" in result.coverage.gaps


def test_a_target_that_reads_nothing_is_not_accused(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "hours_of_week", lambda: iter(range(0, 200_000, 7_000)))
    result = looked(tmp_path, "False")
    assert result.findings == ()
    assert result.coverage.gaps == ()
    assert result.coverage.environments == 4
    assert {each.partition(":")[0] for each in result.coverage.covered} >= {"clock", "host name", "variables"}


def test_a_target_that_needs_a_variable_to_start_is_no_violation(tmp_path, monkeypatch):
    monkeypatch.setenv("NEEDED_HERE", "x")
    monkeypatch.setattr(search, "hours_of_week", lambda: iter(range(3)))
    result = looked(tmp_path, "False", top="X = os.environ['NEEDED_HERE']")
    assert result.findings == ()
    assert result.coverage.gaps[0] == "cannot start without the variable NEEDED_HERE"


@pytest.mark.slow
def test_a_target_that_needs_a_variable_to_answer_is_no_violation(tmp_path, monkeypatch):
    monkeypatch.setenv("NEEDED_HERE", "x")
    result = looked(tmp_path, "len(os.environ['NEEDED_HERE']) > 99")
    assert result.findings == ()
    assert result.coverage.gaps[0] == "gives no answer without the variable NEEDED_HERE"


@pytest.mark.slow
def test_a_leader_in_another_environment_breaks_leader_neutral(tmp_path):
    (finding,) = looked(tmp_path, "socket.gethostname()[-1] in '012'", claim="leader-neutral").findings
    assert finding.claim == "leader-neutral"
    assert "the host name" in finding.why


@pytest.mark.slow
def test_objects_in_this_process_are_compared_in_children(tmp_path):
    options = replace(LEAST, in_process=True)
    assert looked(tmp_path, "False", options=options).findings == ()
    (finding,) = looked(tmp_path, "os.environ.get('POD_NAME')", options=options).findings
    assert "the variable POD_NAME" in finding.why


def test_nothing_is_compared_without_a_claim_that_can_break(tmp_path):
    assert looked(tmp_path, "False", broken=("deterministic",)).coverage.gaps == (
        "environment not varied (deterministic is violated)",
    )
    assert looked(tmp_path, "False", claim="stable").coverage.gaps == (
        "environment not varied (no claim is about environments)",
    )
