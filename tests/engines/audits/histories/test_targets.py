"""What groups with a coordinator's targets have in common, whatever protocol they speak."""

import pytest

from kassay.engines.audits.values import CauseWord
from tests.engines.audits.logs import audited, only, tps
from tests.offsets_log import Log, dump

GROUPS = ["consumer", "share", "streams"]
PROCESS = "00000000-0000-4000-8000-000000000001"


class Written:
    """A log of one group, written in the records of its protocol."""

    def __init__(self, protocol):
        self.log, self.protocol = Log(), protocol
        if protocol == "consumer":
            self.log.named("g", {"A": ("orders", 2)})
        elif protocol == "share":
            self.log.shareable("g", {"A": "orders"}, tps("A", 0, 1))
        else:
            self.log.topology("g", {"A": (("orders",), True)})

    def member(self, name, here=True):
        if self.protocol == "streams":
            self.log.streams_member("g", name, PROCESS if here else None, client=name)
        else:
            write = self.log.subscription if self.protocol == "consumer" else self.log.share_member
            write("g", name, ["orders"] if here else None, client=name)

    def target(self, epoch, **given):
        prefix = {"consumer": "", "share": "share_", "streams": "streams_"}[self.protocol]
        getattr(self.log, f"{prefix}epoch")("g", epoch)
        for name, numbers in given.items():
            getattr(self.log, f"{prefix}target")("g", name, tps("A", *numbers))
        getattr(self.log, f"{prefix}target_epoch")("g", epoch)
        self.log.next()
        for name, numbers in given.items():
            getattr(self.log, f"{prefix}current")("g", name, epoch, tps("A", *numbers))
            self.log.next()


def two_rebalances(protocol):
    written = Written(protocol)
    written.member("a")
    written.target(1, a=(0, 1))
    written.member("b")
    written.target(2, a=(0,), b=(1,))
    return written


@pytest.mark.parametrize("protocol", GROUPS)
def test_causes_rest_and_returns(protocol):
    written = two_rebalances(protocol)
    written.member("b", here=False)
    written.member("b")
    group = only(written.log)
    assert (group.protocol, group.judged, group.findings) == (protocol, 2, [])
    assert [each.causes[0].word for each in group.rebalances] == [CauseWord.BEGAN, CauseWord.JOINED]
    assert all(each.unrest_ms is not None for each in group.rebalances)
    assert group.returns == {"b@10.0.0.7": 1}


@pytest.mark.parametrize("protocol", GROUPS)
def test_a_lost_partition_is_a_finding(protocol):
    written = two_rebalances(protocol)
    written.target(3, a=(1,), b=())
    assert "complete" in {each.claim for each in only(written.log).findings}


@pytest.mark.parametrize("protocol", GROUPS)
def test_nothing_is_said_of_a_log_that_begins_late(protocol):
    records = two_rebalances(protocol).log.records
    (group,) = audited(dump(records[3:], start=3)).groups
    assert (group.findings, group.judged) == ([], 0)
    assert "not all of the log is here" in group.gaps[0]


@pytest.mark.parametrize("protocol", GROUPS)
def test_a_target_of_somebody_whose_own_records_are_missing_is_not_judged(protocol):
    written = Written(protocol)
    written.target(1, a=(0, 1))
    (rebalance,) = only(written.log).rebalances
    assert "whose own records are not there" in rebalance.why_not
