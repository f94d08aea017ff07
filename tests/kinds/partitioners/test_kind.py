"""Partitioners certified: the driver judges, shrinks and writes down."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.partitioners.explicit import Explicit
from kassay.kinds.judging import Subject
from kassay.kinds.partitioners.kind import SendsDriver
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import (
    ProducerRecord,
    ProducerSends,
    ProducerSendsStep,
    Sent,
    TopicMetadata,
)
from kassay.properties.claims import parse_claim
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.partitioners.scenarios import sending
from kassay.properties.registry import validity_claims
from kassay.properties.sources import Drawn, Seeded
from tests.kinds.descent import TRIED, descent
from tests.mutants import partitioners

DRIVER = SendsDriver(PARTITIONER)
PROFILE = GroupProfile(kind=PARTITIONER)

sendings = st.composite(lambda draw: sending(Drawn(draw)))()


def subject(new, *claims, twin=None):
    validity = validity_claims(PARTITIONER)
    statements = (
        *validity,
        *(parse_claim(c, PARTITIONER) for c in claims if c not in {v.id for v in validity}),
    )
    return Subject(lambda config: new(), RebalanceProtocol.EAGER, statements, twin=twin)


def broken(case, whom):
    return {violation.claim for violation in DRIVER.examine(case, whom).violations}


@given(sendings)
def test_a_sound_partitioner_keeps_every_claim_and_a_case_survives_being_written_down(case):
    whom = subject(Explicit, "hash-compatible", "available-only", "refuses-out-of-range", "deterministic")
    assert broken(case, whom) == set()
    assert DRIVER.form.read(DRIVER.form.write(case), "case") == case


@pytest.mark.slow
@given(sendings)
def test_smaller_cases_are_smaller(case):
    tried = islice(DRIVER.shrink_candidates(case), TRIED)
    assert all(DRIVER.size(less) < DRIVER.size(case) for less in tried)


@pytest.mark.slow
@given(sendings)
def test_what_breaks_whatever_happens_shrinks_to_one_bare_record(case):
    smallest = descent(DRIVER, case)
    ((record, topic),) = smallest.records
    assert (topic.count, list(topic.unavailable)) == (1, [])
    assert not record.key
    assert not record.value
    assert record.partition in (None, -1, 0, 1)


@pytest.mark.slow_cases("available-only-IgnoresAvailability", "total-FailsOnEmptyKey")
@pytest.mark.parametrize(
    ("claim", "faulty"), [(c, one) for c, several in partitioners.FAULTY.items() for one in several]
)
def test_each_fault_is_found_and_shrinks_to_few_records(claim, faulty):
    whom = subject(faulty, claim)
    case = next(
        c for seed in range(300) if claim in broken(c := DRIVER.generate(Seeded(seed), PROFILE), whom)
    )
    while less := next(
        (c for c in DRIVER.shrink_candidates(case) if c != case and claim in broken(c, whom)), None
    ):
        case = less
    # A counter that goes round all partitions needs some records to come to one without a leader.
    assert len(case.records) <= (4 if claim == "available-only" else 2)


def test_another_process_is_a_second_look():
    case = ProducerSends(((ProducerRecord("t", b"k"), TopicMetadata.of(7)),))
    twin = subject(Explicit, twin=lambda config: partitioners.OneTooMany())
    assert broken(case, subject(Explicit)) == set()
    assert broken(case, twin) == set()
    asked = subject(Explicit, "deterministic", twin=lambda config: partitioners.OneTooMany())
    assert broken(case, asked) == {"deterministic"}


def test_what_happened_is_told_in_domain_words():
    three = TopicMetadata.of(3, unavailable=(1,))
    case = ProducerSends(
        (
            (ProducerRecord("t", partition=2), three),
            (ProducerRecord("t", partition=3), three),
            (ProducerRecord("t", b""), three),
        )
    )
    kept, refused, failed = DRIVER.narrate(case, subject(partitioners.FailsOnEmptyKey))
    assert (kept["answer"], kept["unavailable"]) == (2, [1])
    assert refused["refused"]["java_class"] == "java.lang.IllegalArgumentException"
    assert failed["failure"]["kind"] == "raised"


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        ({"key": "?"}, r"case.records\[0\].key: expected base64, got '\?'"),
        ({"partitions": 0}, r"case.records\[0\].partitions: expected a whole number of at least 1"),
        ({"topic": None}, r"case.records\[0\].topic: expected a string"),
    ],
)
def test_a_document_of_another_form_is_bad_input(spoilt, told):
    document = DRIVER.form.write(
        ProducerSends(((ProducerRecord("t"), TopicMetadata.of(1)),), {"batch.size": "1"})
    )
    assert DRIVER.form.read(document, "case").config == {"batch.size": "1"}
    document["records"][0] |= spoilt
    with pytest.raises(InputError, match=told):
        DRIVER.form.read(document, "case")


def test_the_driver_serves_partitioners():
    assert isinstance(driver_for(PARTITIONER), SendsDriver)
    case = ProducerSends(
        ((ProducerRecord("t"), TopicMetadata.of(4)), (ProducerRecord("u"), TopicMetadata.of(2)))
    )
    assert DRIVER.counts(case) == {"members": 0, "partitions": 6, "events": 2}


@pytest.mark.parametrize("number", [3, 2_000, 2_500])
@pytest.mark.parametrize("from_end", [1, 2])
def test_the_record_that_breaks_a_claim_is_named_the_last_one_too(number, from_end):
    entry = (ProducerRecord("t"), TopicMetadata.of(2))
    sent = tuple(Sent(*entry, 0) for _ in range(number))
    step = ProducerSendsStep(ProducerSends((entry,) * number), sent)

    def evidence_of(part):
        return ["broken"] if len(part.answer) > number - from_end else []

    places = DRIVER.places(0, None, step, evidence_of(step), evidence_of)
    assert places == [(number - from_end,)]
