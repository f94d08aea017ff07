"""Claims about answers as such."""

import pytest

from kassay.model.calls import Failure
from kassay.model.connect.history import ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectRequest, ConnectWorker
from kassay.model.errors import FailureKind
from kassay.properties.claims import parse_claim


@pytest.mark.parametrize(
    ("kind", "claim_id", "other"),
    [(FailureKind.RAISED, "total", "terminates"), (FailureKind.TIMEOUT, "terminates", "total")],
)
def test_a_call_without_an_answer_breaks_one_claim(kind, claim_id, other):
    step = ConnectStep(ConnectRequest((), (ConnectWorker("x"),)), Failure(kind, "no"))
    assert [e.subject for e in parse_claim(claim_id, CONNECT).kind.predicate(step)] == ["assign"]
    assert list(parse_claim(other, CONNECT).kind.predicate(step)) == []
