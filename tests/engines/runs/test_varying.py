"""Targets whose answers differ from play to play: what broke the claim is shown, shrunk, judged and counted."""

import json
import re
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import pytest

from kassay.cli.main import run
from kassay.engines.causes import cause as causing
from kassay.engines.causes.as_python import as_python
from kassay.engines.causes.cause import cause_of
from kassay.engines.explain import explain
from kassay.engines.runs import counterexamples
from kassay.engines.runs import replay as replaying
from kassay.engines.runs import shrink as shrinking
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.replay import Instead, load_trace, read_trace, replay
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.kinds.judging import Examination
from kassay.model.errors import InputError, KassayError
from kassay.model.kinds import Verdict
from kassay.model.shape.codec import ANYTHING
from kassay.model.trace import Repeated
from kassay.properties.registry import Evidence, Violation
from tests.paths import DATA

VARYING = DATA / "varying"
TARGETS = {
    "a-random-tie-break": ("ties.py", "stable"),
    "a-lost-partition": ("consumers.py:Loses", "complete"),
    "servers": ("servers.py", "stable"),
    "share-groups": ("share_groups.py", "pure"),
    "placers": ("placers.py", "pure"),
    "partitioners": ("partitioners.py", "pure"),
    "tasks": ("tasks.py", "pure"),
    "connectors": ("connectors.py", "pure"),
    "a-program-that-shuffles": ("exec:python3 shuffles.py", "pure"),
    "processes": ("ties.py", "deterministic"),
}
SIZES = {
    "a-random-tie-break": (2, 1),
    "a-lost-partition": (1, 1),
    "servers": (2, 1),
    "share-groups": (2, 1),
    "placers": (2, 1),
    "partitioners": (0, 2),
    "tasks": (2, 1),
    "connectors": (2, 1),
    "a-program-that-shuffles": (2, 1),
    "processes": (2, 1),
}
"""Members and partitions of the smallest case there is."""


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """The folder of the targets, and less time than a user would wait for more plays."""
    monkeypatch.chdir(VARYING)
    monkeypatch.setattr(shrinking, "REPEATS_MAX", 60)
    monkeypatch.setattr(replaying, "REPEATS_MAX", 60)
    monkeypatch.setattr(causing, "REPEATS_MAX", 60)
    monkeypatch.setattr(counterexamples, "SHRINK_S", 1.5)


def violated(spec, claim, histories=40, assume=frozenset()):
    """The counterexample to the claim; whatever chance decides, so many histories violate it."""
    here = not spec.startswith("exec:")
    budget = Budget(histories=histories)
    options = RunOptions(claims=(claim,), budget=budget, in_process=here, controls=False, assume=assume)
    (result,) = certify(resolve(spec, in_process=here), options).claims
    assert result.verdict is Verdict.VIOLATED
    return result.counterexample


def saved(trace, folder):
    path = folder / "trace.json"
    path.write_text(json.dumps(trace.to_json()))
    return path


@pytest.mark.slow_cases("tasks", "servers", "a-program-that-shuffles", "connectors")
@pytest.mark.parametrize("name", TARGETS)
def test_the_recorded_answers_break_the_claim_and_are_those_that_are_shown(name, tmp_path):
    spec, claim = TARGETS[name]
    example = violated(spec, claim, 150 if name == "a-lost-partition" else 40)
    trace = example.trace
    assert "not when" not in example.message
    assert trace.broken and trace.answers
    assert (example.members, example.partitions) <= tuple(3 * size + 2 for size in SIZES[name])
    replayed = replay(load_trace(saved(trace, tmp_path)))
    assert (replayed.verdict, replayed.by_answers) == (Verdict.VIOLATED, True)
    elsewhere = replay(replace(load_trace(saved(trace, tmp_path)), missing="not here"))
    assert elsewhere.violations == trace.violations
    assert json.loads(json.dumps(elsewhere.narration)) == json.loads(json.dumps(trace.narration))
    assert elsewhere.broken == trace.broken


@pytest.fixture
def lost_once(tmp_path):
    """A target in a file of its own that breaks `complete` in its process's 90th call only, and its trace.

    The case is not wide, so that a new process does not come to its 90th call in a few plays.
    """
    source = tmp_path / "consumers.py"
    source.write_text((VARYING / "consumers.py").read_text())
    plain = frozenset({"plain-names", "small-sizes", "plain-numbers"})
    trace = violated(f"{source}:LosesOnce", "complete", assume=plain).trace
    return source, saved(replace(trace, conditions=replace(trace.conditions, in_process=False)), tmp_path)


