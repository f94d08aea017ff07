"""Users' classes as targets: found, described, loaded and asked, here and in a child process."""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from pathlib import Path

import pytest

from kassay.engines.processes.host import Limits
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.errors import FailureKind, TargetFailure, TargetNotFound, TargetNotLoadable
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.model.java import JavaRandom
from kassay.model.kinds import RebalanceProtocol
from kassay.model.placement.kinds import PLACER
from kassay.model.placement.request import PlacementRefusedError, PlacementRequest, Placer
from tests.engines.processes.children import DATA, children

CLUSTER = Cluster.of({"t": 1})
GROUP = Group((Member("a", ("t",)),))
COOPERATIVE = RebalanceProtocol.COOPERATIVE
both_ways = pytest.mark.parametrize("in_process", [False, True])
ANSWERS = {
    "none": "answer is None, expected a dict of member id to list of (topic, partition) pairs, as in {'m0': [('t0', 0)]}",
    "list": "answer is [('a', [])] (list), expected a dict of member id to list of (topic, partition) pairs, as in {'m0': [('t0', 0)]}",
    "str": "answer is 'a' (str), expected a dict of member id to list of (topic, partition) pairs, as in {'m0': [('t0', 0)]}",
    "generator": "answer is a generator, expected a dict of member id to list of (topic, partition) pairs, as in {'m0': [('t0', 0)]}",
    "coroutine": "answer is None, expected a dict of member id to list of (topic, partition) pairs, as in {'m0': [('t0', 0)]}",
    "nan": "answer is nan (float), expected a dict of member id to list of (topic, partition) pairs, as in {'m0': [('t0', 0)]}",
    "object": "answer is an object, expected a dict of member id to list of (topic, partition) pairs, as in {'m0': [('t0', 0)]}",
    "key": "answer has the key 1 (int), expected a member id (str)",
    "value_none": "answer['a'] is None, expected a list of (topic, partition) pairs, as in [('t0', 0)]",
    "value_str": "answer['a'] is 't-0' (str), expected a list of (topic, partition) pairs, as in [('t0', 0)]",
    "value_set": "answer['a'] is {('t', 0)} (set), expected a list of (topic, partition) pairs, as in [('t0', 0)]",
    "value_generator": "answer['a'] is a generator, expected a list of (topic, partition) pairs, as in [('t0', 0)]",
    "pair_str": "answer['a'][0] is 't-0' (str), expected a (topic, partition) pair",
    "pair_short": "answer['a'][0] is ('t',) (tuple), expected a (topic, partition) pair",
    "pair_long": "answer['a'][0] is ('t', 0, 0) (tuple), expected a (topic, partition) pair",
    "pair_none": "answer['a'][0] is None, expected a (topic, partition) pair",
    "topic_int": "answer['a'][0] has the topic 0 (int), expected a str",
    "partition_str": "answer['a'][0] has the partition '0' (str), expected an int",
    "partition_bool": "answer['a'][0] has the partition True (bool), expected an int",
    "partition_float": "answer['a'][0] has the partition 0.0 (float), expected an int",
    "partition_huge": "answer['a'][0] has the partition of 16610 bits, expected an int of 32 bits",
    "odd_repr": "answer['a'][0] has the partition a list, expected an int",
}
RACKED = Cluster(
    (Topic("t", 2, ((0, 1), (1, 2)), (5, 7)), Topic("u", 1)), (Broker(0, "x"), Broker(1, "y"), Broker(2))
)
BROKERS = (Broker(0, "x"), Broker(1), Broker(2, None, True))
RANDOM = JavaRandom(0)


@both_ways
def test_a_file(in_process: bool) -> None:
    path = DATA / "several.py"
    target = resolve(f"{path}:First", in_process=in_process)
    assert target.name == "First"
    assert target.kind == CLIENT
    assert target.claims == ("deterministic",)
    assert target.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert not children()
    with target.open() as host:
        assert bool(children()) is not in_process
        assert host.new({}).assign(CLUSTER, GROUP) == Assignment({"a": ()})


