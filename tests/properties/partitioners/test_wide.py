"""Wide sendings: each class and size is made, is recognised, stays sound, trips a wire, and shrinks away."""

from functools import partial

import pytest

from kassay.assignors.partitioners.explicit import Explicit
from kassay.assignors.partitioners.uniform_sticky import UniformSticky
from kassay.assignors.registry import load_all
from kassay.kinds.judging import Subject
from kassay.kinds.partitioners.kind import SendsDriver
from kassay.kinds.wide import Widths, wide_case
from kassay.model.kinds import RebalanceProtocol
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import PartitionerBase, ProducerSends
from kassay.properties.claims import parse_claim
from kassay.properties.partitioners.murmur2 import key_with_hash, unsigned_murmur2
from kassay.properties.partitioners.wide import COUNTABLE, RANGES, sized_sending
from kassay.properties.profile import Profile
from kassay.properties.registry import validity_claims
from kassay.properties.sources import Seeded
from tests.kinds.descent import descent

DRIVER = SendsDriver(PARTITIONER)
PROFILE = Profile()
REFERENCES = [known for known in load_all().values() if known.kind is PARTITIONER]
CLASSES = [(each, known) for each in RANGES for known in each.classes]
STALE = ("uniform-sticky", "recreated topic")
"""The rule that may send a record to a partition that a smaller topic no longer has, as Kafka's does."""
SLOW_TO_BUILD = {"32767", "32768", "100000"}
"""Topics of so many partitions."""
all_classes = pytest.mark.parametrize(("range_", "wanted"), CLASSES, ids=[f"{r.id}: {c}" for r, c in CLASSES])


def subject(new, *claims):
    validity = validity_claims(PARTITIONER)
    known = {made.id for made in validity}
    statements = (*validity, *(parse_claim(claim, PARTITIONER) for claim in claims if claim not in known))
    return Subject(lambda config: new(), RebalanceProtocol.EAGER, statements)


def case_of(range_, wanted, seed=0):
    source = Seeded(seed)
    return range_.widen(DRIVER.generate(source, PROFILE), wanted, source)


def broken(case, whom):
    return {violation.claim for violation in DRIVER.examine(case, whom).violations}