def test_what_never_happens_again_is_shown_as_it_was(lost_once, capsys):
    _, path = lost_once
    trace = read_trace(path)
    assert re.match(r"complete: \S+-\d+ was assigned to no member, ", trace.violations[0])
    assert trace.repeated.broken == 0 and trace.repeated.plays > 10
    assert run(["replay", str(path)]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "still violates complete: by its recorded answers; played again, in 0 of" in told
    assert trace.violations[0] in told


def test_no_cause_is_named_where_none_is_known(lost_once):
    _, path = lost_once
    cause = cause_of(load_trace(path))
    assert (cause.breaks, cause.events, cause.conditions, cause.extents, cause.needless) == (
        False,
        *((),) * 4,
    )
    explanation = explain(str(path))
    assert "The target's answers vary between plays" in explanation.paragraph
    assert "so the cause was not determined" in explanation.paragraph
    assert list(explanation.broken) == list(read_trace(path).broken)


def test_a_fix_is_believed_only_after_plays_enough_for_the_recorded_frequency(lost_once):
    source, path = lost_once
    source.write_text(source.read_text().replace("== 90", "== -1"))
    replayed = replay(load_trace(path))
    assert replayed.verdict is Verdict.UNKNOWN
    assert "which chance may explain" in replayed.why
    trace = read_trace(path)
    for broken, verdict in ((1, Verdict.UNKNOWN), (30, Verdict.HOLDS)):
        path.write_text(json.dumps(replace(trace, repeated=Repeated(60, broken)).to_json()))
        assert replay(load_trace(path)).verdict is verdict


def test_without_the_target_its_recorded_answers_are_judged(lost_once, capsys):
    source, path = lost_once
    source.unlink()
    assert run(["replay", str(path), "--json", "-"]) == 4
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["by_answers"]) == ("violated", True)
    assert "consumers.py" in document["missing"]
    with pytest.raises(KassayError):
        load_trace(path, Instead(target=f"{source}:Loses"))


def test_answers_that_do_not_fit_the_case_are_refused(lost_once):
    _, path = lost_once
    trace = read_trace(path)
    path.write_text(json.dumps(replace(trace, answers=trace.answers * 2).to_json()))
    with pytest.raises(InputError, match="answers do not fit the case"):
        replay(load_trace(path))
    path.write_text(json.dumps(replace(trace, answers=({"answer": 1},)).to_json()))
    with pytest.raises(InputError, match=r"answers\[0\].answer: expected an object, got 1"):
        replay(load_trace(path))


def test_a_test_plays_the_case_as_often_as_it_takes(lost_once):
    _, path = lost_once
    trace = replace(read_trace(path), repeated=Repeated(60, 20))
    path.write_text(json.dumps(trace.to_json()))
    code = as_python(load_trace(path))
    assert "    for _ in range(9):\n        broken += violations(" in code
    assert "in 20 of 60 plays" in code
    compile(code, "test", "exec")


def test_a_frequency_is_counted_in_plays():
    assert str(Repeated(3000, 449)) == "in 449 of 3,000 plays"
    assert str(Repeated(1, 0)) == "in 0 of 1 play"


class Numbers:
    """Cases are numbers, which break the claim in every n-th play of one; candidates are the smaller ones."""

    def __init__(self, every):
        self.every, self.plays = every, Counter()

    def examine(self, case, subject):
        self.plays[case] += 1
        broken = case > 2 and self.plays[case] % self.every == 0
        return Examination(
            violations=[Violation("claim", Evidence(str(case), {}, f"{case} is."))] if broken else []
        )

    def shrink_candidates(self, case):
        return iter(range(case // 2, case))

    def restarts(self, case, subject):
        return iter(())

    def size(self, case):
        return (case,)

    form = ANYTHING


class Claim(NamedTuple):
    id: str = "claim"


@pytest.mark.parametrize(("every", "plays", "least"), [(1, 1, 3), (7, 20, 3), (50, 20, None)])
def test_a_candidate_counts_if_any_of_its_plays_breaks_the_claim(every, plays, least):
    shrunk = shrinking.shrink(Numbers(every), 40, None, Claim(), plays=plays)
    assert (None if shrunk is None else shrunk.case) == least


@pytest.mark.parametrize(
    ("count", "plays"), [(Repeated(10, 10), 1), (Repeated(100, 50), 6), (Repeated(3000, 6), 1000)]
)
def test_a_candidate_is_played_often_enough_to_see_it_break(count, plays):
    assert shrinking.plays_for(count) == plays
