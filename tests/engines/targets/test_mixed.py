"""Several implementations in one group: who is of which, who leads, and what is asked of them together."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from kassay.assignors.groups.client.sticky_owned import UserDataOwned, decode_sticky, sticky_user_data
from kassay.assignors.registry import load_all
from kassay.cli.main import run
from kassay.engines.diff.run import diff
from kassay.engines.processes.host import Maker
from kassay.engines.runs.blocks import Job, open_bench, play_block
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.replay import load_trace, replay
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError, KassayError, TargetNotFound
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Group, Member
from kassay.model.groups.history import History, Join, Leave, NewLeader, Rebalance
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.player import Player
from kassay.model.kinds import Verdict
from tests.engines.processes.children import children

HEAD = """
class {name}:
    def assign(self, partitions_per_topic, members):
        order = sorted(members, key=lambda member: member["id"], reverse={reverse})
        every = [(topic, p) for topic, count in sorted(partitions_per_topic.items()) for p in range(count)]
        given = {{member["id"]: [] for member in members}}
        for number, (topic, p) in enumerate(every):
            readers = [member["id"] for member in order if topic in member["topics"]]
            if readers:
                given[readers[number % len(readers)]].append((topic, p))
        return given
"""
"""Deals in turn, to the least id first, or to the greatest."""

T4 = Cluster.of({"t": 4})


def joins(*names: str) -> tuple[Join, ...]:
    return tuple(Join(Member(name, ("t",))) for name in names)


@pytest.fixture
def two(tmp_path: Path) -> str:
    """A mixed target of two users' rules that deal in opposite orders, under one name."""
    for folder, reverse in (("up", False), ("down", True)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rule.py").write_text(HEAD.format(name="Deal", reverse=reverse))
    return f"mixed:{tmp_path}/up/rule.py,{tmp_path}/down/rule.py"


def test_members_take_turns_and_whoever_leads_answers(two: str) -> None:
    changes = (joins("a", "b", "c"), (NewLeader("b"),), (Leave("b"),), (NewLeader("c"),), (Rebalance(),))
    target = resolve(two, in_process=True)
    with target.open() as host:
        for _ in range(2):  # the first member of each group is of the first implementation
            played = list(Player(Maker(host), target.protocol).play(History(T4, changes)))
            first = [each.steps[0].answer["a"][0].partition for each in played]  # type: ignore[index]
            leaders = [each.steps[0].group.leader for each in played]
            assert leaders == ["a", "b", "a", "c", "c"]
            assert first == [0, 2, 0, 0, 0]


def test_the_leader_makes_the_difference(two: str) -> None:
    target = resolve(two, in_process=True)
    assert target.claims == ("leader-neutral",)
    options = RunOptions(budget=Budget(histories=12), in_process=True, controls=False)
    certificate = certify(target, options)
    by_id = {claim.id: claim for claim in certificate.claims}
    assert by_id["leader-neutral"].verdict is Verdict.VIOLATED
    assert by_id["complete"].verdict is not Verdict.VIOLATED
    assert by_id["pure"].verdict is not Verdict.VIOLATED, "second looks are at the leader's implementation"
    example = by_id["leader-neutral"].counterexample
    assert example is not None
    case = str(example.trace.case)
    assert "NewLeader" in case
    assert target.digest


def test_a_trace_of_a_mixed_target_replays(two: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["certify", two, "--claims", "leader-neutral", "--histories", "12", "--out", "out"]
    assert run([*arguments, "--in-process"]) == 1
    (trace,) = (tmp_path / "out" / "traces").glob("*.json")
    again = replay(load_trace(trace))
    assert again.verdict is Verdict.VIOLATED
    assert again.playback.target.spec == two


def test_a_mixed_target_travels_and_leaves_no_process(two: str) -> None:
    target: Target = pickle.loads(pickle.dumps(resolve(two)))
    options = RunOptions(claims=("leader-neutral", "deterministic"), budget=Budget(histories=2))
    with open_bench(Job(target, options)) as bench:
        apart = play_block(bench, 0, 2)
        assert len(children()) >= 2
    assert not children()
    with open_bench(Job(resolve(two, in_process=True), options)) as bench:
        assert play_block(bench, 0, 2).counts["leader-neutral"] == apart.counts["leader-neutral"]


def test_a_spec_is_recorded_as_it_can_be_given_again() -> None:
    target = resolve("mixed:range,roundrobin")
    assert (target.spec, target.name, target.kind) == (
        "mixed:range,roundrobin",
        "mixed:range,roundrobin",
        CLIENT,
    )
    assert target.parts == ("range", "roundrobin")
    assert set(target.claims) == {"deterministic", "order-independent"}, "what each promises, and no more"
    assert "leader-neutral" in resolve("mixed:range,range,range").claims


def test_a_file_in_a_mixed_target_may_have_commas(tmp_path: Path) -> None:
    file = tmp_path / "a,b.py"
    file.write_text(HEAD.format(name="Deal", reverse=False))
    target = resolve(f"mixed:range,{tmp_path}/a%2Cb.py", in_process=True)
    assert target.parts == ("range", str(file))
    assert resolve(target.spec, in_process=True).parts == target.parts


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("mixed:", InputError, "two specs or more are mixed"),
        ("mixed:a", InputError, "two specs or more are mixed"),
        ("mixed:range,nosuch", TargetNotFound, "there is no target 'nosuch'"),
        ("mixed:range,placement:striped", InputError, "placement:striped is of kind placer"),
        ("mixed:range,server-range", InputError, "server-range is of kind server"),
        ("mixed:range,mixed:range,sticky", InputError, "mixed: stands in mixed:"),
        ("mixed:range,cooperative-sticky", InputError, "range speaks eager, cooperative-sticky cooperative"),
    ],
)
def test_what_cannot_be_mixed(spec: str, error: type[KassayError], message: str) -> None:
    with pytest.raises(error) as caught:
        resolve(spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mixed_target_is_compared_with_its_parts() -> None:
    options = RunOptions(budget=Budget(histories=40))
    alike = diff(resolve("mixed:range,range"), resolve("range"), options)
    assert (alike.verdict, alike.differing) == ("alike", 0)
    assert diff(resolve("mixed:range,roundrobin"), resolve("range"), options).verdict == "differ"


@pytest.mark.parametrize("name", [spec for spec, each in load_all().items() if each.kind is CLIENT])
def test_no_reference_minds_who_leads(name: str) -> None:
    options = RunOptions(claims=("leader-neutral",), budget=Budget(histories=40))
    certificate = certify(resolve(name), options)
    assert [claim.verdict for claim in certificate.claims] == [Verdict.HOLDS]
    assert certificate.controls["missed"] == []


@pytest.mark.slow
def test_a_library_is_compared_with_the_reference_and_with_a_mix_of_both() -> None:
    pytest.importorskip("kafka")
    options = RunOptions(budget=Budget(histories=8), shrink=False)
    for other in ("sticky", "mixed:sticky,kafka-python:sticky"):
        report = diff(resolve("kafka-python:sticky"), resolve(other), options)
        assert (report.verdict, report.exit_code) == ("differ", 1)
        assert report.smallest is not None
        lines = report.smallest.difference.lines
        assert lines
        assert all("kafka-python:sticky" in line and other in line for line in lines)


def test_sticky_user_data_is_read_by_either_implementation_but_for_kafka_python_3() -> None:
    """Kafka writes no version before it; kafka-python did not either, until 3.0."""
    kafka = pytest.importorskip("kafka")
    owned = (TopicPartition("t", 0), TopicPartition("t", 2), TopicPartition("u", 1))
    readable = not kafka.__version__.startswith("3.0.")
    with resolve("kafka-python:sticky").open() as host:
        theirs = host.new({})
        theirs.on_assignment(owned, None, GroupMetadata(7, "a"))
        data = theirs.subscription_user_data(("t", "u"))
        assert (decode_sticky(data) == UserDataOwned(owned, 7)) is readable
        assert (data == sticky_user_data(owned, 7)) is readable
        assert readable or data == b"\0\1" + sticky_user_data(owned, 7)
        members = tuple(
            Member(m, ("t",), (), -1, user_data=sticky_user_data([TopicPartition("t", p)], 7))
            for m, p in (("a", 3), ("b", 0))
        )
        answer = host.new({}).assign(T4, Group(members, "a"))
        assert (TopicPartition("t", 3) in answer["a"] and TopicPartition("t", 0) in answer["b"]) is readable