class Tripwire(PartitionerBase):
    """Correct until what it was given shows a class; from then on each answer is spoilt."""

    def __init__(self, seen, spoil, calls):
        self.rule, self.seen, self.spoil = Explicit(), seen, spoil
        self.given, self.tripped = [], False
        self.calls, self.every = calls, max(1, calls // 64)

    def partition(self, record, topic):
        self.given.append((record, topic))
        now = len(self.given)
        if not self.tripped and (now % self.every == 0 or self.calls - now < 8):
            self.tripped = self.seen(ProducerSends(tuple(self.given)))
        answer = self.rule.partition(record, topic)
        return self.spoil(answer, record, topic) if self.tripped else answer


def _raises(answer, record, topic):
    raise IndexError("the table is full")


def _leaves(answer, record, topic):
    return answer + topic.count


def _moves(answer, record, topic):
    """Another partition, by its key alone: only `hash-compatible` can tell."""
    return (answer + 1) % topic.count if record.key is not None and record.partition is None else answer


def caught(case, seen, spoil, *claims):
    return broken(case, subject(lambda: Tripwire(seen, spoil, len(case.records)), *claims))


# Ranges


@all_classes
def test_each_class_is_made_in_a_legal_sending_and_recognised(range_, wanted):
    for seed in range(1 if wanted in SLOW_TO_BUILD else 5):
        case = case_of(range_, wanted, seed)
        assert range_.seen(case, wanted)
        assert DRIVER.form.read(DRIVER.form.write(case), "case") == case


def test_most_classes_are_not_in_plain_sendings():
    plain = [DRIVER.generate(Seeded(seed), PROFILE) for seed in range(40)]
    new = [(r.id, c) for r, c in CLASSES if not any(r.seen(case, c) for case in plain)]
    assert len(new) > len(CLASSES) * 0.7


@pytest.mark.slow
@all_classes
def test_references_keep_their_claims_on_each_class(range_, wanted):
    case = case_of(range_, wanted)
    for known in REFERENCES:
        allowed = {"in-range"} if (known.name, range_.id) == STALE else set()
        assert broken(case, subject(known.factory, *known.claims)) <= allowed, known.name


def test_kafkas_sticky_partition_may_be_gone_in_a_recreated_topic():
    """`RecordAccumulator.append` takes `peekCurrentPartitionInfo` without a look at the topic's size."""
    (range_,) = (each for each in RANGES if each.id == STALE[1])
    seeds = [case_of(range_, "with 1 partition", seed) for seed in range(5)]
    assert all("in-range" in broken(case, subject(UniformSticky)) for case in seeds)
    widths = Widths(DRIVER, frozenset({"no-recreated-topics"}))
    assert range_.id not in widths.expected()


@pytest.mark.slow
@all_classes
def test_what_fails_only_on_a_class_is_caught(range_, wanted):
    seen = partial(lambda known, case: range_.seen(case, known), wanted)
    case = case_of(range_, wanted)
    assert "total" in caught(case, seen, _raises)
    assert "in-range" in caught(case, seen, _leaves)
    if wanted not in ("with 1 partition", "1") and range_.id != "named partition":
        assert "hash-compatible" in caught(case, seen, _moves, "hash-compatible")


@pytest.mark.parametrize("wanted", [c for r, c in CLASSES if r.id == "leaders" and c not in ("all", "none")])
def test_what_forgets_leaders_only_in_a_class_is_caught(wanted):
    (range_,) = (each for each in RANGES if each.id == "leaders")

    def forget(answer, record, topic):
        gone = topic.unavailable
        return gone[0] if record.key is None and record.partition is None and gone else answer

    seen = partial(lambda known, case: range_.seen(case, known), wanted)
    assert "available-only" in caught(case_of(range_, wanted), seen, forget, "available-only")


@pytest.mark.slow
@all_classes
def test_a_wide_sending_shrinks_to_one_bare_record_where_it_does_not_matter(range_, wanted):
    ((record, topic),) = descent(DRIVER, case_of(range_, wanted)).records
    assert (record.topic, topic.count, list(topic.unavailable)) == ("t0", 1, [])
    assert not record.key
    assert not record.value
    assert record.partition in (None, 0)


def test_long_keys_and_many_partitions_shrink_in_few_tries():
    lengths, counts = (
        next(r for r in RANGES if r.id == name) for name in ("length of a key", "partitions of a topic")
    )
    for case, needs in (
        (case_of(lengths, "65537 bytes"), lambda c: any(len(r.key or b"") > 777 for r, _ in c.records)),
        (case_of(counts, "32768"), lambda c: any(t.count > 777 for _, t in c.records)),
    ):
        tries, smaller = 0, case
        while smaller is not None:
            case, smaller = smaller, None
            for less in DRIVER.shrink_candidates(case):
                tries += 1
                if DRIVER.size(less) < DRIVER.size(case) and needs(less):
                    smaller = less
                    break
                if tries > 1500:
                    pytest.fail(f"{DRIVER.size(case)} after {tries} tries")
                if DRIVER.size(case)[:3] in ((1, 1, 778), (1, 778, 0)):
                    break
        assert DRIVER.size(case)[:3] in ((1, 1, 778), (1, 778, 0))


# Sizes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "number"),
    [(s, n) for s in COUNTABLE for n in (*s.small, *s.large)],
    ids=lambda v: getattr(v, "id", v),
)
def test_each_size_is_made_and_what_fails_only_there_is_caught(size, number):
    case = sized_sending(Seeded(number), {size.id: number})
    assert size.count(case) == number
    assert DRIVER.form.read(DRIVER.form.write(case), "case") == case
    others = [each.count(case) for each in COUNTABLE if each is not size]
    assert sorted(others)[0] == 1 or size.id == "topics"
    assert broken(case, subject(Explicit, "hash-compatible", "available-only")) == set()
    assert "in-range" in caught(case, lambda part: size.count(part) >= number, _leaves)
    assert "hash-compatible" in caught(
        case, lambda part: size.count(part) >= number, _moves, "hash-compatible"
    )


def test_small_sizes_come_together():
    for turn in range(8):
        sizes = {s.id: s.small[(turn + place) % len(s.small)] for place, s in enumerate(COUNTABLE)}
        case = sized_sending(Seeded(turn), sizes)
        assert {size.id: size.count(case) for size in COUNTABLE} == sizes


def test_sizes_numbers_and_names_of_one_case_do_not_disturb_each_other():
    widths = Widths(DRIVER, frozenset())

    def generate(source, plan, attempt):
        return DRIVER.sized(source, PROFILE, plan.sizes) if plan.sizes else DRIVER.generate(source, PROFILE)

    for turn in range(0, 300, 3):
        plan = widths.plan(turn)
        case, shown = wide_case(widths, turn, turn, generate)
        sized = [size for size in COUNTABLE if size.id in plan.sizes]
        assert all(size.count(case) == plan.sizes[size.id] for size in sized)
        listed = [size for size in sized if plan.sizes[size.id] in (*size.small, *size.large)]
        assert len(shown) == len(plan.names) + len(listed) + len(plan.numbers)


# Hashes


@pytest.mark.parametrize("wanted", [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678])
@pytest.mark.parametrize("head", [b"", b"orders..", bytes(20)])
def test_a_key_is_found_by_its_hash(wanted, head):
    key = key_with_hash(wanted, head)
    assert unsigned_murmur2(key) == wanted
    assert key.startswith(head)
    assert len(key) == len(head) + 4
