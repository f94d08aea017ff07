"""Assigners of npm as targets: what is missing is said in a line, and what they do costs their verdict alone."""

from __future__ import annotations

import json
import pickle
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kassay.engines.processes.host import Limits
from kassay.engines.targets import node
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind, InputError, TargetFailure, TargetNotFound, TargetNotLoadable
from kassay.model.groups.group import Group, Member
from tests import npm
from tests.engines.processes.children import children

CLUSTER = Cluster.of({"t": 3, "u": 2})
GROUP = Group((Member("b", ("t", "u")), Member("a", ("t", "u"))), "b")
PATIENT = Limits(call_timeout_s=60, start_timeout_s=60)
HASTY = Limits(call_timeout_s=0.5, start_timeout_s=60)
"""For what never ends: no limit would be long enough."""

MINE = """
const assignment = partitions => {
  const part = (bytes, value) => { const b = Buffer.alloc(bytes); b.writeIntBE(value, 0, bytes); return b }
  return Buffer.concat([part(2, 0), part(4, 1), part(2, 1), Buffer.from('t'), part(4, partitions.length),
    ...partitions.map(p => part(4, p)), part(4, 0)])
}
const protocol = ({ topics }) => ({ name: 'mine', metadata: Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7]) })
const mine = body => () => ({ name: 'mine', version: 1, protocol, assign: body })
export default mine(async ({ members, topics }) => {
  globalThis.asked = { members, topics }
  return [{ memberId: members[0].memberId, memberAssignment: assignment([0, 1, 2]) }]
})
export const silent = mine(async () => {})
export const pending = mine(() => new Promise(() => {}))
export const looping = mine(() => { for (;;); })
export const leaving = mine(() => process.exit(3))
export const hungry = mine(() => { const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1)) })
export const printing = mine(async () => {
  console.log('hello'); process.stdout.write('{"id": 4, "answer": {}}'); return [] })
export const garbage = mine(async ({ members }) => members.map(m => ({ memberId: m.memberId, memberAssignment: Buffer.from('xyz') })))
export const texts = mine(async ({ members }) => members.map(m => ({ memberId: m.memberId, memberAssignment: 'all' })))
export const throwing = mine(async () => { throw new RangeError('no luck') })
export const words = mine(async () => { throw 'no luck' })
export const wordless = () => ({ ...mine(async () => [])(), protocol: () => ({ metadata: 'mine' }) })
export const half = () => ({ name: 'half', assign: async () => [] })
export const broken = () => { throw new Error('not today') }
export const number = 5
export const theirs = (current, members, topics, metadata) => [...members.keys()].map((memberId, i) => ({
  memberId, assignments: new Map(i ? [] : [...topics].map(t =>
    [t, { topic: t, partitions: [...Array(metadata.topics.get(t).partitionsCount).keys()] }])) }))
export const nothing = (current, members, topics, metadata) => {}
export const nested = { inside: { theirs } }
"""


@pytest.fixture
def spec(tmp_path: Path) -> Callable[[str], str]:
    npm.needs_node()
    file = tmp_path / "mine.mjs"
    file.write_text(MINE)
    return lambda export: f"node:{file}!{export}"


def answer(
    spec: str, limits: Limits = PATIENT, group: Group = GROUP
) -> dict[str, tuple[TopicPartition, ...]]:
    with resolve(spec, limits=limits).open() as host:
        return dict(host.new({}).assign(CLUSTER, group))


def everything(topic: str, count: int) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(topic, p) for p in range(count))


@pytest.mark.node
def test_an_assigner_of_kafkajs_interface(spec: Callable[[str], str]) -> None:
    target = resolve(spec("default"))
    assert (target.protocol, target.claims) == ("eager", ())
    assert dict(target.versions).keys() == {"node"}
    assert target.digest
    with pickle.loads(pickle.dumps(target)).open() as host:
        member = host.new({})
        assert member.subscription_user_data(("t",)) == b"\x07"
        assert dict(member.assign(CLUSTER, GROUP)) == {"b": everything("t", 3), "a": ()}
    assert not children()


@pytest.mark.node
@pytest.mark.parametrize("export", ["theirs", "nested.inside.theirs"])
def test_an_assigner_of_platformatics_interface(spec: Callable[[str], str], export: str) -> None:
    given = everything("t", 3) + everything("u", 2)
    assert answer(spec(export)) == {"b": given, "a": ()}


@pytest.mark.node
def test_a_platformatic_member_that_is_alone_takes_all_without_asking(spec: Callable[[str], str]) -> None:
    alone = Group((Member("a", ("u", "gone", "u")),), "a")
    assert answer(spec("nothing"), group=alone) == {"a": everything("u", 2)}


def lines(spec: str, *requests: Mapping[str, object]) -> list[dict[str, object]]:
    """What the host program writes to these requests."""
    file, _, export = spec.removeprefix("node:").partition("!")
    text = "".join(f"{json.dumps({'id': n, **request})}\n" for n, request in enumerate(requests, start=1))
    argv = ["node", str(node.HOST), "/", file, export]
    written = subprocess.run(argv, input=text, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in written.splitlines()]


