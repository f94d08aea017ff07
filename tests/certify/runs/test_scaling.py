"""Claims about time: what doubles, what takes too long, and what cannot be measured."""

import time

import pytest

from kassay.certify.runs.scaling import scaling_result
from kassay.certify.targets.resolve import resolve
from kassay.kinds.groups.scaling import sized, sizes
from kassay.kinds.judging import Subject
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import RebalanceProtocol
from kassay.model.verdict import Verdict
from kassay.properties.groups.scaling import ScaleTiming, parse_scale, scales
from kassay.properties.promises import promise
from kassay.properties.registry import split_claims


def subject_of(assignor):
    return Subject(lambda _: assignor(), RebalanceProtocol.EAGER, ())


def test_growth_is_judged_over_every_doubling():
    quick = (ScaleTiming(25, 250, 0.01), ScaleTiming(50, 500, 0.02), ScaleTiming(100, 1000, 0.04))
    cubic = (ScaleTiming(25, 250, 0.01), ScaleTiming(50, 500, 0.08), ScaleTiming(100, 1000, 0.64))
    noisy = (ScaleTiming(25, 250, 0.01), ScaleTiming(50, 500, 0.08), ScaleTiming(100, 1000, 0.16))
    assert list(scales(quick, "1.5,1,100x1000")) == []
    assert [e.subject for e in scales(cubic, "2,1,100x1000")] == ["growth"]
    assert list(scales(noisy, "2,1,100x1000")) == []
    assert [e.subject for e in scales(quick, "2,0.03,100x1000")] == ["100x1000"]


def test_the_references_scale():
    target = resolve("range")
    subject = Subject(target.open().new, target.protocol, ())
    found = scaling_result(driver_for(CLIENT), subject, promise("scales:2,5,40x400", CLIENT), 30.0)
    assert found.verdict is Verdict.HOLDS, found.why
    assert "40x400" in found.why


@pytest.mark.slow
def test_a_slow_rule_does_not_scale():
    roundrobin = resolve("roundrobin").open()

    class Slow:
        def __init__(self):
            self.inner = roundrobin.new({})

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def assign(self, cluster, group):
            time.sleep(0.000004 * len(group.members) ** 3)
            return self.inner.assign(cluster, group)

    found = scaling_result(driver_for(CLIENT), subject_of(Slow), promise("scales:1.5,60,32x64", CLIENT), 30.0)
    assert found.verdict is Verdict.VIOLATED, found.why
    assert (
        scaling_result(
            driver_for(CLIENT), subject_of(Slow), promise("scales:9,60,32x64", CLIENT), 0.0
        ).verdict
        is Verdict.UNKNOWN
    )


def test_sizes_end_at_the_claimed_one():
    scale = parse_scale("2,5,100x1000")
    assert sizes(scale) == [(25, 250), (50, 500), (100, 1000)]
    history = sized(4, 30)
    assert len(history.joins) == 4
    assert sum(topic.partitions for topic in history.cluster.topics) == 30


@pytest.mark.parametrize(
    "spelled",
    ["scales:2", "scales:x,1,3x3", "converges:soon", "weighted-spread:much", "rack-local:rack", "stable:1"],
)
def test_arguments_that_make_no_sense_are_refused(spelled):
    with pytest.raises(InputError, match=spelled.split(":")[0]):
        promise(spelled, CLIENT)


def test_commas_inside_an_argument_belong_to_it():
    assert split_claims("complete,scales:2,5,9x9,rack-local:balance,rack,movement,stable") == (
        "complete",
        "scales:2,5,9x9",
        "rack-local:balance,rack,movement",
        "stable",
    )
    assert split_claims("complete,nonsense") == ("complete", "nonsense")
