"""Hunts find, unaided, what is known of Kafka's rules; a scope that ended says so, and what is least is least.

Cells: every case once, of that size, and all that are smaller before the scope's end.
"""

import time
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from kassay.assignors.placement.rack_aware import RackAware
from kassay.engines.hunts.hunt import LADDER, HuntOptions, HuntOutcome, cases, hunt_claim, ladder
from kassay.engines.hunts.proofs import ANY_ANSWER, NO_INPUT
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.groups.scopes import scope_cases
from kassay.kinds.placement.scopes import rack_sizes
from kassay.kinds.protocol import ScopeCell
from kassay.kinds.registry import driver_for
from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.model.groups.documents import HISTORY
from kassay.model.groups.kinds import CLIENT, GROUPS
from kassay.model.java import Recorded
from kassay.model.kinds import every_kind
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRequest
from kassay.properties.groups.histories.generator import GroupProfile


def hunted(spec, text, scope=(3, 4), histories=0, **run):
    target = resolve(spec, in_process=True, protocol=run.get("protocol"))
    return hunt_claim(target, text, HuntOptions(None, histories, scope), RunOptions(**run))


@pytest.mark.slow_cases("cooperative-sticky-gap == 0-3-3")
@pytest.mark.parametrize(
    ("spec", "text", "members", "partitions"),
    [
        ("range", "max(load) - min(load) <= 1 where equal_subscriptions", 2, 2),
        ("roundrobin", "max(load) - min(load) <= 1 or gap == 0", 2, 2),
        ("sticky", "gap == 0", 2, 2),
        ("cooperative-sticky", "gap == 0", 3, 3),
        ("placement:rack-aware", "gap == 0 where all_racks", 3, 2),
    ],
)
def test_least_counterexamples_that_are_known(spec, text, members, partitions):
    hunt = hunted(spec, text)
    assert (hunt.outcome, hunt.least, hunt.exit_code) == (HuntOutcome.BROKEN, True, 1)
    assert (hunt.example.members, hunt.example.partitions) == (members, partitions)
    assert hunt.example.trace.claim == text


ALL_READ = frozenset({"no-empty-subscriptions"})
"""A member without a subscription is assigned partitions by the sticky rules."""


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["sticky", "cooperative-sticky"])
def test_the_sticky_rules_get_stuck_among_three_members(spec):
    hunt = hunted(spec, "gap == 0", assume=ALL_READ)
    assert (hunt.least, hunt.example.members, hunt.example.partitions) == (True, 3, 3)


def test_sticky_assigns_to_a_member_without_a_subscription():
    hunt = hunted("sticky", "gap == 0", scope=(2, 3))
    (joins,) = HISTORY.read(hunt.example.trace.case, "case").changes
    assert [join.member.topics for join in joins] == [(), ("t0",)]
    assert hunt.scope.within == (2, 2)


def test_blocks_rounded_up_leave_the_last_member_behind():
    hunt = hunted(
        "ceil-range",
        "max(load) - min(load) <= 1 where topics == 1",
        assume=frozenset({"equal-subscriptions"}),
    )
    assert (hunt.least, hunt.example.members, hunt.example.partitions) == (True, 3, 4)


def test_ranges_are_further_apart_with_every_topic():
    for topics in (1, 2):
        hunt = hunted("range", f"max(load) - min(load) <= {topics} where equal_subscriptions")
        assert (hunt.example.members, hunt.example.partitions) == (2, topics + 1)


@pytest.mark.slow
def test_the_sticky_rules_are_stuck_at_0_1_2():
    case = hunted("sticky", "gap == 0", assume=ALL_READ).example.trace.case
    assert sorted(topic["partitions"] for topic in case["cluster"]["topics"]) == [1, 2]


@pytest.mark.slow
def test_what_is_least_breaks_in_no_smaller_case():
    """Every case of the smaller cells is put to the same target once more, one by one."""
    hunt = hunted("sticky", "gap == 0", assume=ALL_READ)
    driver = driver_for(hunt.target.kind)
    judged = hunted("sticky", "gap == 0", scope=(3, 2), assume=ALL_READ)
    smaller = [(m, p) for m in (1, 2, 3) for p in (1, 2)]
    every = [
        case
        for m, p in smaller
        for past in (False, True)
        for case in cases(hunt.target.kind, ScopeCell(m, p, past), idle=False)
    ]
    assert judged.outcome is HuntOutcome.HOLDS
    assert judged.scope.tried == len(every)
    assert judged.scope.finished == judged.scope.finished_fresh == (3, 2)
    assert max(driver.counts(case)["partitions"] for case in every) == 2


def racks_in(hunt):
    """The brokers in each rack of the counterexample."""
    return list(Counter(broker["rack"] for broker in hunt.example.trace.case["request"]["brokers"]).values())


