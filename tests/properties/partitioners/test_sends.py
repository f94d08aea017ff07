"""The claims about partitioners: right answers pass and each fault is found."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.assignors.registry import load_all
from kassay.model.calls import Failure, Look, Probe
from kassay.model.errors import FailureKind
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import (
    ProducerRecord,
    ProducerSends,
    ProducerSendsStep,
    Sent,
    TopicMetadata,
    send,
)
from kassay.properties.claims import parse_claim
from kassay.properties.partitioners.murmur2 import partition_of_key
from kassay.properties.partitioners.scenarios import sending
from kassay.properties.registry import applies, load_claims, validity_claims
from kassay.properties.sources import Drawn, Seeded
from tests.mutants import partitioners

CLAIMS = [c.id for (kind, _), c in load_claims().items() if kind == PARTITIONER]

PARTITIONERS = {spec: found for spec, found in load_all().items() if found.kind == PARTITIONER}

sendings = st.composite(lambda draw: sending(Drawn(draw)))()


def evidence(claim_id, step):
    found = parse_claim(claim_id, PARTITIONER).kind
    return list(found.predicate(step)) if applies(found, step) else []


@pytest.mark.parametrize("spec", PARTITIONERS)
@given(sent=sendings)
def test_a_reference_keeps_validity_and_what_it_claims(spec, sent):
    step = send(PARTITIONERS[spec].factory, sent, again=True)
    for claim_id in {*(made.id for made in validity_claims(PARTITIONER)), *PARTITIONERS[spec].claims}:
        assert evidence(claim_id, step) == []


@given(sent=sendings)
def test_a_sound_partitioner_breaks_no_claim(sent):
    step = send(partitioners.Delegating, sent, again=True)
    assert [found for claim_id in CLAIMS for found in evidence(claim_id, step)] == []


@pytest.mark.parametrize(
    ("claim_id", "faulty"), [(c, one) for c, several in partitioners.FAULTY.items() for one in several]
)
def test_each_fault_is_found(claim_id, faulty):
    steps = (send(faulty, sending(Seeded(seed)), again=True) for seed in range(300))
    assert any(evidence(claim_id, step) for step in steps), f"{faulty.__name__} escaped"


@pytest.mark.parametrize(
    "spec", ["partitioner:murmur2", "partitioner:round-robin", "partitioner:uniform-sticky"]
)
def test_a_rule_that_does_not_look_at_the_partition_asked_for_refuses_none(spec):
    steps = (send(PARTITIONERS[spec].factory, sending(Seeded(seed))) for seed in range(100))
    assert any(evidence("refuses-out-of-range", step) for step in steps)


def test_the_0_8_rule_is_not_compatible_with_the_later_hash():
    steps = (send(PARTITIONERS["partitioner:abs"].factory, sending(Seeded(seed))) for seed in range(100))
    assert any(evidence("hash-compatible", step) for step in steps)


def test_a_sticky_rule_stays_with_a_partition_that_lost_its_leader():
    steps = (
        send(PARTITIONERS["partitioner:uniform-sticky"].factory, sending(Seeded(seed))) for seed in range(300)
    )
    assert any(evidence("available-only", step) for step in steps)


def test_a_timeout_is_not_a_crash():
    sent = Sent(ProducerRecord("t", b"k"), TopicMetadata.of(2), Failure(FailureKind.TIMEOUT, "2 s"))
    step = ProducerSendsStep(ProducerSends(()), (sent,))
    assert [bool(evidence(c, step)) for c in ("total", "terminates")] == [False, True]


def test_an_empty_key_is_named_in_evidence():
    sent = Sent(ProducerRecord("t", b""), TopicMetadata.of(2), 7)
    (found,) = evidence("in-range", ProducerSendsStep(ProducerSends(()), (sent,)))
    assert found.subject == "record to t with an empty key"
    assert found.facts == {"sent to": 7, "of partitions": 2}


def sent(record, topic, answer, other=None):
    """One record on its way, and where another object sent it."""
    asked = ProducerSends(((record, topic),))
    first = (Sent(record, topic, answer),)
    probes = () if other is None else (Probe(Look.OTHER, (Sent(record, topic, other),)),)
    return ProducerSendsStep(asked, first, probes)


@given(key=st.binary(max_size=9), count=st.integers(2, 60), by=st.integers(1, 59))
@example(key=b"", count=50, by=1)
def test_every_key_that_goes_elsewhere_than_with_kafka_is_found(key, count, by):
    right = partition_of_key(key, count)
    record, topic = ProducerRecord("t", key), TopicMetadata.of(count)
    assert evidence("hash-compatible", sent(record, topic, right)) == []
    wrong = (right + by) % count
    assert bool(evidence("hash-compatible", sent(record, topic, wrong))) is (wrong != right)


@given(gone=st.sets(st.integers(0, 4)), answer=st.integers(0, 4), key=st.sampled_from([None, b"", b"k"]))
def test_a_record_without_a_key_may_only_go_where_somebody_leads(gone, answer, key):
    topic = TopicMetadata.of(5, gone)
    broken = bool(evidence("available-only", sent(ProducerRecord("t", key), topic, answer)))
    assert broken is (key is None and len(gone) < 5 and answer in gone)


@pytest.mark.parametrize(
    ("kind", "claim_id"),
    [(FailureKind.RAISED, "total"), (FailureKind.TIMEOUT, "terminates"), (FailureKind.DIED, "total")],
)
def test_a_second_object_that_has_no_answer_is_found(kind, claim_id):
    step = sent(ProducerRecord("t", b"k"), TopicMetadata.of(2), 0, Failure(kind, "oh"))
    broken = {name for name in ("total", "terminates", "pure") if evidence(name, step)}
    assert broken == {claim_id, "pure"}


@pytest.mark.parametrize(
    ("look", "broken"),
    [(Look.OTHER, {"pure", "deterministic"}), (Look.PROCESS, {"deterministic"})],
)
def test_what_another_process_answers_is_judged_by_the_claim_about_processes_alone(look, broken):
    record, topic = ProducerRecord("t", b"k"), TopicMetadata.of(2)
    asked, first = ProducerSends(((record, topic),)), (Sent(record, topic, 0),)
    step = ProducerSendsStep(asked, first, (Probe(look, (Sent(record, topic, 1),)),))
    claims = {name: parse_claim(name, PARTITIONER).kind for name in ("pure", "deterministic")}
    assert {name for name in claims if evidence(name, step)} == broken
    # A partitioner may change the list of available partitions at every call.
    assert {name for name, claim in claims.items() if claim.breakable(step)} == {*broken, "pure"}
