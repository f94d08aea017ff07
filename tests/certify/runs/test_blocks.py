"""Blocks of cases: they add up whatever their cut."""

from kassay.certify.runs.blocks import Job, open_bench, play_block
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.verdicts import Tally
from kassay.certify.targets.resolve import resolve


def tally_of(spec, *blocks, **options):
    job = Job(resolve(spec), RunOptions(budget=Budget(histories=1), **options))
    total = Tally()
    with open_bench(job) as bench:
        for start, stop in blocks:
            total.add(play_block(bench, start, stop))
    return total


def test_blocks_add_up_whatever_their_cut():
    whole = tally_of("ceil-range", (0, 120), claims=("topic-even", "complete"))
    parts = tally_of("ceil-range", (80, 120), (0, 37), (37, 80), claims=("topic-even", "complete"))
    assert whole == parts
    assert whole.counts["topic-even"].failed > 0
    assert whole.counts["complete"].failed == 0