@pytest.mark.parametrize("kind", ["assignor", "server-assignor", "share-assignor"])
def test_the_kind_says_which_groups_an_assignor_is_of(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "rule.py"
    file.write_text(
        f"META = {{'kind': {kind!r}}}\n"
        "class Rule:\n    def assign(self, topics, members):\n        return {m['id']: [] for m in members}\n"
    )
    target = resolve(str(file), in_process=True)
    assert target.kind is {"assignor": CLIENT, "server-assignor": SERVER}.get(kind, SHARE)
    with target.open() as host:
        assert host.new({}).assign(CLUSTER, GROUP) == Assignment({"a": ()})


def test_the_class_speaks_before_its_file() -> None:
    target = resolve(f"{DATA}/several.py:Second")
    assert target.protocol is COOPERATIVE
    assert target.claims == ("cooperative", "converges:2")
    assert target.assumes == ("no-racks",)
    assert resolve(f"{DATA}/several.py:Second", protocol=RebalanceProtocol.EAGER).protocol == "eager"


@both_ways
def test_the_only_class_of_a_file_needs_no_name(
    in_process: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "helper_beside_it.py").write_text(
        "def answer(members):\n    return {m['id']: [] for m in members}\n"
    )
    (tmp_path / "only.py").write_text(
        "import helper_beside_it\n"
        "class Only:\n"
        "    def assign(self, topics, members):\n"
        "        return helper_beside_it.answer(members)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    target = resolve("only.py", in_process=in_process)
    assert (target.name, target.claims, target.protocol) == ("Only", (), "eager")
    with target.open() as host:
        assert host.new({}).assign(CLUSTER, GROUP) == Assignment({"a": ()})


def test_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "__init__.py").touch()
    (tmp_path / "acme" / "rule.py").write_text(
        "class Rule:\n    def assign(self, topics, members):\n        return {}\n"
    )
    monkeypatch.chdir(tmp_path)
    assert resolve("acme.rule").name == "Rule"
    text = (tmp_path / "acme" / "rule.py").read_bytes()
    assert resolve("acme.rule:Rule").digest == hashlib.sha256(text).hexdigest()
    assert "acme" not in sys.modules


def test_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint(
        "acme-fair", "kassay.assignors.groups.client.roundrobin:RoundRobin", "kassay.targets"
    )

    def entry_points(*, group: str, name: str = "acme-fair") -> list[importlib.metadata.EntryPoint]:
        return [point] if (group, name) == ("kassay.targets", "acme-fair") else []

    monkeypatch.setattr("kassay.engines.targets.classes.entry_points", entry_points)
    target = resolve("acme-fair")
    assert target.name == "roundrobin"
    with target.open():
        assert children()
    with pytest.raises(TargetNotFound, match="did you mean acme-fair"):
        resolve("acme-fare")


@pytest.mark.parametrize(
    ("file", "start_timeout_s", "message"),
    [
        (
            "dies_on_import.py",
            60,
            "{}: process ended with exit status 5 during import (did it exit itself?); ",
        ),
        ("loops_on_import.py", 0.5, "{}: import did not answer within 0.5 s, expected a module that imports"),
    ],
)
def test_an_import_that_never_comes_back(file: str, start_timeout_s: float, message: str) -> None:
    with pytest.raises(TargetNotLoadable) as caught:
        resolve(f"{DATA}/{file}", limits=Limits(start_timeout_s=start_timeout_s))
    assert str(caught.value).startswith(message.replace("{}", f"{DATA}/{file}"))
    assert not children()


def test_a_file_that_stops_loading_after_it_was_resolved(tmp_path: Path) -> None:
    file = tmp_path / "fickle.py"
    file.write_text("class Fickle:\n    def assign(self, topics, members):\n        return {}\n")
    target = resolve(str(file))
    with target.open() as host:
        file.write_text("raise OSError('gone')\n")
        with pytest.raises(TargetNotLoadable, match="OSError: gone"):
            host.restart()
        with pytest.raises(TargetNotLoadable, match="OSError: gone"):
            host.new({})
    with pytest.raises(TargetNotLoadable, match="OSError: gone"):
        target.open()


@both_ways
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RaisesWhenMade", "RaisesWhenMade raised OSError: no configuration (odd_meta.py:"),
        ("NeedsArguments", "NeedsArguments raised TypeError: "),
    ],
)
def test_a_constructor_that_fails(name: str, message: str, in_process: bool) -> None:
    with (
        resolve(f"{DATA}/odd_meta.py:{name}", in_process=in_process).open() as host,
        pytest.raises(TargetFailure) as caught,
    ):
        host.new({}).assign(CLUSTER, GROUP)
    assert caught.value.message.startswith(message)


