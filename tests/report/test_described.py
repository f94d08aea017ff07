"""Results described once: the verdict of each, and what it rests on."""

from __future__ import annotations

from random import Random

from kassay.engines.conform.run import ConformCause, ConformResult, ConformSettings
from kassay.engines.diff.run import diff
from kassay.engines.hunts.hunt import HuntOptions, hunt_claim
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.report.blocks import CommandBlock, RowsBlock, StoryBlock, TextBlock, VerdictBlock
from kassay.report.described import (
    diff_described,
    hunts_described,
    proofs_described,
)
from kassay.report.described_runs import conform_described, live_described
from kassay.solver.proofs.prove import proofs
from tests.cli.commands.test_live import result as live_result
from tests.engines.live.simulated import early, moves_between, simulated


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
    ((verdict, _, rows),) = proofs_described(list(proofs(["ceil-range-even", "abs"]))).sections
    assert isinstance(verdict, VerdictBlock) and isinstance(rows, RowsBlock)
    assert verdict.look == "ok"
    assert {row[0].partition("/")[0] for row in rows.rows} == {"ceil-range-even", "abs"}
    assert any(row[1] == "refuted" and row[3].endswith("; not for P = 4, C = 3, N = 2") for row in rows.rows)
    assert verdict.said == "2 refuted as expected, 3 proved, for all sizes"


def verdict_in(blocks) -> VerdictBlock:
    (verdict,) = (each for each in blocks if isinstance(each, VerdictBlock))
    return verdict


def commands_in(blocks) -> list[str]:
    return [each.command for each in blocks if isinstance(each, CommandBlock)]


def test_two_targets_that_differ_have_both_answers_and_a_replay() -> None:
    options = RunOptions(budget=Budget(histories=20))
    differing = diff(resolve("range"), resolve("roundrobin"), options)
    (blocks,) = diff_described(differing, "found.json").sections
    assert (verdict_in(blocks).word, verdict_in(blocks).look) == ("Different", "bad")
    assert commands_in(blocks) == ["kassay replay found.json"]
    assert any(isinstance(each, StoryBlock) for each in blocks)
    said = [each.text for each in blocks if isinstance(each, TextBlock)]
    answers = [each for each in said if "differs" in each]
    assert answers and all("range gives" in each and not each.startswith("different") for each in answers)
    (same,) = diff_described(diff(resolve("range"), resolve("range"), options), None).sections
    assert (verdict_in(same).look, commands_in(same)) == ("ok", [])


def test_a_comparison_says_whether_the_model_or_kafka_is_at_fault() -> None:
    cause = ConformCause("join: records", 1, 0, 1, ("0  join",), "what differs")

    def described(differences=(), broken=()):
        result = ConformResult(ConformSettings(), {"classic": 10}, 1, 2.0, differences, broken)
        (blocks,) = conform_described(result).sections
        return verdict_in(blocks), commands_in(blocks)

    clean, differs, breaks = described(), described((cause,)), described((), (cause,))
    assert (clean[0].word, clean[0].look, clean[1]) == ("Same", "ok", [])
    assert (differs[0].word, differs[0].look) == ("Different", "bad")
    assert (breaks[0].word, breaks[0].look) == ("Kafka breaks an invariant", "bad")
    assert differs[1] == breaks[1] == ["0  join"]
    assert differs[0].said.startswith("1 difference, 0 new") and breaks[0].said.startswith(
        "0 differences, 1 new"
    )


def test_a_live_finding_is_played_again_by_the_command_of_the_terminal() -> None:
    recording = next(r for r in (simulated(Random(seed)) for seed in range(99)) if moves_between(r))
    broken = live_result(early(recording, *moves_between(recording)[0]))
    (blocks,) = live_described(broken).sections
    assert verdict_in(blocks).look == "bad"
    assert commands_in(blocks) == ["kassay live 1.toml"] * len(broken.findings)
    (clean,) = live_described(live_result(simulated(Random(1)))).sections
    assert (verdict_in(clean).look, commands_in(clean)) == ("ok", [])
