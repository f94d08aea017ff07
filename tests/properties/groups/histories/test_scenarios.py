"""The generator reaches every situation."""

import pytest

from kassay.certify.runs.blocks import Job, open_bench, play_block
from kassay.certify.runs.options import Budget, RunOptions, promises_of
from kassay.certify.targets.resolve import resolve
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.properties.registry import situations_of


def reached_by(spec, histories, **options):
    target = resolve(spec)
    own = [promised.id for promised in promises_of(target.kind, target.claims, RunOptions())]
    claims = (*own, "leader-neutral") if target.kind is CLIENT else own
    job = Job(target, RunOptions(claims=tuple(claims), budget=Budget(histories=histories), **options))
    with open_bench(job) as bench:
        return play_block(bench, 0, histories).reached


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "kind"), [("roundrobin", CLIENT), ("server-range", SERVER)])
def test_every_situation_is_reached(spec, kind):
    reached = reached_by(spec, 2500)
    unreached = {s.id: [name for name in s.names if not reached.get(name)] for s in situations_of(kind)}
    assert {name: parts for name, parts in unreached.items() if parts} == {}
