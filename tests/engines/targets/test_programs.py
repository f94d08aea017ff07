"""From `exec:COMMAND` to a target."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.engines.processes.host import Limits
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectRequest, ConnectWorker
from kassay.model.errors import FailureKind, InputError, TargetFailure, TargetNotFound, TargetNotLoadable
from kassay.model.groups.group import Assignment
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import Kind, Verdict
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.streams.kinds import STREAMS
from tests.engines.processes.children import children
from tests.engines.processes.hostile import CLUSTER, GROUP
from tests.paths import EXAMPLES

PYTHON = shlex.quote(sys.executable)
PROGRAMS = EXAMPLES / "exec"


@pytest.fixture(autouse=True)
def _no_process_left() -> Iterator[None]:
    before = children()
    yield
    assert children() == before


def test_what_is_no_program(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("not a program\n")
    file.chmod(0o755)
    with pytest.raises(TargetNotLoadable, match="Exec format error"):
        resolve(f"exec:{file}")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(f"{PYTHON} {PROGRAMS}/fair.py", id="python"),
        pytest.param(
            f"node {PROGRAMS}/fair.mjs",
            id="node",
            marks=pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js"),
        ),
    ],
)
def test_the_examples(command: str) -> None:
    target = resolve(f"exec:{command}", limits=Limits(60, start_timeout_s=60))
    assert target.claims == ("deterministic", "order-independent")
    with target.open() as host:
        answer = host.new({}).assign(CLUSTER, GROUP)
    expected = {"a": [("t", 0), ("t", 2), ("u", 0), ("u", 1)], "b": [("t", 1)]}
    assert answer.same_sets(Assignment({m: map(TopicPartition._make, tps) for m, tps in expected.items()}))


@pytest.mark.slow_cases("c", "bash")
@pytest.mark.parametrize(
    ("command", "name", "kind"),
    [
        pytest.param(f"{PYTHON} {PROGRAMS}/sticky2.py", "sticky2", CLIENT, id="python"),
        pytest.param(f"node {PROGRAMS}/turns2.mjs", "turns2-js", CLIENT, id="node", marks=pytest.mark.node),
        pytest.param(
            "{compiled}",
            "hash-c",
            PARTITIONER,
            id="c",
            marks=pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler (cc)"),
        ),
        pytest.param(
            f"bash {PROGRAMS}/first.sh",
            "bash",
            PARTITIONER,
            id="bash",
            marks=pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash"),
        ),
    ],
)
def test_the_examples_of_version_2_are_certified(tmp_path: Path, command: str, name: str, kind: Kind) -> None:
    compiled = tmp_path / "hash"
    if "{compiled}" in command:
        subprocess.run(["cc", "-o", str(compiled), str(PROGRAMS / "hash.c")], check=True)
    target = resolve(f"exec:{command.format(compiled=compiled)}", limits=Limits(60, start_timeout_s=60))
    assert (target.name, target.kind) == (name, kind)
    histories = 130 if kind is PARTITIONER else 80
    certificate = certify(target, RunOptions(budget=Budget(histories=histories), controls=False))
    assert {result.verdict for result in certificate.claims} == {Verdict.HOLDS}


@pytest.mark.slow_cases(
    "member_task_assignor.py-EvenMembers-streams", "task_assignor.py-EvenProcesses-streams"
)
@pytest.mark.parametrize(
    ("file", "name", "kind"),
    [
        ("task_assignor.py", "EvenProcesses", STREAMS),
        ("member_task_assignor.py", "EvenMembers", STREAMS),
        ("connect_assignor.py", "EvenWorkers", CONNECT),
    ],
)
def test_a_program_is_given_the_document_that_a_class_is_given(file: str, name: str, kind: Kind) -> None:
    program = resolve(f"exec:{PYTHON} {PROGRAMS}/documents.py {EXAMPLES}/{file} {name}")
    of_class = resolve(f"{EXAMPLES}/{file}", in_process=True)
    assert (program.kind, program.name, program.claims) == (kind, name, of_class.claims)
    assert program.protocol == of_class.protocol
    certificate = certify(program, RunOptions(budget=Budget(histories=60), controls=False))
    assert {(result.id, result.verdict) for result in certificate.claims} >= {
        (claim, Verdict.HOLDS) for claim in ("single-owner", "pure", *program.claims)
    }


@pytest.mark.parametrize(
    ("hello", "message"),
    [
        ('{"kind": "partitioner"}', "kind: partitioner is no program, expected a class in a Python file"),
        ('{"kind": "task-asignor"}', "kind: found 'task-asignor', expected 'assignor' or "),
        (
            '{"kind": "placer", "level": "member"}',
            "level: only a task-assignor has one, but kind is 'placer'",
        ),
        ('{"level": "thread"}', "level: found 'thread', expected 'process' or 'member'"),
        ('{"level": 1}', "level: found 1, expected a text"),
        ('{"kind": ["placer"]}', "kind: found ['placer'], expected a text"),
        ('{"level": "member", "claims": ["topic-even"]}', "claims[0]: unknown claim 'topic-even'"),
    ],
)
def test_what_a_program_says_of_itself_is_checked(tmp_path: Path, hello: str, message: str) -> None:
    file = tmp_path / "says.py"
    file.write_text(f'input()\nprint(\'{{"id": 1, "answer": {hello}}}\', flush=True)\ninput()\n')
    spec = f"exec:{PYTHON} {file}"
    with pytest.raises(TargetNotLoadable) as caught:
        resolve(spec)
    assert str(caught.value).startswith(f"{spec}: hello: {message}")
    assert "\n" not in str(caught.value)


ODD = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"kind": "connect-assignor"} if request["call"] == "hello" else {"workers": {"w": []}}
    print(json.dumps({"id": request["id"], "answer": answer}), flush=True)
"""