TWICE_ITS_SHARE = "max(replicas) <= 2 * ceil(rf * partitions / brokers)"


@pytest.mark.slow
def test_a_broker_alone_in_its_rack_has_more_than_twice_its_share():
    hunt = hunted("placement:rack-aware", TWICE_ITS_SHARE, scope=(5, 6))
    assert (hunt.least, racks_in(hunt)) == (True, [4, 1])
    assert (hunt.example.members, hunt.example.partitions) == (5, 5)


@pytest.mark.slow
def test_with_three_replicas_racks_of_3_3_and_1_are_the_least():
    """Three racks are needed for three replicas: the lone broker has one of each partition.

    That no smaller request does it is counted once more, without the hunt.
    """
    hunt = hunted("placement:rack-aware", f"{TWICE_ITS_SHARE} where rf >= 3", scope=(7, 8))
    assert (hunt.least, racks_in(hunt)) == (True, [3, 3, 1])
    assert (hunt.example.members, hunt.example.partitions) == (7, 7)
    smaller = [*product(range(3, 7), range(1, 9)), *((7, partitions) for partitions in range(1, 7))]
    assert not any(exceeding(*size) for size in smaller)
    assert [3, 3, 1] in exceeding(7, 7)


def exceeding(brokers, partitions):
    """The sizes of racks with which a broker gets more than twice its share of three replicas or more."""
    seen = []
    for sizes in rack_sizes(brokers):
        names = [f"r{rack}" for rack, size in enumerate(sizes) for _ in range(size)]
        known = tuple(map(Broker, range(brokers), names))
        for factor, start in product(range(3, brokers + 1), range(brokers)):
            asked = PlacementRequest(partitions, factor, known, fixed_start_index=start)
            held = Counter(broker for row in RackAware().place(asked, Recorded(())) for broker in row)
            if max(held.values()) > 2 * -(-factor * partitions // brokers):
                seen.append(list(sizes))
    return seen


def test_histories_go_where_scopes_do_not():
    hunt = hunted("sticky", "all m: load(m) <= 3", scope=(2, 2), histories=200)
    assert (hunt.outcome, hunt.least) == (HuntOutcome.BROKEN, False)
    assert hunt.scope.finished == (2, 2)
    assert hunt.example.partitions >= 4


def test_nothing_is_refuted_where_nothing_could_be():
    hunt = hunted("range", "partitions >= 0", scope=(2, 2), histories=20)
    assert (hunt.outcome, hunt.exit_code, hunt.checked) == (HuntOutcome.UNKNOWN, 3, 0)


@pytest.mark.parametrize(
    ("spec", "text", "reason"),
    [
        ("range", "max(load) < 0 where partitions < 0 and equal_subscriptions and no_racks", NO_INPUT),
        ("range", "max(load) <= partitions where equal_subscriptions and no_racks", ANY_ANSWER),
        ("sticky", "max(load) < 0 where partitions < 0", "the conditions of the claim held in none"),
        ("sticky", "max(load) <= partitions", "no answer to any could break the claim"),
        (
            "placement:striped",
            "rf < 0 where rf > brokers and no_fenced",
            "the conditions of the claim held in none",
        ),
    ],
)
def test_a_vacuous_claim_is_unknown_with_its_reason(spec, text, reason):
    hunt = hunted(spec, text, scope=(2, 2), histories=20)
    assert (hunt.outcome, hunt.exit_code) == (HuntOutcome.UNKNOWN, 3)
    assert hunt.vacuous.endswith(reason)


def test_a_proof_under_conditions_on_the_answer_counts_once_an_answer_has_met_them():
    text = (
        "max(leaders) - min(leaders) <= 1 where no_racks and no_existing and no_fenced and max(replicas) <= "
    )
    met = hunted("placement:rack-unaware", f"{text}3", scope=(1, 1), histories=200)
    assert (met.outcome, met.proof.unwitnessed) == (HuntOutcome.PROVED, True)
    assert met.scope.applied + met.applied == 1 and met.histories < 200
    unmet = hunted("placement:rack-unaware", f"{text}0 and partitions == 1", scope=(1, 1), histories=20)
    assert unmet.outcome is HuntOutcome.UNKNOWN
    assert unmet.vacuous is not None


def test_a_built_in_claim_is_hunted_too():
    hunt = hunted("range", "balanced-within-one")
    assert (hunt.outcome, hunt.least) == (HuntOutcome.BROKEN, True)


@pytest.mark.slow
def test_assumptions_narrow_the_scope():
    hunt = hunted("roundrobin", "max(load) - min(load) <= 1", assume=frozenset({"equal-subscriptions"}))
    assert hunt.outcome is HuntOutcome.HOLDS


def test_what_is_about_time_is_refused():
    with pytest.raises(InputError, match="is about time"):
        hunted("range", "scales")


def test_what_is_proved_is_proved_for_all_sizes():
    hunt = hunted("range", "max(load) - min(load) <= topics where equal_subscriptions and no_racks")
    assert (hunt.outcome, hunt.exit_code, hunt.scope.tried, hunt.histories) == (HuntOutcome.PROVED, 0, 0, 0)


def test_a_counterexample_beyond_every_scope_is_had_from_the_target_at_the_size_that_z3_names():
    hunt = hunted("range", "max(load) - min(load) <= 6 where equal_subscriptions and no_racks", scope=(1, 1))
    assert (hunt.outcome, hunt.least, hunt.scope.by_proof) == (HuntOutcome.BROKEN, True, True)
    assert (hunt.example.members, hunt.example.partitions) == (2, 7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "text", "scope"),
    [
        ("range", "max(load) - min(load) <= 12 where equal_subscriptions and no_racks", None),
        ("sticky", "gap >= 0", (2, 20)),
        ("placement:rack-aware", "max(replicas) >= 0", (20, 20)),
    ],
)
def test_a_hunt_ends_in_time_however_many_cases_a_scope_has(spec, text, scope):
    """Thirteen topics have 13! orders, and between two groups of 2 x 20 lie millions that are none."""
    started = time.monotonic()
    target = resolve(spec, in_process=True)
    hunt_claim(target, text, HuntOptions(2.0, None, scope, proofs=spec == "range"), RunOptions())
    assert time.monotonic() - started < 20, "a busy machine may need some seconds more, 13! cases take hours"


