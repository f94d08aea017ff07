"""The generator reaches every situation, and each narrowing keeps what it excludes out."""

from collections import Counter

import pytest

from kassay.certify.runs.blocks import Job, open_bench, play_block
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.targets.resolve import resolve
from kassay.model.groups.player import Player
from kassay.model.kinds import Kind
from kassay.properties.groups.histories.assumptions import ASSUMPTIONS, within
from kassay.properties.groups.histories.generator import Profile
from kassay.properties.groups.histories.scenarios import history
from kassay.properties.registry import situations_of
from kassay.properties.sources import Seeded, derive_seed


def reached_by(spec, histories, **options):
    job = Job(resolve(spec), RunOptions(budget=Budget(histories=histories), **options))
    with open_bench(job) as bench:
        return play_block(bench, 0, histories).reached


@pytest.mark.parametrize(("spec", "kind"), [("roundrobin", Kind.CLIENT), ("server-range", Kind.SERVER)])
def test_every_situation_is_reached(spec, kind):
    reached = reached_by(spec, 2500)
    unreached = {s.id: [name for name in s.names if not reached.get(name)] for s in situations_of(kind)}
    assert {name: parts for name, parts in unreached.items() if parts} == {}


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_an_assumption_keeps_its_inputs_out(assumption):
    profile = Profile(assume=frozenset({assumption}))
    roundrobin = resolve("roundrobin").open()
    kept = Counter()
    for index in range(150):
        for rebalanced in Player(roundrobin.new).play(history(Seeded(derive_seed(1, index)), profile)):
            kept[all(within(step, profile.assume) for step in rebalanced.steps)] += 1
    assert kept[True] > 300
    assert kept[False] == 0


def test_an_unreached_situation_keeps_a_claim_unknown():
    from kassay.certify.runs.run import certify
    from kassay.model.verdict import Verdict

    options = RunOptions(
        budget=Budget(histories=60), assume=frozenset({"no-racks"}), claims=("single-owner",)
    )
    found = certify(resolve("roundrobin"), options).claims[0]
    if found.verdict is Verdict.UNKNOWN:
        assert "not reached" in found.why
    few = RunOptions(budget=Budget(histories=3), claims=("single-owner",), controls=False)
    assert certify(resolve("roundrobin"), few).claims[0].verdict is Verdict.UNKNOWN