def test_an_answer_that_is_no_document_is_told_by_its_field(tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    with resolve(f"exec:{PYTHON} {file}").open() as host, pytest.raises(TargetFailure) as caught:
        host.new({}).assign(ConnectRequest((), (ConnectWorker("w"),)))
    assert (caught.value.kind, caught.value.message) == (
        FailureKind.MALFORMED,
        "answer['workers']['w'] is [] (list), expected a dict with the keys assigned or revoked",
    )


def test_a_program_is_changed_where_a_file_that_it_is_called_with_is(tmp_path: Path) -> None:
    file = tmp_path / "fair.py"
    file.write_bytes((PROGRAMS / "fair.py").read_bytes())
    spec = f"exec:{PYTHON} {shlex.quote(str(file))}"
    before = resolve(spec).digest
    assert before is not None
    assert resolve(spec).digest == before
    file.write_bytes(file.read_bytes() + b"#\n")
    assert resolve(spec).digest != before


@pytest.mark.parametrize(
    ("spec", "refusal", "message"),
    [
        ("exec:", InputError, "target 'exec:': no command, expected exec:COMMAND"),
        ("exec: ", InputError, "target 'exec: ': no command, expected exec:COMMAND"),
        (
            "exec:'a",
            InputError,
            'target "exec:\'a": an open quote, or a backslash at the end, expected exec:COMMAND as a shell would split it',
        ),
        (
            "exec:no-such-program x",
            TargetNotFound,
            "target 'exec:no-such-program x': there is no program 'no-such-program', "
            "expected one on the PATH or a path",
        ),
    ],
)
def test_a_command_that_cannot_be_started_is_told(spec: str, refusal: type[InputError], message: str) -> None:
    with pytest.raises(refusal) as refused:
        resolve(spec)
    assert (type(refused.value), str(refused.value)) == (refusal, message)


def test_a_command_is_split_as_a_shell_would(tmp_path: Path) -> None:
    folder = tmp_path / "with blanks"
    folder.mkdir()
    file = folder / "fair.py"
    file.write_text((PROGRAMS / "fair.py").read_text())
    with resolve(f"exec:{PYTHON} '{file}'").open() as host:
        assert set(host.new({}).assign(CLUSTER, GROUP)) == {"a", "b"}
