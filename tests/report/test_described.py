"""Results described once: the verdict of each, and what it rests on."""

from __future__ import annotations

from kassay.certify.hunts.hunt import HuntOptions, hunt_claim
from kassay.certify.runs.options import RunOptions
from kassay.certify.targets.resolve import resolve
from kassay.report.blocks import RowsBlock, StoryBlock, VerdictBlock
from kassay.report.described import hunts_described, proofs_described
from kassay.solver.proofs.prove import proofs


def test_a_hunt_has_its_verdict_and_its_counterexample() -> None:
    how = HuntOptions(None, 0, (2, 2))
    hunts = [
        hunt_claim(resolve("range"), text, how, RunOptions()) for text in ("max(load) <= 1", "members >= 0")
    ]
    broken, other = hunts_described(hunts).sections
    (verdict,) = (each for each in broken if isinstance(each, VerdictBlock))
    assert (verdict.word, verdict.look, verdict.subject) == ("Broken", "bad", "range")
    assert any(isinstance(each, StoryBlock) for each in broken)
    assert not any(isinstance(each, StoryBlock) for each in other)


def test_a_proof_is_a_row_and_a_refutation_has_its_counterexample() -> None:
    ((verdict, rows),) = proofs_described(list(proofs(["ceil-range-even", "abs"]))).sections
    assert isinstance(verdict, VerdictBlock) and isinstance(rows, RowsBlock)
    assert verdict.look == "ok"
    assert {row[0].partition("/")[0] for row in rows.rows} == {"ceil-range-even", "abs"}
    assert any(row[1] == "refuted" and row[4] != "-" for row in rows.rows)
