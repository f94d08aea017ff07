"""Every reference against validity and every claim that it declares, with a fixed seed.

Violations by Kafka's own assignors are in a baseline by claim and class of input: a finding missing from it
fails here, and so does one that has vanished. `docs/findings.md` explains each of them.
"""

import datetime

import pytest

from kassay.assignors import registry
from kassay.engines.runs.baseline import Known, apply, class_of, read_baseline
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.node import LIBRARIES
from kassay.engines.targets.resolve import resolve
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.model.kinds import Verdict
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.protocols.kinds import COORDINATOR
from kassay.model.streams.kinds import STREAMS
from tests import npm, paths

BASELINE = read_baseline(paths.BASELINE)
HISTORIES = {
    CLIENT: 200,
    SERVER: 300,
    SHARE: 300,
    STREAMS: 200,
    PLACER: 1000,
    PLANNER: 200,
    PARTITIONER: 150,
    CONNECT: 150,
}
BUGGY = {"sticky": 800, "cooperative-sticky": 800}
LONGER = {**BUGGY, "connect-incremental": 1500, "optimal-streams": 80}
"""Assignors with findings run longer, so that rare findings appear; one with a flow per call, shorter."""
FOREIGN = {"kafka-python:range": 200, "kafka-python:roundrobin": 200}
SLOW = {"kafka-python:sticky": 1500, "kafka-python:cooperative-sticky": 500}
AIOKAFKA = {"aiokafka:range": 150, "aiokafka:roundrobin": 150, "aiokafka:sticky": 150}
NPM = {"kafkajs:roundrobin": 150, "platformatic:roundrobin": 150}
RARE = {
    ("connect-incremental", "balanced-within-one"),
    ("cooperative-sticky", "balanced-kip54"),
    ("share-simple@4.1", "total"),
    ("share-simple@4.2", "assignable"),
    ("share-simple@4.2", "shared-evenly"),
    ("streams-group-sticky@4.2", "converges"),
}
"""Findings that appear once in a thousand histories or less."""

LONG = (
    "range",
    "cooperative-sticky",
    "uniform@4.0.1",
    "share-simple@4.1",
    "share-simple@4.2",
    "streams-group-sticky@4.2",
    "placement:rack-aware",
    "partitioner:murmur2",
)
"""The longer run of these is slow, that of all others deep: those with rare findings, and one of most kinds."""

REFERENCES = {
    spec: LONGER.get(spec, HISTORIES[found.kind])
    for spec, found in registry.load_all().items()
    if found.kind in HISTORIES
}


def certificate(spec, histories):
    options = RunOptions(budget=Budget(histories=histories), controls=False, shrink=False)
    return certify(resolve(spec), options)


def findings(found):
    return {
        (found.target, result.id, class_of(result))
        for result in found.claims
        if result.verdict is Verdict.VIOLATED
    }


def known(spec):
    return {entry.key for entry in BASELINE if entry.target == spec}


def test_every_kind_of_reference_takes_part():
    left_out = {found.kind for found in registry.load_all().values()} - HISTORIES.keys()
    # the coordinator's lookup is not a target: vectors and its own tests check it
    assert left_out <= {COORDINATOR}
    assert {entry.target for entry in BASELINE} <= {*REFERENCES, *FOREIGN, *SLOW, *AIOKAFKA, *NPM}


@pytest.mark.slow_cases(
    "ceil-range-200",
    "connect-incremental-1500",
    "cooperative-sticky-800",
    "failover-200",
    "optimal-connect-150",
    "optimal-cooperative-200",
    "optimal-share-300",
    "optimal-sticky-200",
    "optimal-streams-80",
    "plan:optimal-200",
    "roundrobin-200",
    "server-range-300",
    "share-simple@4.0.0-300",
    "share-simple@4.1-300",
    "share-simple@4.2-300",
    "sticky-800",
    "streams-group-sticky@4.1-200",
    "streams-group-sticky@4.2-200",
    "streams-group-sticky@4.2.2-200",
    "streams-group-sticky@4.4-200",
    "streams-high-availability-200",
    "streams-public-sticky@3.8-200",
    "streams-public-sticky@4.4-200",
    "streams-sticky-200",
)
@pytest.mark.parametrize(("spec", "histories"), REFERENCES.items())
def test_a_reference_breaks_exactly_what_the_baseline_says(spec, histories):
    found, accepted = findings(certificate(spec, histories)), known(spec)
    assert {key for key in found if key[:2] not in RARE} == {key for key in accepted if key[:2] not in RARE}


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "histories"), FOREIGN.items())
def test_a_client_library_breaks_exactly_what_the_baseline_says(spec, histories):
    pytest.importorskip("kafka")
    assert findings(certificate(spec, histories)) == known(spec)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "histories"), SLOW.items())
def test_a_slow_client_library_breaks_exactly_what_the_baseline_says(spec, histories):
    pytest.importorskip("kafka")
    assert findings(certificate(spec, histories)) == known(spec)


@pytest.mark.node
@pytest.mark.parametrize(("spec", "histories"), NPM.items())
def test_an_assignor_of_npm_breaks_exactly_what_the_baseline_says(spec, histories):
    npm.installed(LIBRARIES[spec].package)
    assert findings(certificate(spec, histories)) == known(spec)


@pytest.mark.aiokafka
@pytest.mark.parametrize(("spec", "histories"), AIOKAFKA.items())
def test_aiokafka_breaks_exactly_what_the_baseline_says(spec, histories):
    assert findings(certificate(spec, histories)) == known(spec)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(each, marks=[pytest.mark.slow if each in LONG else pytest.mark.deep])
        for each in REFERENCES
    ],
)
def test_a_longer_run_finds_no_more_and_leaves_nothing_unknown(spec):
    found = certificate(spec, 1500)
    broken, accepted = ({key[:2] for key in keys} for keys in (findings(found), known(spec)))
    assert accepted - RARE <= broken <= accepted | RARE
    assert [result.id for result in found.claims if result.verdict is Verdict.UNKNOWN] == []


CAREFUL = frozenset({"no-racks", "no-conflicting-claims", "no-empty-subscriptions"})


@pytest.mark.slow
@pytest.mark.parametrize("spec", BUGGY)
def test_without_racks_contradictions_and_idle_members_kafkas_sticky_rules_keep_every_claim(spec):
    options = RunOptions(assume=CAREFUL, budget=Budget(histories=300), controls=False)
    assert findings(certify(resolve(spec), options)) == set()


def test_the_baseline_tells_new_findings_from_vanished_ones():
    found = certificate("sticky", 100)
    accepted = [Known(*key) for key in findings(found)]
    gone = Known("sticky", "members", "ordinary")
    today = datetime.date(2026, 1, 1)
    assert apply(found, accepted, today).verdict != "not-certified"
    assert apply(found, accepted[1:], today).verdict == "not-certified"
    assert any("members" in note for note in apply(found, [*accepted, gone], today).notes)
