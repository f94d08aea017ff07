"""What a document of a few bytes asks for is refused before anything is made of it."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from kassay.cli.main import run
from kassay.model.codec import MOST
from tests.paths import HELD, ROOT

SIZES = ("partitions", "tasks", "standbys", "standby_replicas", "stateful", "replication_factor")
UNBOUNDED = re.compile(
    rf"^\s+\"?({'|'.join(SIZES)})\"?(: |=)(Field\()?(codec\.)?(COUNT|WHOLE|Count|Positive|whole\(\d\))",
    re.MULTILINE,
)
DEEP: list[Any] = []
for _ in range(500):
    DEEP = [DEEP]


def group(partitions: object, **fields: object) -> dict[str, Any]:
    topic = {"name": "t", "partitions": partitions}
    return {"family": "A", "members": [{"id": "a", "topics": ["t"]}], "topics": [topic]} | fields


def brokers(partitions: object, rf: object = 1) -> dict[str, Any]:
    topic = {"name": "t", "partitions": partitions, "rf": rf}
    return {"family": "B", "brokers": [{"id": 0}], "topics": [topic]}


def tasks(count: object, standbys: object = 0) -> dict[str, Any]:
    return {
        "family": "C",
        "clients": [{"id": "a"}],
        "tasks": count,
        "standbys": standbys,
        "active": [],
        "standby": [],
    }


def certificate(schema: str, instance: object) -> dict[str, Any]:
    proof: dict[str, Any] = {key: {} for key in ("assignment", "levels", "prices", "standbys")}
    return {"schema": f"kassay/{schema}-certificate/1", "instance": instance, **proof}


ABSURD = [10**12, 10**30, 1e30, 1e9]
INSTANCES = [
    *(make(size) for make in (group, brokers, tasks) for size in ABSURD),
    brokers(0, 10**30),
    brokers(MOST // 2 + 1, 2),
    tasks(0, 10**30),
    group(0, topics=[{"name": name, "partitions": MOST} for name in ("t", "u")]),
    group(1, members=DEEP),
    [1],
]
SCHEMAS = {"A": "optimum", "B": "placement", "C": "tasks"}
CERTIFICATES = [
    *(
        certificate(SCHEMAS[make(0)["family"]], make(size))
        for make in (group, brokers, tasks)
        for size in ABSURD
    ),
    certificate("tasks", tasks(0, 10**30)),
    certificate("optimum", [1]),
    certificate("interval", DEEP),
]


@pytest.mark.parametrize(
    ("command", "instance"),
    [("optimum", instance) for instance in INSTANCES]
    + [("gap range --in-process --instances", group(size)) for size in ABSURD],
    ids=lambda part: str(part)[:60],
)
def test_an_absurd_instance_is_refused_in_one_line(
    command: str, instance: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "absurd.json"
    path.write_text(json.dumps(instance))
    assert run([*command.split(), str(path)]) == 2
    assert_one_line(capsys, str(path))


@pytest.mark.parametrize("document", CERTIFICATES, ids=lambda document: str(document)[:110])
def test_an_absurd_certificate_is_refused_in_one_line(
    document: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "absurd.json"
    path.write_text(json.dumps(document))
    assert run(["check", str(path)]) == 2
    assert_one_line(capsys, str(path))


@pytest.mark.parametrize("command", ["replay", "explain"])
@pytest.mark.parametrize("kind", "CSHPLTK")
def test_absurd_sizes_in_a_trace_are_refused_in_one_line(
    command: str,
    kind: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(HELD)
    texts = (path.read_text() for path in sorted((HELD / "traces").glob("*.json")))
    trace = next(each for each in map(json.loads, texts) if each["kind"] == kind)
    places = list(sizes_in(trace["case"]))
    assert places
    path = tmp_path / "absurd.json"
    for place, key in [*places, (trace, "case")]:
        for absurd in (10**12, 10**30, DEEP):
            kept = place[key]
            place[key] = copy.copy(absurd)
            path.write_text(json.dumps(trace))
            place[key] = kept
            code = run([command, str(path)])
            if command == "explain" and code == 0:
                capsys.readouterr()  # told from what the trace keeps for its reader
                continue
            assert code == 2, (key, absurd)
            assert_one_line(capsys, str(path))


def sizes_in(value: Any) -> Any:
    """Where numbers of things to be made stand in a document."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in entries:
        if key in SIZES and isinstance(inner, int):
            yield value, key
        elif key in SIZES and isinstance(inner, list):
            yield from ((inner, index) for index in range(len(inner)))
        else:
            yield from sizes_in(inner)


def assert_one_line(capsys: pytest.CaptureFixture[str], path: str) -> None:
    told = capsys.readouterr().err
    assert told.startswith(f"kassay: {path}"), told
    assert told.count("\n") == 1, told


def test_every_field_that_says_how_many_is_bounded() -> None:
    package = ROOT / "src" / "kassay"
    readers = [
        path
        for path in package.rglob("*.py")
        if "check" not in path.relative_to(package).parts
        and re.search(r"kassay\.(reading|model(\.codec| import codec))", path.read_text())
    ]
    assert len(readers) > 20
    unbounded = {
        str(path): match.group().strip() for path in readers for match in UNBOUNDED.finditer(path.read_text())
    }
    assert unbounded == {}
    assert UNBOUNDED.search("\n    partitions: Count\n")
    assert UNBOUNDED.search('\n    "partitions": codec.whole(1),\n')