@pytest.mark.node
def test_a_batch_and_a_round_are_answered_line_by_line(spec: Callable[[str], str]) -> None:
    members = [{"id": m, "topics": ["t"], "object": n} for n, m in enumerate("ab", start=1)]
    asked = {
        "call": "round",
        "object": 1,
        "leader": "a",
        "partitions_per_topic": {"t": 3},
        "members": members,
    }
    looks = [{"object": 2}, {"object": 1, "members": members[::-1]}, {"object": 9}, {"object": 2}]
    news = [{"call": "new", "object": number, "config": {}} for number in (1, 2)]
    batch = {
        "call": "batch",
        "requests": [*news, {"call": "drop", "objects": [7]}, {**asked, "looks": looks}],
    }
    everything, nothing = [["t", 0], ["t", 1], ["t", 2]], {"answer": {"a": [], "b": []}}
    to_a, to_b = ({"answer": {**nothing["answer"], m: everything}} for m in "ab")
    missing = {"error": "Error: there is no object 9"}
    sent = [{"answer": "Bw=="}, {"answer": "Bw=="}]
    expected = [{"answer": {}}, {"answer": {}}, {"answer": None}, *sent, to_a, to_a, to_b, missing, to_a]
    assert lines(spec("default"), batch) == [{"id": 1, **line} for line in expected]


@pytest.mark.node
@pytest.mark.parametrize(("export", "count"), [("wordless", 1), ("throwing", 3)])
def test_a_round_ends_with_the_first_that_fails(spec: Callable[[str], str], export: str, count: int) -> None:
    members = [{"id": m, "topics": ["t"], "object": n} for n, m in enumerate("ab", start=1)]
    asked = {
        "call": "round",
        "object": 1,
        "leader": "a",
        "partitions_per_topic": {"t": 3},
        "members": members,
    }
    news = [{"call": "new", "object": number, "config": {}} for number in (1, 2)]
    written = lines(spec(export), *news, {**asked, "looks": [{"object": 2}]})
    assert ["error" in line for line in written] == [False] * (1 + count) + [True]
    assert [line["id"] for line in written] == [1, 2] + [3] * count


@pytest.mark.node
def test_what_is_printed_is_no_answer(spec: Callable[[str], str]) -> None:
    assert answer(spec("printing")) == {"a": (), "b": ()}


@pytest.mark.node
@pytest.mark.parametrize(
    ("export", "kind", "message"),
    [
        ("silent", FailureKind.RAISED, "assign answered undefined, expected [{ memberId"),
        ("nothing", FailureKind.RAISED, "TypeError: assigner is not a function or its return value"),
        ("garbage", FailureKind.RAISED, "memberAssignment of b is not of the consumer protocol"),
        ("texts", FailureKind.RAISED, "memberAssignment of b is all, expected a Buffer"),
        ("throwing", FailureKind.RAISED, "RangeError: no luck (mine.mjs:"),
        ("words", FailureKind.RAISED, "string thrown: no luck"),
        ("leaving", FailureKind.DIED, "exit status 3"),
        ("hungry", FailureKind.MEMORY, "MiB of memory"),
    ],
)
def test_what_an_assigner_does_costs_its_verdict(
    spec: Callable[[str], str], export: str, kind: FailureKind, message: str
) -> None:
    with pytest.raises(TargetFailure) as caught:
        answer(spec(export))
    assert caught.value.kind is kind
    assert message in str(caught.value)
    assert not children()


@pytest.mark.node
@pytest.mark.parametrize("export", ["pending", "looping"])
def test_an_assigner_that_never_answers_is_ended(spec: Callable[[str], str], export: str) -> None:
    target = resolve(spec(export))
    with target.open() as patient:
        assert patient.new({}).subscription_user_data(("t",)) == b"\x07"
    with pytest.raises(TargetFailure) as caught:
        answer(spec(export), HASTY)
    assert caught.value.kind is FailureKind.TIMEOUT
    assert not children()


@pytest.mark.node
def test_metadata_that_is_none_is_the_members_failure(spec: Callable[[str], str]) -> None:
    with resolve(spec("wordless")).open() as host:
        member = host.new({})
        with pytest.raises(TargetFailure, match=r"metadata of protocol\(\) is mine, expected a Buffer"):
            member.subscription_user_data(("t",))


@pytest.mark.node
@pytest.mark.parametrize(
    ("export", "message"),
    [
        ("nosuch", "nosuch: there is no such export; there are"),
        ("number", "it is of type number"),
        ("half", "made of type Object, expected a kafkajs assigner"),
        ("broken", "Error: not today"),
        ("toString", "there is no such export"),
    ],
)
def test_an_export_that_is_no_assigner_is_told_in_a_line(
    spec: Callable[[str], str], export: str, message: str
) -> None:
    with pytest.raises(TargetNotLoadable) as caught:
        resolve(spec(export), limits=PATIENT)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.node
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("throw new Error('no luck')", "Error: no luck"),
        ("process.exit(5)", "exit status 5"),
        ("export default = 5", "SyntaxError"),
        ("import 'nosuch'", "Cannot find package 'nosuch'"),
    ],
)
def test_a_file_that_does_not_load_is_told_in_a_line(tmp_path: Path, code: str, message: str) -> None:
    npm.needs_node()
    file = tmp_path / "mine.mjs"
    file.write_text(code)
    with pytest.raises(TargetNotLoadable) as caught:
        resolve(f"node:{file}", limits=PATIENT)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not children()