@both_ways
def test_answers_that_are_none(in_process: bool) -> None:
    found = {}
    with resolve(f"{DATA}/hostile.py:Answers", in_process=in_process).open() as host:
        for what in ANSWERS:
            with pytest.raises(TargetFailure) as caught:
                host.new({"what": what}).assign(CLUSTER, GROUP)
            assert caught.value.kind is FailureKind.MALFORMED
            found[what] = caught.value.message
    assert found == ANSWERS


@both_ways
def test_answers_that_are_read_as_meant(in_process: bool) -> None:
    expected = {
        "ok_lists": {"a": [("t", 0)]},
        "ok_tuples": {"a": [("t", 0)]},
        "ok_subclasses": {"a": [("t", 0)]},
        "ok_negative": {"a": [("t", -1)]},
        "ok_empty": {},
        "ok_surrogate": {"\ud800": [("\udfff", 0)]},
    }
    with resolve(f"{DATA}/hostile.py:Answers", in_process=in_process).open() as host:
        for what, given in expected.items():
            answer = host.new({"what": what}).assign(CLUSTER, GROUP)
            assert {member_id: list(tps) for member_id, tps in answer.items()} == given
            for member_id, tps in answer.items():
                assert type(member_id) is str
                assert all(type(tp) is TopicPartition and type(tp.topic) is str for tp in tps)


@both_ways
@pytest.mark.parametrize(
    ("name", "racked", "bare"),
    [
        ("Racks", {("t", 0): ["x", "y"], ("t", 1): ["y"]}, None),
        ("Weights", {("t", 0): 5, ("t", 1): 7, ("u", 0): 1}, None),
        (
            "Both",
            ({("t", 0): ["x", "y"], ("t", 1): ["y"]}, {("t", 0): 5, ("t", 1): 7, ("u", 0): 1}),
            (None, None),
        ),
        ("Anything", {}, {}),
        ("Static", {("t", 0): ["x", "y"], ("t", 1): ["y"]}, None),
    ],
)
def test_keywords_go_to_those_who_name_them(
    name: str, racked: object, bare: object, in_process: bool
) -> None:
    with resolve(f"{DATA}/extras.py:{name}", in_process=in_process).open() as host:
        made = host.new({})
        assert made.assign(RACKED, GROUP)["a"][0].topic == repr(racked)
        assert made.assign(CLUSTER, GROUP)["a"][0].topic == repr(bare)


@both_ways
def test_the_plain_form_sees_everything(in_process: bool) -> None:
    group = Group(
        (Member("a", ("t", "gone", "t"), (TopicPartition("old", 3),), 4, "x", "i", b"data"), Member("b", ()))
    )
    seen = (
        {"t": 2, "u": 1},
        [
            {
                "id": "a",
                "topics": ["t", "gone", "t"],
                "owned": [("old", 3)],
                "generation": 4,
                "rack": "x",
                "instance_id": "i",
            },
            {"id": "b", "topics": [], "owned": [], "generation": -1, "rack": None, "instance_id": None},
        ],
    )
    cluster = Cluster((*RACKED.topics, Topic("empty", 0)), RACKED.brokers)
    with resolve(f"{DATA}/extras.py:Everything", in_process=in_process).open() as host:
        assert host.new({}).assign(cluster, group)["a"][0].topic == repr(seen)


def test_the_hash_seed_is_the_childs() -> None:
    target = resolve(f"{DATA}/extras.py:HashOrder")

    def order(seed: int | None) -> tuple[str, ...]:
        with target.open(hash_seed=seed) as host:
            return tuple(tp.topic for tp in host.new({}).assign(CLUSTER, GROUP)["a"])

    assert order(None) == order(0) == order(None)
    assert len({order(seed) for seed in range(4)}) > 1


