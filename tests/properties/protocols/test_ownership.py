"""Who may own and commit what, on censuses of a few lines and on what an accepted commit broke."""

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.explore.values import Finding, Severity
from kassay.model.protocols.shared.census import Belief, Breach, Census, Registered
from kassay.properties.protocols import ownership as own


def client(number, *owned, live=True, current=True, settled=True, **more):
    return Belief(f"c{number}", f"m{number}", live, current, settled, owned, **more)


def entry(number, *owned, group_instance_id="", topics=("t",)):
    return Registered(f"m{number}", group_instance_id, topics, owned)


def census(*beliefs, record=(), wanted=(), resting=False, **more):
    return Census(beliefs, tuple(record), wanted, resting, **more)


def said(findings):
    return [(str(finding.severity), finding.message) for finding in findings]


def test_the_record_names_one_owner():
    assert said(own.single_owner_on_record(census(record=(entry(1, 0, 1), entry(2, 1))))) == [
        ("real", "m1 and m2 are both on record for 1")
    ]
    assert not said(own.single_owner_on_record(census(record=(entry(1, 0), entry(2, 1)))))


def test_two_current_owners_are_a_fault_and_a_zombie_beside_one_is_a_zombie():
    both = census(client(1, 0), client(2, 0))
    assert said(own.single_current_owner(both)) == [
        ("real", "c1 and c2 both own 0, and both are current members")
    ]
    assert said(own.single_live_owner(both))[0][0] == "zombie"
    late = census(client(1, 0, current=False), client(2, 0))
    assert not said(own.single_current_owner(late))
    assert said(own.single_live_owner(late)) == [("zombie", "c1 and c2 both own 0; c1 is a zombie")]
    assert not said(own.single_live_owner(census(client(1, 0, live=False), client(2, 0))))


@pytest.mark.parametrize(
    ("record", "beliefs", "message"),
    [
        ((entry(1, 0),), (client(1, 0),), "at rest nobody owns 1"),
        (
            (entry(1, 0, 1),),
            (client(1, 0),),
            "at rest the record has m1: 0,1, and the belief is c1: 0",
        ),
    ],
)
def test_at_rest_everything_has_an_owner(record, beliefs, message):
    assert said(own.complete_at_rest(census(*beliefs, record=record, wanted=(0, 1), resting=True))) == [
        ("real", message)
    ]
    assert not said(own.complete_at_rest(census(*beliefs, record=record, wanted=(0, 1))))
    excused = census(*beliefs, record=record, wanted=(0, 1), resting=True, excused=True)
    assert said(own.complete_at_rest(excused)) == [("by design", message)]


def test_at_rest_nobody_is_given_what_it_does_not_subscribe_to():
    given = entry(1, TopicPartition("t", 0), TopicPartition("u", 0))
    assert said(own.subscribed_at_rest(census(record=(given,), resting=True))) == [
        ("real", "m1 is given u-0, which it does not subscribe to")
    ]
    assert not said(own.subscribed_at_rest(census(record=(given,))))


def test_at_the_target_epoch_nobody_owns_the_target_of_another():
    ahead = census(client(1, 0, 1), client(2), target=(("m1", (0,)), ("m2", (1,))), caught_up=("m1",))
    assert said(own.target_epoch_exclusive(ahead)) == [
        ("real", "c1 at the target epoch still owns 1, the target of m2")
    ]
    assert not said(own.target_epoch_exclusive(ahead._replace(caught_up=())))


def test_an_instance_id_has_one_member():
    assert said(
        own.one_member_per_instance_id(
            census(record=(entry(1, group_instance_id="i"), entry(2, group_instance_id="i")))
        )
    ) == [("real", "m1 and m2 are both registered as i")]
    assert not said(own.one_member_per_instance_id(census(record=(entry(1), entry(2)))))


def test_a_partition_is_released_before_it_is_adopted():
    before = census(client(1, 0), client(2))
    assert said(own.released_before_adopted(before, census(client(1, 0), client(2, 0)))) == [
        ("real", "c2 adopts 0, which c1 still owns")
    ]
    slept = census(client(1, 0), client(2, 0, current=False))
    assert said(own.released_before_adopted(before, slept)) == [
        ("zombie", "c2 adopts 0, which c1 still owns")
    ]
    out = census(client(1), client(2, 0, joined=False))
    assert said(own.released_before_adopted(before, out)) == [
        ("real", "c2 adopts 0 though it knows that it is out of the group")
    ]
    assert not said(own.released_before_adopted(before, census(client(1), client(2, 0))))


TAKEN = census(client(1, 0, commits=True), client(2, 0, commits=True), adopted=((0, "c2"),))


def test_a_commit_is_fenced_once_another_has_adopted():
    assert said(own.commits_fenced(TAKEN)) == [
        ("real", "a commit of c1 for 0 would count, though c2 has taken over")
    ]
    assert not said(own.commits_fenced(TAKEN._replace(adopted=((0, "c1"),), beliefs=TAKEN.beliefs[:1])))


def test_offsets_never_go_back():
    assert said(own.offsets_never_go_back(TAKEN)) == [
        ("real", "c1 can set 0 back behind what c2, its owner, commits")
    ]
    ahead = census(client(1, ahead=True))
    assert said(own.offsets_never_go_back(ahead)) == [
        ("real", "c1 gave partitions up after processing more than it had committed")
    ]


def test_what_an_accepted_commit_broke_is_told_of_the_promise_that_it_broke():
    breach = Breach(own.FENCED, "too late")
    assert list(own.accepted_commits_fenced(breach)) == [Finding(Severity.REAL, "too late")]
    assert not list(own.accepted_offsets_never_go_back(breach))
    back = Breach(own.NEVER_BACK, "back", Severity.BY_DESIGN)
    assert list(own.accepted_offsets_never_go_back(back)) == [Finding(Severity.BY_DESIGN, "back")]
    assert not list(own.accepted_commits_fenced(None))


def test_no_commit_counts_while_an_assignment_is_awaited():
    assert said(own.no_commit_while_assigning(TAKEN._replace(awaiting=True))) == [
        ("real", "a commit was accepted while the group awaited its assignment")
    ]
    assert not said(own.no_commit_while_assigning(TAKEN))