WITH_CELLS = [kind for kind in every_kind() if driver_for(kind).pasts is not None]


@pytest.mark.parametrize("kind", WITH_CELLS, ids=str)
@pytest.mark.parametrize("pasts", [False, True])
def test_a_cell_has_cases_of_its_size_each_once(kind, pasts):
    driver = driver_for(kind)
    seen = list(cases(kind, ScopeCell(2, 3, pasts)))
    written = [repr(driver.form.write(case)) for case in seen]
    assert len(set(written)) == len(written) > 3
    counts = [driver.counts(case) for case in seen]
    assert {(count["members"], count["partitions"]) for count in counts} == {(2, 3)}


@pytest.mark.parametrize("kind", GROUPS, ids=str)
def test_the_groups_of_cells_are_those_of_the_scope_whose_input_does_not_contradict_itself(kind):
    of_cells = [repr(case) for p in (False, True) for case in cases(kind, ScopeCell(2, 3, p))]
    profile = GroupProfile(kind=kind, assume=frozenset({"no-conflicting-claims"}))
    of_scope = [repr(case) for case in scope_cases(profile, 2, 3) if case.size[1:3] == (2, 3)]
    assert sorted(of_cells) == sorted(of_scope)


def test_equal_subscriptions_and_no_racks_narrow_a_cell():
    equal = list(cases(CLIENT, ScopeCell(2, 3, False), equal=True))
    assert all(len({j.member.topics for j in case.joins}) == 1 for case in equal)
    assert Counter(len(case.cluster.topics) for case in equal) == {1: 2, 2: 2 * 4, 3: 8}
    assert all(case.joins[0].member.topics == (*case.cluster.counts,) for case in equal[:4])
    bare = list(cases(PLACER, ScopeCell(2, 3, False), racks=False))
    assert {broker.rack for case in bare for broker in case.request.brokers} == {None}


def renamed(case):
    """The request with the brokers renamed so that those of a rack are neighbours, in the same order."""
    racks = [broker.rack for broker in case.request.brokers]
    order = sorted(range(len(racks)), key=lambda place: (racks[place] or "", place))
    brokers = tuple(Broker(new, racks[old]) for new, old in enumerate(order))
    return case._replace(request=replace(case.request, brokers=brokers))


@pytest.mark.parametrize("brokers", range(1, 6))
def test_of_requests_that_other_ids_make_alike_a_cell_has_one(brokers):
    cell = ScopeCell(brokers, 1, False)
    one = list(cases(PLACER, cell, alike_by_rack=True))
    assert len(set(one)) == len(one) == (2 ** (brokers - 1) + 1) * brokers**2
    assert {*one} == {renamed(case) for case in cases(PLACER, cell)}


@pytest.mark.parametrize("kind", WITH_CELLS, ids=str)
def test_a_ladder_has_each_cell_once_and_a_scope_all_that_are_not_larger(kind):
    done = set()
    for (members, partitions), cells in ladder(driver_for(kind), (4, 4)):
        assert not done & set(cells)
        done |= set(cells)
        assert {cell.size for cell in done} == {
            (m, p) for m in range(1, members + 1) for p in range(1, partitions + 1)
        }
    assert [rung for rung, _ in ladder(driver_for(kind), (2, 7))] == [(1, 1), (2, 2), (2, 3), (2, 7)]
    assert [rung for rung, _ in ladder(driver_for(kind), None)] == list(LADDER)
