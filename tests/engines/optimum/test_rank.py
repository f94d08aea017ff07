"""The leaderboard: all judged alike, and in which order they stand."""

from dataclasses import replace

import pytest

from kassay.engines.optimum import rank as ranking
from kassay.engines.optimum.gaps import TargetGaps
from kassay.engines.optimum.rank import Ranked, default_targets, installed, rank, require_one_sort
from kassay.engines.runs.options import Budget
from kassay.engines.targets.resolve import Offer, Way, resolve
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.streams.kinds import STREAMS
from kassay.properties.registry import validity_claims
from kassay.reading.documents import Located
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.instances.brokers_and_tasks import member_tasks
from kassay.solver.instances.groups import consumer
from tests.engines.runs.written import certificate, result

TASKS = [Located(member_tasks(shape, 1, processes=3, tasks=9), shape) for shape in ("join", "leave")]
INSTANCES = [Located(consumer("join", seed, members=4, partitions=11), str(seed)) for seed in (1, 2)]
SPECS = ("roundrobin", "range", "optimal-sticky", "server-range")


@pytest.fixture(scope="module")
def ranked():
    done = []
    _, found = rank(
        [resolve(spec) for spec in SPECS],
        INSTANCES,
        "two",
        order=MOVEMENT_FIRST,
        budget=Budget(histories=40),
        report=done.append,
    )
    assert done == [1, 2, 3, 4]
    return found


@pytest.mark.slow
def test_all_are_judged_on_the_same_claims_whatever_they_declare(ranked):
    for each in ranked:
        kind = each.certificate.kind
        names = [*(statement.id for statement in validity_claims(kind)), *driver_for(CLIENT).ranked_by]
        assert [claim.id.partition(":")[0] for claim in each.certificate.claims] == names
        claims = each.to_json()["claims"]
        assert sorted(name for verdict in Verdict for name in claims[verdict.value]) == sorted(
            claim.id for claim in each.certificate.claims
        )


def test_they_stand_by_faults_then_balance_then_moves(ranked):
    keys = [each.key for each in ranked]
    assert keys == sorted(keys)
    assert ranked[0].spec == "optimal-sticky"
    assert (ranked[0].balance, ranked[0].moves, ranked[0].mismatches) == (0, 0, 0)
    for each in ranked:
        own = each.gaps
        assert each.key[:2] == (len(own.failed), sum(far.balance for far in own.gaps))
        assert each.moves == sum(far.moved - far.best.moved for far in own.gaps)


def test_partitions_that_are_left_out_count_as_instances_that_fail(ranked):
    (best, *_) = ranked
    silent = TargetGaps(best.gaps.target, best.gaps.gaps, [], best.gaps.rounds)
    assert Ranked(silent, best.certificate).key[0] == 0
    failed = TargetGaps(best.gaps.target, best.gaps.gaps, [("x", "no")] * 2, 0)
    assert Ranked(failed, best.certificate).key > ranked[-1].key


@pytest.mark.parametrize(
    ("verdicts", "instances", "failed", "code"),
    [
        ((Verdict.HOLDS,), 2, [], 0),
        ((Verdict.HOLDS, Verdict.UNKNOWN), 2, [], 3),
        ((Verdict.UNKNOWN, Verdict.VIOLATED), 2, [], 1),
        ((Verdict.HOLDS,), 0, [], 3),
        ((Verdict.UNKNOWN,), 2, [("x", "no")], 1),
    ],
)
def test_a_target_ends_as_its_certificate_does_unless_an_instance_failed_or_there_was_none(
    ranked, verdicts, instances, failed, code
):
    gaps = TargetGaps(ranked[0].gaps.target, ranked[0].gaps.gaps[:instances], failed, 0)
    claims = (result(f"claim-{number}", verdict) for number, verdict in enumerate(verdicts))
    assert Ranked(gaps, certificate(*claims)).exit_code == code


def test_every_reference_of_consumer_groups_is_ranked_by_default():
    kinds = {spec: resolve(spec).kind for spec in default_targets()}
    assert set(kinds.values()) == {CLIENT, SERVER}
    assert {"range", "optimal-cooperative", "uniform@4.0.1"} <= kinds.keys()


def test_an_interrupt_ends_the_leaderboard(monkeypatch):
    """What was judged on less than the others has no place among them."""
    judged = []

    def interrupted(target, options):
        judged.append(target.spec)
        return replace(certificate(), interrupted=True)

    monkeypatch.setattr(ranking, "certify", interrupted)
    targets = [resolve(spec) for spec in SPECS]
    with pytest.raises(KeyboardInterrupt):
        rank(targets, INSTANCES, "two", order=MOVEMENT_FIRST, budget=Budget(histories=40))
    assert judged == [SPECS[0]]


def test_what_is_installed_is_what_lacks_nothing(monkeypatch):
    def offer(spec, kind, missing):
        return Offer(spec, kind, RebalanceProtocol.EAGER, (), "", "", lambda: missing)

    offers = [
        offer("acme:here", CLIENT, ""),
        offer("acme:away", CLIENT, "pip install acme"),
        offer("acme:server", SERVER, ""),
    ]
    way = Way(1, list, lambda _: None, list, lambda: offers)
    monkeypatch.setattr("kassay.engines.optimum.rank.ways", lambda: (way,))
    here, missing = installed()
    assert [spec for spec in here if ":" in spec] == ["acme:here"]
    assert {"range", "sticky", "optimal-cooperative"} <= set(here)
    assert "uniform" not in here
    assert missing == {"acme:away": "pip install acme"}


@pytest.mark.slow
def test_task_assignors_are_judged_on_claims_of_theirs_and_the_optimum_stands_first():
    specs = ("streams-sticky", "optimal-streams")
    targets = [resolve(spec, in_process=True) for spec in specs]
    require_one_sort(targets)
    _, (best, other) = rank(targets, TASKS, "two", order=MOVEMENT_FIRST, budget=Budget(histories=12))
    assert (best.spec, best.balance, best.moves) == ("optimal-streams", 0, 0)
    judged = {claim.id for claim in best.certificate.claims}
    assert {claim.id for claim in other.certificate.claims} == judged
    assert set(driver_for(STREAMS).ranked_by) < judged
    assert not best.claims(Verdict.VIOLATED)


def test_groups_and_tasks_are_not_ranked_together():
    with pytest.raises(InputError, match="consumer groups, or of Streams tasks, and not of both"):
        require_one_sort([resolve("range"), resolve("streams-sticky")])
    require_one_sort([])
