"""Users' own partitioners as targets: loaded, configured, asked and closed, here and in a child process."""

import pytest

from kassay.engines.processes.host import Limits
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import TargetNotLoadable
from kassay.model.kinds import Verdict
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import (
    InvalidPartitionError,
    ProducerRecord,
    ProducerSends,
    TopicMetadata,
    send_all,
)
from tests.paths import TARGETS

FILE = TARGETS / "partitioners.py"
PATIENT = Limits(call_timeout_s=60, start_timeout_s=60)
"""On a busy machine a call takes longer than the two seconds that a user's partitioner has."""
WAYS = pytest.mark.parametrize("in_process", [False, True])


def target(name, in_process=False):
    return resolve(f"{FILE}:{name}", in_process=in_process, limits=PATIENT)


def verdicts(found, *claims, histories=60):
    options = RunOptions(claims=claims or None, budget=Budget(histories=histories), controls=False)
    return {result.id: result.verdict for result in certify(found, options).claims}


@pytest.mark.slow_cases("False", "True")
@WAYS
def test_a_sound_partitioner_is_certified_by_what_it_declares(in_process):
    found = target("Crc", in_process)
    assert (found.kind, found.claims) == (PARTITIONER, ("available-only", "deterministic"))
    # In some cases no key comes again, in more all partitions are available: these show nothing.
    assert set(verdicts(found, histories=160).values()) == {Verdict.HOLDS}
    assert verdicts(found, "hash-compatible") == {"hash-compatible": Verdict.VIOLATED}


@WAYS
def test_it_is_configured_asked_and_closed(in_process):
    records = tuple((ProducerRecord("t", key), TopicMetadata.of(5, [1])) for key in (b"a", None, b"a"))
    with target("Crc", in_process).open() as host:
        plain = [s.answer for s in send_all(host.new({}), ProducerSends(records))]
        config = {"shift": "1"}
        shifted = [s.answer for s in send_all(host.new(config), ProducerSends(records, config))]
    assert plain[0] == plain[2] == (shifted[0] - 1) % 5
    assert plain[1] == shifted[1] == 2


@WAYS
def test_a_record_that_names_its_partition_is_not_shown_to_it(in_process):
    with target("Bare", in_process).open() as host:
        made = host.new({})
        assert made.partition(ProducerRecord("t", b"abc", None, 2), TopicMetadata.of(4)) == 2
        with pytest.raises(InvalidPartitionError, match="expected one of 0 to 3"):
            made.partition(ProducerRecord("t", b"abc", None, 4), TopicMetadata.of(4))


@WAYS
@pytest.mark.parametrize(
    ("name", "said"), [("AnswersText", "expected an int"), ("BreaksWhenClosed", "closed")]
)
def test_what_it_does_wrong_is_a_violation_of_total(name, said, in_process):
    options = RunOptions(claims=("total",), budget=Budget(histories=20), controls=False)
    (result,) = certify(target(name, in_process), options).claims
    assert result.verdict is Verdict.VIOLATED
    assert said in result.counterexample.message


def test_a_hash_that_is_salted_differs_in_another_process():
    assert verdicts(target("Salted"), "deterministic", histories=100)["deterministic"] is Verdict.VIOLATED


def test_a_signature_that_cannot_be_called_is_said():
    with pytest.raises(TargetNotLoadable, match=r"partition takes \(topic, key\), expected partition\(self"):
        target("TakesTooLittle")


def test_a_kind_that_does_not_fit_is_said(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        'META = {"kind": "placer"}\nclass P:\n    def partition(self, t, k, v, n, available): return 0\n'
    )
    with pytest.raises(TargetNotLoadable, match="has no place"):
        resolve(str(wrong))