@pytest.mark.node
def test_a_file_that_never_loads_is_given_up(tmp_path: Path) -> None:
    npm.needs_node()
    (tmp_path / "mine.mjs").write_text("await new Promise(() => {})")
    with pytest.raises(TargetNotLoadable, match="did not answer within"):
        resolve(f"node:{tmp_path}/mine.mjs", limits=Limits(start_timeout_s=1))


@pytest.mark.node
@pytest.mark.parametrize("library", ["kafkajs", "platformatic"])
def test_a_librarys_round_robin(library: str) -> None:
    package = node.LIBRARIES[f"{library}:roundrobin"].package
    npm.installed(package)
    target = resolve(f"{library}:roundrobin")
    assert dict(target.versions).keys() == {"node", package}
    with target.open() as host:
        one, other = host.new({}), host.new({})
        assert one.subscription_user_data(("t",)) is None
        dealt = one.assign(CLUSTER, GROUP)
        assert sorted(map(len, dealt.values())) == [2, 3]
        assert other.assign(CLUSTER, GROUP) == dealt


@pytest.mark.node
def test_our_reading_of_the_consumer_protocol_is_kafkajs_own(tmp_path: Path) -> None:
    """An assigner that encodes by kafkajs, and that is handed what kafkajs decodes."""
    package = npm.installed("kafkajs")
    (tmp_path / "mine.mjs").write_text(f"""
        import {{ createRequire }} from 'node:module'
        const {{ AssignerProtocol: {{ MemberMetadata, MemberAssignment }} }} = createRequire('{package}/x.js')('{package}')
        export default () => ({{
          name: 'mine',
          version: 3,
          protocol: ({{ topics }}) =>
            ({{ name: 'mine', metadata: MemberMetadata.encode({{ version: 3, topics, userData: Buffer.from('né') }}) }}),
          assign: async ({{ members, topics }}) => {{
            const joined = members.map(m => MemberMetadata.decode(m.memberMetadata))
            const said = joined.map(j => `${{j.version}} ${{j.topics}} ${{j.userData}}`).join('; ')
            if (said !== '3 t,u né; 3 t ') throw new Error(said)
            return [{{ memberId: 'a', memberAssignment: MemberAssignment.encode(
              {{ version: 0, assignment: {{ ü: [0, 7], t: [2147483647] }} }}) }}]
          }},
        }})
    """)
    with resolve(f"node:{tmp_path}/mine.mjs").open() as host:
        member = host.new({})
        sent = member.subscription_user_data(("t",))
        assert sent == "né".encode()
        group = Group((Member("a", ("t", "u", "t"), user_data=sent), Member("b", ("t",))), "a")
        given = dict(member.assign(CLUSTER, group))
    assert given == {
        "a": (TopicPartition("ü", 0), TopicPartition("ü", 7), TopicPartition("t", 2147483647)),
        "b": (),
    }


def test_a_spec_that_names_no_assigner() -> None:
    for spec in ("kafkajs:range", "kafkajs:", "platformatic:sticky"):
        with pytest.raises(TargetNotFound, match=r"expected one of \w+:roundrobin"):
            resolve(spec)
    with pytest.raises(InputError, match="its release is that of the package in node_modules"):
        resolve("kafkajs:roundrobin@2")
    with pytest.raises(InputError, match=r"expected node:PACKAGE\[!EXPORT\]"):
        resolve("node:")


def test_without_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TargetNotLoadable, match="there is no node on the PATH, expected Node 18 or later"):
        resolve("kafkajs:roundrobin")


@pytest.fixture
def _with_a_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Something that is called node, which nobody starts."""
    program = tmp_path / "bin" / "node"
    program.parent.mkdir()
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(program.parent))


@pytest.mark.usefixtures("_with_a_node")
def test_without_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(node.MODULES_VARIABLE, str(tmp_path / "elsewhere"))
    for spec, install in (("kafkajs:roundrobin", "kafkajs@2"), ("node:@a/b/c!d", "@a/b")):
        with pytest.raises(TargetNotLoadable) as caught:
            resolve(spec)
        assert f"npm install {install}, or let KASSAY_NODE_MODULES name" in str(caught.value)
    with pytest.raises(TargetNotFound, match=r"node:\./mine.mjs: no such file"):
        resolve("node:./mine.mjs")


@pytest.mark.usefixtures("_with_a_node")
@pytest.mark.parametrize("named", ["node_modules", ""])
def test_the_environment_names_the_folder_or_what_holds_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str
) -> None:
    package = tmp_path / "node_modules" / "kafkajs" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text("{}")
    monkeypatch.setenv(node.MODULES_VARIABLE, str(tmp_path / named))
    with pytest.raises(TargetNotLoadable, match=r"kafkajs:roundrobin: .* during hello"):
        resolve("kafkajs:roundrobin")
