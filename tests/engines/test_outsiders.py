"""Targets that outside authors wrote: the faulty ones are refused, the others are not."""

import re
from pathlib import Path

import pytest

from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.kinds import Verdict
from tests.paths import DATA

TARGETS = {
    path.stem: path
    for path in sorted((DATA / "outsiders").rglob("*.py"))
    if path.stem not in ("proof", "__init__")
}
"""By name."""
SAMPLE = (
    *(
        "a04_signature_underscore",
        "a05_generation_short",
        "a17_coop_unsubscribed_owner",
        "a20_own_hash_table",
    ),
    *("a30_server_eight_averages", "a32_server_deadline", "a36_share_none_assignable", "a41_share_glued_key"),
    *(
        "b04_memo_name_tail",
        "b06_rotates_available",
        "b14_one_owner_table",
        "b23_process_from_name",
        "b28_heap",
    ),
)
"""One for each dimension that was missing at first, and two correct ones; the others take too long for every change."""


def is_faulty(path: Path) -> bool:
    """Whether the file says that its target violates a claim; those that were given all do."""
    found = re.search(r"^# expect: (\w+)", path.read_text(), re.MULTILINE)
    return found is None or found[1] == "VIOLATED"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SAMPLE else [pytest.mark.deep])
        for name in TARGETS
    ],
)
def test_a_target_has_its_verdict(name):
    """With the histories in which every class of wide input comes up."""
    options = RunOptions(budget=Budget(histories=450), seed=3, shrink=False, controls=False)
    certificate = certify(resolve(str(TARGETS[name])), options)
    violated = [claim.id for claim in certificate.claims if claim.verdict is Verdict.VIOLATED]
    assert bool(violated) is is_faulty(TARGETS[name]), violated


def test_what_is_expected_is_said_in_every_file():
    faulty = [name for name, path in TARGETS.items() if is_faulty(path)]
    assert (len(TARGETS), len(faulty)) == (98, 77)
    assert set(SAMPLE) <= TARGETS.keys()
