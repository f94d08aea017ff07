"""Who may own and commit what, on censuses of a few lines: what breaks each promise alone, and what nearly does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.explore.values import Severity
from kassay.model.protocols.census import Belief, Breach, Census, Registered
from kassay.properties.protocols import ownership as own
from kassay.properties.protocols.registry import ACCEPTED, ADOPTION, CENSUS, COMMITTERS, load_invariants
from tests.properties.protocols.asking import answers, broken

T0, U0 = TopicPartition("t", 0), TopicPartition("u", 0)


def client(number, *owned, live=True, current=True, settled=True, **more):
    return Belief(f"c{number}", f"m{number}", live, current, settled, owned, **more)


def entry(number, *owned, group_instance_id="", topics=("t",)):
    return Registered(f"m{number}", group_instance_id, topics, owned)


def census(*beliefs, record=(), wanted=(), resting=False, **more):
    return Census(beliefs, tuple(record), wanted, resting, **more)


def rest(*beliefs, record=(), wanted=(), **more):
    return census(*beliefs, record=record, wanted=wanted, resting=True, **more)


def zombie(message):
    return [("zombie", message)]


def ahead(*beliefs, caught_up=("m1",), target=(("m1", (0,)), ("m2", (1,)))):
    return census(*beliefs, target=target, caught_up=caught_up)


def taken(*beliefs, **more):
    """Partition 0, which c2 was the last to adopt."""
    return census(*beliefs, adopted=((0, "c2"),), **more)


COMMITS = {"commits": True}
INCOMPLETE = rest(client(1, 0), record=(entry(1, 0),), wanted=(0, 1))
SPLIT = rest(client(1, 0), record=(entry(1, 0, 1),), wanted=(0, 1))

CASES = [
    (
        "single-owner-on-record",
        census(record=(entry(1, 0, 1), entry(2, 1))),
        broken("m1 and m2 are both recorded as owners of 1"),
    ),
    (
        "single-owner-on-record",
        census(record=(entry(1, 0), entry(2), entry(3, 0))),
        broken("m1 and m3 are both recorded as owners of 0"),
    ),
    ("single-owner-on-record", census(record=(entry(1, 0), entry(2, 1))), []),
    ("single-owner-on-record", census(client(1, 0), client(2, 0), record=(entry(1, 0),)), None),
    (
        "single-current-owner",
        census(client(1, 0), client(2, 0)),
        broken("c1 and c2 both own 0, and both are current members"),
    ),
    (
        "single-current-owner",
        census(client(1, 0), client(2), client(3, 0)),
        broken("c1 and c3 both own 0, and both are current members"),
    ),
    ("single-current-owner", census(client(1, 0), client(2, 1)), []),
    ("single-current-owner", census(client(1, 0, current=False), client(2, 0)), []),
    ("single-current-owner", census(client(1, 0, live=False), client(2, 0)), None),
    (
        "single-live-owner",
        census(client(1, 0), client(2, 0)),
        zombie("c1 and c2 both own 0; both are current members, see single-current-owner"),
    ),
    (
        "single-live-owner",
        census(client(1, 0, current=False), client(2, 0)),
        zombie("c1 and c2 both own 0; c1 is a zombie"),
    ),
    (
        "single-live-owner",
        census(client(1, 0, current=False), client(2, 0, current=False)),
        zombie("c1 and c2 both own 0; both are zombies"),
    ),
    (
        "single-live-owner",
        census(client(1), client(2, 0), client(3, 0, current=False)),
        zombie("c2 and c3 both own 0; c3 is a zombie"),
    ),
    ("single-live-owner", census(client(1, 0), client(2, 1)), []),
    ("single-live-owner", census(client(1, 0, live=False), client(2, 0), client(3)), []),
    ("single-live-owner", census(client(1, 0, live=False), client(2, 0)), None),
    ("complete-at-rest", INCOMPLETE, broken("no member of the stable group owns 1")),
    ("complete-at-rest", SPLIT, broken("in the stable group the record is m1: 0,1, and the belief is c1: 0")),
    (
        "complete-at-rest",
        rest(client(1, 0), client(2, 0), record=(entry(1, 0), entry(2, 0)), wanted=(0,)),
        broken("in the stable group the record is m1: 0; m2: 0, and the belief is c1: 0; c2: 0"),
    ),
    (
        "complete-at-rest",
        rest(client(1, 0), record=(entry(1, 0),)),
        broken("in the stable group the record is m1: 0, and the belief is c1: 0"),
    ),
    ("complete-at-rest", rest(client(1, 0), client(2, live=False), record=(entry(1, 0),), wanted=(0,)), []),
    (
        "complete-at-rest",
        rest(client(1), record=(entry(1),), wanted=(0,)),
        broken("no member of the stable group owns 0"),
    ),
    (
        "complete-at-rest",
        rest(client(1, 0), record=(entry(1),)),
        broken("in the stable group the record is m1: none, and the belief is c1: 0"),
    ),
    (
        "complete-at-rest",
        rest(client(1, 0, live=False), record=(entry(1, 0),), wanted=(0,)),
        broken("in the stable group the record is m1: 0, and the belief is none"),
    ),
    (
        "complete-at-rest",
        INCOMPLETE._replace(excused=True),
        [("by design", "no member of the stable group owns 1")],
    ),
    (
        "complete-at-rest",
        SPLIT._replace(excused=True),
        [("by design", "in the stable group the record is m1: 0,1, and the belief is c1: 0")],
    ),
    (
        "complete-at-rest",
        rest(client(1, 0), client(2, 1), record=(entry(1, 0), entry(2, 1)), wanted=(0, 1)),
        [],
    ),
    ("complete-at-rest", INCOMPLETE._replace(resting=False), None),
    ("complete-at-rest", rest(client(1), record=(entry(1),)), None),
    (
        "subscribed-at-rest",
        rest(record=(entry(1, T0, U0),)),
        broken("m1 is assigned u-0, to which it does not subscribe"),
    ),
    (
        "subscribed-at-rest",
        rest(record=(entry(1), entry(2, U0))),
        broken("m2 is assigned u-0, to which it does not subscribe"),
    ),
    ("subscribed-at-rest", rest(record=(entry(1, T0), entry(2, U0, topics=("t", "u"))), wanted=(T0, U0)), []),
    ("subscribed-at-rest", census(record=(entry(1, T0, U0),)), None),
    ("subscribed-at-rest", rest(record=(entry(1, T0),), wanted=(T0,)), None),
    ("subscribed-at-rest", rest(record=(entry(1, 0),), wanted=(0, 1)), None),
    (
        "target-epoch-exclusive",
        ahead(client(1, 0, 1), client(2)),
        broken("c1 at the target epoch still owns 1, the target of m2"),
    ),
    (
        "target-epoch-exclusive",
        ahead(client(1, 0, 1, settled=False), client(2)),
        broken("c1 at the target epoch still owns 1, the target of m2"),
    ),
    ("target-epoch-exclusive", ahead(client(1, 0), client(2, 1)), []),
    ("target-epoch-exclusive", ahead(client(1, 0), client(2, 0), caught_up=("m1",)), []),
    ("target-epoch-exclusive", ahead(client(1, 0, 1, live=False)), None),
    ("target-epoch-exclusive", ahead(client(1, 0, 1, current=False)), None),
    ("target-epoch-exclusive", ahead(client(1, 0, 1), caught_up=()), None),
    ("target-epoch-exclusive", ahead(client(1, 0, 1), target=(("m1", (0,)), ("m2", ()))), None),
    (
        "one-member-per-instance-id",
        census(record=(entry(1, group_instance_id="i"), entry(2), entry(3, group_instance_id="i"))),
        broken("m1 and m3 are both registered as i"),
    ),
    (
        "one-member-per-instance-id",
        census(record=(entry(1, group_instance_id="i"), entry(2, group_instance_id="j"))),
        [],
    ),
    ("one-member-per-instance-id", census(record=(entry(1), entry(2), entry(3, group_instance_id="i"))), []),
    ("one-member-per-instance-id", census(record=(entry(1), entry(2))), None),
    (
        "commits-fenced",
        taken(client(1, 0, **COMMITS), client(2, 0)),
        broken("a commit of c1 for 0 would be accepted though c2 took over"),
    ),
    ("commits-fenced", taken(client(1, 0), client(2, 0, **COMMITS)), []),
    ("commits-fenced", census(client(1, 0, **COMMITS), client(2)), []),
    ("commits-fenced", taken(client(1, 0), client(2, 0)), None),
    ("commits-fenced", census(client(1, 0, **COMMITS), adopted=((0, "c1"),)), None),
    (
        "offsets-never-go-back",
        taken(client(1, 0, **COMMITS), client(2, 0, **COMMITS)),
        broken("c1 can set 0 back behind what c2, its owner, commits"),
    ),
    ("offsets-never-go-back", taken(client(1, 0, **COMMITS), client(2, 0)), []),
    ("offsets-never-go-back", taken(client(1, 0, **COMMITS), client(2, 1, **COMMITS)), []),
    ("offsets-never-go-back", taken(client(1, 0), client(2, 0, **COMMITS)), []),
    ("offsets-never-go-back", taken(client(1, 0, **COMMITS)), []),
    ("offsets-never-go-back", taken(client(2, 0, **COMMITS), client(3, 1, **COMMITS)), []),
    (
        "offsets-never-go-back",
        census(client(1, ahead=True)),
        broken("c1 gave partitions up after processing more than it had committed"),
    ),
    ("offsets-never-go-back", taken(client(1, 0), client(2, 0)), None),
    (
        "no-commit-while-assigning",
        census(client(1, 0, **COMMITS), awaiting=True),
        broken("a commit was accepted while the group awaited its assignment"),
    ),
    (
        "no-commit-while-assigning",
        census(client(1, **COMMITS), awaiting=True),
        broken("a commit was accepted while the group awaited its assignment"),
    ),
    ("no-commit-while-assigning", census(client(1, 0), awaiting=True), []),
    ("no-commit-while-assigning", census(client(1, 0, **COMMITS)), None),
    ("no-commit-while-assigning", census(client(1), awaiting=True), None),
]


@pytest.mark.parametrize(("name", "shown", "said"), CASES)
def test_a_census_breaks_a_promise_keeps_it_or_has_nothing_to_do_with_it(name, shown, said):
    assert answers(name, CENSUS, shown) == said


BEFORE = census(client(1, 0), client(2), client(3))
ADOPTS = "c2 adopts 0, which c1 still owns"
STEPS = [
    (census(client(1, 0), client(2, 0)), broken(ADOPTS)),
    (
        census(client(1, 0), client(2, 0, joined=False, current=False)),
        broken("c2 adopts 0 though it knows that it is not in the group", ADOPTS),
    ),
    (
        census(client(1), client(2, 0, joined=False)),
        broken("c2 adopts 0 though it knows that it is not in the group"),
    ),
    (census(client(1, 0), client(2, 0, current=False)), zombie(ADOPTS)),
    (census(client(1), client(2, 0)), []),
    (census(client(1, 0), client(2, 1)), []),
    (census(client(1, 0, live=False), client(2, 0)), []),
    (census(client(1, 0, rejoined=False), client(2, 0)), []),
    (census(client(1), client(2, joined=False), client(3, 0)), []),
    (census(client(1), client(2)), None),
    (census(client(1, 0), client(2)), None),
]


@pytest.mark.parametrize(("after", "said"), STEPS)
def test_a_partition_is_released_before_it_is_adopted(after, said):
    assert answers("released-before-adopted", ADOPTION, BEFORE, after) == said


def test_a_commit_that_is_refused_for_what_was_lost_is_fenced():
    """KIP-1251: an earlier epoch is good for what the member has had since, and for nothing else."""
    lost = client(1, 0, commits=True, refused=(0,))
    kept = client(1, 0, commits=True)
    for name in (own.FENCED, own.NEVER_BACK):
        assert not answers(name, CENSUS, census(lost, client(2, 0, commits=True), adopted=((0, "c2"),)))
        assert answers(name, CENSUS, census(kept, client(2, 0, commits=True), adopted=((0, "c2"),)))


@pytest.mark.parametrize(
    ("belief", "said"),
    [
        (client(1, 0, 1, current=False, commits=True), []),
        (
            client(1, 0, 1, current=False, commits=True, refused=(1,)),
            broken("a commit of c1 for 1, its recorded partition, would be refused"),
        ),
        (client(1, 2, current=False), []),
        (client(1, 0, current=False, live=False), []),
        (client(1, 0, current=False, rejoined=False), []),
        (client(1, 0), None),
        (client(1, current=False), None),
    ],
)
def test_a_commit_is_taken_from_who_has_the_partition_on_record(belief, said):
    assert answers("owners-may-commit", COMMITTERS, census(belief, record=(entry(1, 0, 1),))) == said


def test_what_an_accepted_commit_broke_is_told_of_the_promise_that_it_broke():
    for breaks, other in ((own.FENCED, own.NEVER_BACK), (own.NEVER_BACK, own.FENCED)):
        assert answers(breaks, ACCEPTED, Breach(breaks, "too late")) == broken("too late")
        assert answers(other, ACCEPTED, Breach(breaks, "too late")) == []
        back = Breach(breaks, "back", Severity.BY_DESIGN)
        assert answers(breaks, ACCEPTED, back) == [("by design", "back")]
        assert answers(breaks, ACCEPTED, None) is None, "no commit broke anything"


BELIEFS = st.builds(
    Belief,
    st.sampled_from(["c1", "c2"]),
    st.sampled_from(["m1", "m2"]),
    *[st.booleans()] * 3,
    st.sampled_from([(), (T0,), (U0,), (T0, U0)]),
    *[st.booleans()] * 4,
    st.sampled_from([(), (T0,), (U0,)]),
)
ENTRIES = st.builds(
    Registered,
    st.sampled_from(["m1", "m2"]),
    st.sampled_from(["", "i"]),
    st.sampled_from([("t",), ("t", "u")]),
    st.sampled_from([(), (T0,), (U0,)]),
)
OWNED = st.sampled_from([(), (T0,), (U0,), (T0, U0)])
CENSUSES = st.builds(
    Census,
    st.lists(BELIEFS, max_size=3).map(tuple),
    st.lists(ENTRIES, max_size=2).map(tuple),
    OWNED,
    st.booleans(),
    st.sampled_from([(), ((T0, "c1"),), ((T0, "c2"), (U0, "c1"))]),
    st.lists(st.tuples(st.sampled_from(["m1", "m2"]), OWNED), max_size=2).map(tuple),
    st.sampled_from([(), ("m1",), ("m1", "m2")]),
    st.booleans(),
    st.booleans(),
)


@given(CENSUSES, CENSUSES)
def test_where_a_promise_is_not_asked_for_it_is_not_broken(before, after):
    """Where it is promised at all: some only at rest, one only while an assignment is awaited."""
    after = after._replace(resting=True, awaiting=True)
    for one in load_invariants().values():
        for check in one.checks:
            shown = (before, after) if check.of_steps else (after,)
            if check.sight in (CENSUS, ADOPTION) and not check.where(*shown):
                assert not list(check.check(*shown)), one.name
