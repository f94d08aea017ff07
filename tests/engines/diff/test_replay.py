"""A saved difference put to its two targets again."""

import json
from dataclasses import replace

import pytest

from kassay.engines.diff.replay import read_difference, replay_difference
from kassay.engines.diff.run import diff
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import InputError
from kassay.model.kinds import Verdict


@pytest.fixture
def difference():
    options = RunOptions(budget=Budget(histories=20))
    return diff(resolve("range"), resolve("roundrobin"), options).smallest.difference


def saved(difference, folder):
    path = folder / "difference.json"
    path.write_text(json.dumps(difference.to_json()))
    return path


def test_it_still_differs_in_the_same_words(difference, tmp_path):
    replayed = replay_difference(saved(difference, tmp_path))
    assert (replayed.verdict, replayed.exit_code, replayed.changes) == (Verdict.VIOLATED, 1, ())
    assert replayed.lines == difference.lines
    assert list(replayed.narration) == list(difference.narration)


def test_targets_that_agree_now_no_longer_differ_only_if_something_is_another(difference, tmp_path):
    mended = replace(difference, right=replace(difference.right, target="range"))
    assert replay_difference(saved(mended, tmp_path)).verdict is Verdict.UNKNOWN
    before = replace(mended.right, versions={"kassay": "0.0.1"})
    replayed = replay_difference(saved(replace(mended, right=before), tmp_path))
    assert (replayed.verdict, replayed.exit_code) == (Verdict.HOLDS, 0)
    assert replayed.changes == ("range: kassay 0.0.1",)


def test_a_target_of_another_kind_is_refused(difference, tmp_path):
    other = replace(difference, right=replace(difference.right, target="server-range"))
    with pytest.raises(InputError, match="recorded for kind client, server-range is of kind server"):
        replay_difference(saved(other, tmp_path))


def test_a_story_that_is_none_is_refused(difference, tmp_path):
    path = saved(replace(difference, narration=({"nonsense": 1},)), tmp_path)
    with pytest.raises(InputError, match=r"narration"):
        read_difference(path)


def test_another_python_leaves_it_unknown(difference, tmp_path):
    source = tmp_path / "mine.py"
    source.write_text(
        "class A:\n    def assign(self, topics, members):\n        return {m['id']: [] for m in members}\n"
    )
    side = replace(difference.right, target=f"{source}:A", versions={"python": "3.9.1"})
    both = replace(difference, left=side, right=side)
    replayed = replay_difference(saved(both, tmp_path))
    assert (replayed.verdict, replayed.exit_code) == (Verdict.UNKNOWN, 3)
    assert replayed.why.startswith("another Python runs ")