@both_ways
def test_the_full_form(in_process: bool) -> None:
    target = resolve(f"{DATA}/full_form.py:Remembers", in_process=in_process, config={"prefix": "p"})
    assert (target.name, target.protocol) == ("remembers", COOPERATIVE)
    assert resolve(target.spec, protocol=RebalanceProtocol.EAGER).protocol == "eager"
    tp = TopicPartition("t", 0)
    with target.open() as host:
        one, other = host.new({}), host.new({"prefix": "q"})
        assert one.name == "remembers"
        assert one.subscription_user_data(("t", "u")) == b"pNonet,u"
        one.on_assignment((tp,), b"!", GroupMetadata(3, "a", "i"))
        assert one.subscription_user_data(()) == b"p!t-03"
        assert other.subscription_user_data(()) == b"qNone"
        answer = one.assign(
            CLUSTER, Group((Member("a", ("t",), user_data=b"\xff\x00"), Member("b", ())), "a")
        )
        assert answer == Assignment({"a": [tp], "b": ()})
        assert answer.user_data == {"a": b"\xff\x00", "b": b"none"}
        assert one.mutated is None


@pytest.mark.slow_cases("False")
@both_ways
def test_the_full_form_done_wrong(in_process: bool) -> None:
    def asked(name: str, call: str, *args: object) -> str:
        with resolve(f"{DATA}/full_form.py:{name}", in_process=in_process).open() as host:
            made = host.new({})
            try:
                getattr(made, call)(*args)
            except TargetFailure as failure:
                return f"{failure.kind}: {failure.message}"
            return str(made.mutated)

    assert asked("Bare", "assign", CLUSTER, GROUP) == "None"
    assert asked("Mutates", "assign", CLUSTER, GROUP) == "cluster.counts was changed"
    assert CLUSTER.counts == {"t": 1}
    assert asked("AnswersStrings", "assign", CLUSTER, GROUP) == (
        "malformed: answer['a'][0] is 't' (str), expected a (topic, partition) pair"
    )
    assert asked("AnswersNone", "assign", CLUSTER, GROUP) == (
        "malformed: answer is None, expected a kassay.model.groups.group.Assignment"
    )
    assert asked("OddUserData", "subscription_user_data", ("t",)) == (
        "malformed: subscription_user_data is 'text' (str), expected bytes or None"
    )
    assert asked("OddUserData", "assign", CLUSTER, GROUP) == (
        "malformed: answer.user_data['a' (str)] is 'text' (str), expected bytes or None"
    )
    learned = asked("OddUserData", "on_assignment", (), None, GroupMetadata(1, "a"))
    assert learned.startswith("raised: on_assignment raised LookupError: forgot (full_form.py:")


@both_ways
def test_placers(in_process: bool) -> None:
    target = resolve(f"{DATA}/placers.py:InTurn", in_process=in_process)
    assert (target.kind, target.claims) == (PLACER, ("replicas-distinct",))
    with target.open() as host:
        made = host.new({})
        assert isinstance(made, Placer)
        assert made.place(PlacementRequest(2, 2, BROKERS), RANDOM) == ((0, 1), (1, 2))
        grown = PlacementRequest(1, 2, BROKERS, existing=((0, 1), (1, 2)))
        assert made.place(grown, RANDOM) == ((2, 0),)
        with pytest.raises(PlacementRefusedError, match="not enough brokers"):
            made.place(PlacementRequest(1, 4, BROKERS), RANDOM)


@both_ways
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AnswersStrings", "answer[0] has the broker '0' (str), expected an int"),
        ("NoExisting", "place raised TypeError: NoExisting.place() got an unexpected keyword"),
    ],
)
def test_placers_that_do_it_wrong(name: str, message: str, in_process: bool) -> None:
    request = PlacementRequest(1, 2, BROKERS, existing=((0, 1),))
    with (
        resolve(f"{DATA}/placers.py:{name}", in_process=in_process).open() as host,
        pytest.raises(TargetFailure) as caught,
    ):
        host.new({}).place(request, RANDOM)
    assert caught.value.message.startswith(message)


@both_ways
def test_placers_that_change_their_input(in_process: bool, tmp_path: Path) -> None:
    file = tmp_path / "sorts.py"
    file.write_text(
        "class Sorts:\n"
        "    def place(self, num_partitions, replication_factor, brokers, existing=None):\n"
        "        brokers.sort(key=lambda b: -b['id'])\n"
        "        return [[b['id'] for b in brokers[:replication_factor]]] * num_partitions\n"
    )
    with resolve(str(file), in_process=in_process).open() as host:
        made = host.new({})
        assert made.place(PlacementRequest(1, 2, BROKERS), RANDOM) == ((2, 1),)
        assert made.mutated.startswith("brokers[0]['id'] was 0 (int) and is 2 (int)")
