"""Strategies of Hypothesis: what they generate, how small it gets, and a state machine for a user's class."""

import subprocess
import sys
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import kassay
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import every_kind, kind_named
from kassay.strategies import AssignorMachine, groups, histories, instances, placements
from kassay.testing import violations
from tests.paths import ROOT
from tests.test_testing import EverythingToTheFirst

FEW = settings(
    max_examples=25, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
KINDS = [kind.name for kind in every_kind() if kind.certified]


class GivesAway:
    """Leaves out the last partition of the last topic, once three members read it."""

    def assign(self, partitions_per_topic, members):
        given = {m["id"]: [] for m in members}
        for topic, count in partitions_per_topic.items():
            readers = sorted(m["id"] for m in members if topic in m["topics"])
            if readers:
                given[readers[0]] += [(topic, p) for p in range(count - (len(readers) > 2))]
        return given


@FEW
@given(groups(extras=["replica_racks"]))
def test_a_group_is_what_an_assignor_gets(group):
    assert group.keys() == {"partitions_per_topic", "members", "replica_racks"}
    fields = {"id", "topics", "owned", "generation", "rack", "instance_id"}
    assert all(member.keys() == fields for member in group["members"])
    assert group["members"]


@pytest.mark.slow  # 4 s
def test_a_group_can_have_a_past_and_shrinks():
    least = find(groups(), lambda _: True, settings=FEW)
    assert (len(least["members"]), sum(least["partitions_per_topic"].values())) == (1, 1)
    owning = find(
        groups(),
        lambda group: any(m["owned"] for m in group["members"]),
        settings=settings(FEW, max_examples=500),
        random=Random(7),
    )
    assert len(owning["members"]) <= 2

    def left_out(group):
        answer = GivesAway().assign(**group)
        read = {t for m in group["members"] for t in m["topics"]} & group["partitions_per_topic"].keys()
        return sum(map(len, answer.values())) < sum(group["partitions_per_topic"][t] for t in read)

    broken = find(groups(), left_out, settings=settings(FEW, max_examples=500), random=Random(7))
    assert len(broken["members"]) == 3


@pytest.mark.parametrize("rule", ["server-range", "share-simple", "cooperative-sticky"])
def test_members_follow_any_rule_for_groups(rule):
    assert find(groups(rule), lambda group: bool(group["members"]), settings=FEW)


@pytest.mark.parametrize("kind", KINDS)
def test_a_history_of_any_kind_is_a_case(kind):
    form = driver_for(kind_named(kind)).form

    @FEW
    @given(histories(kind))
    def reads(case):
        assert form.write(form.read(case, "case")) == case

    reads()


@pytest.mark.slow  # 3 s
def test_a_history_can_be_judged_and_reach_a_situation():
    """Each of them is about two members that own the same partition."""
    answers = []

    @settings(FEW, max_examples=5)
    @given(histories(aim="owned-twice"))
    def judged(case):
        answers.append(violations(f"{ROOT}/tests/test_testing.py:EverythingToTheFirst", "single-owner", case))
        owned = [tp for e in case["changes"][0] for tp in map(tuple, e.get("member", {}).get("owned", []))]
        assert len(owned) > len(set(owned)) or len(case["changes"]) > 1

    judged()
    assert answers
    assert not any(answers)


@FEW
@given(placements(assume=["no-racks"]))
def test_a_placement_is_what_a_placer_gets(request):
    assert request.keys() - {"existing"} == {"num_partitions", "replication_factor", "brokers"}
    assert {broker["rack"] for broker in request["brokers"]} == {None}


@pytest.mark.parametrize("family", "ABCD")
def test_an_instance_has_an_optimum(family):
    @FEW
    @given(instances(family))
    def solved(instance):
        assert instance["family"] == family
        solution = kassay.optimum(instance)
        assert solution.status in ("optimal", "interval", "infeasible")

    solved()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: groups("rang"), "rule: found 'rang', expected a reference of the family groups"),
        (lambda: groups("streams-sticky"), "expected a reference of the family groups"),
        (
            lambda: groups(extras=["racks"]),
            "extras: found 'racks', expected replica_racks, partition_weights",
        ),
        (lambda: groups(assume=["no-rack"]), "did you mean no-racks"),
        (lambda: histories("client-assignor"), "kind: found 'client-assignor', expected assignor, "),
        (lambda: histories(profile="big"), "profile: found 'big', expected small, large or mixed"),
        (lambda: histories(aim="nowhere"), "aim: found 'nowhere', expected "),
        (lambda: instances("E"), "family: found 'E', expected A, B, C or D"),
    ],
)
def test_a_wrong_name_is_said_at_once(make, said):
    with pytest.raises(InputError) as refused:
        make()
    assert said in str(refused.value)


class FirstMachine(AssignorMachine):
    assignor = EverythingToTheFirst


class GivesAwayMachine(AssignorMachine):
    assignor = GivesAway


@pytest.mark.slow  # 5 s
def test_a_machine_drives_a_class_and_finds_its_fault():
    FirstMachine.TestCase.settings = settings(
        max_examples=10, stateful_step_count=8, deadline=None, database=None
    )
    FirstMachine.TestCase("runTest").runTest()
    GivesAwayMachine.TestCase.settings = settings(
        FirstMachine.TestCase.settings, max_examples=300, phases=[Phase.generate]
    )
    with pytest.raises(AssertionError, match="complete: "):
        GivesAwayMachine.TestCase("runTest").runTest()


def test_a_machine_passes_what_the_class_has_a_parameter_for():
    class Weighted(EverythingToTheFirst):
        def assign(self, partitions_per_topic, members, partition_weights=None):
            return super().assign(partitions_per_topic, members)

    machine = type("M", (AssignorMachine,), {"assignor": Weighted})
    assert machine.new({})._extras == {"partition_weights"}


def test_other_imports_stay_light():
    code = "import kassay, kassay.testing, sys; print('hypothesis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
    assert isinstance(groups(), st.SearchStrategy)
