"""What a document of a few bytes asks for is refused before anything is made of it."""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from kassay.cli.main import run
from kassay.model.shape.codec import MOST
from tests.paths import HELD, ROOT, VECTORS

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


def shares(partitions: object, **fields: object) -> dict[str, Any]:
    return group(partitions) | {"family": "D"} | fields


def tasks(count: object, standbys: object = 0, **fields: object) -> dict[str, Any]:
    return {
        "family": "C",
        "clients": [{"id": "a"}],
        "tasks": count,
        "standbys": standbys,
        "active": [],
        "standby": [],
    } | fields


def certificate(schema: str, instance: object) -> dict[str, Any]:
    proof: dict[str, Any] = {key: {} for key in ("assignment", "levels", "prices", "standbys")}
    return {"schema": f"kassay/{schema}-certificate/1", "instance": instance, **proof}


ABSURD = [10**12, 10**30, 1e30, 1e9]
INSTANCES = [
    *(make(size) for make in (group, brokers, tasks, shares) for size in ABSURD),
    brokers(0, 10**30),
    tasks(0, 10**30),
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
    + [("gap range --suite", group(size)) for size in ABSURD],
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


TWO: list[dict[str, Any]] = [{"name": name, "partitions": MOST} for name in ("t", "u")]
THREADS = [{"id": name, "threads": MOST} for name in "ab"]
TOGETHER = {
    "optimum": (group(0, topics=TWO), "topics", "partitions"),
    "share": (shares(0, topics=TWO), "topics", "partitions"),
    "placement": (brokers(0) | {"topics": [topic | {"rf": 1} for topic in TWO]}, "topics", "replicas"),
    "tasks": (tasks(0, clients=THREADS), "clients", "threads"),
}
"""Instances of each kind that have too many together, where, and of what."""
PROVEN: dict[str, dict[str, Any]] = {
    "optimum": {"order": "balance,movement,rack", "assignment": {}, "levels": {}, "prices": {}, "loads": []}
    | {"moved": 0, "rack_mismatch": 0},
    "share": {"assignment": {}, "covers": [], "moved": 0},
    "placement": {"assignment": {}, "prices": [], "leader_prices": []},
    "tasks": {"assignment": {}, "standbys": {}, "balanced": True, "copy_prices": [], "active_prices": []}
    | {"lower": 0, "upper": 0, "moved": 0},
}


@pytest.mark.parametrize("kind", TOGETHER)
def test_what_is_too_much_together_is_told_with_its_place_by_solver_and_checker(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance, field, things = TOGETHER[kind]
    path = tmp_path / "together.json"
    told = f"found {2 * MOST} {{}} in all, expected at most {MOST}"
    path.write_text(json.dumps(instance))
    assert run(["optimum", str(path)]) == 2
    assert capsys.readouterr().err == f"kassay: {path}: {field}: {told.format(things)}\n"
    path.write_text(
        json.dumps({"schema": f"kassay/{kind}-certificate/1", "instance": instance} | PROVEN[kind])
    )
    assert run(["check", str(path)]) == 2
    # What a checker holds in memory are partitions; how many replicas each has it sees written out.
    counted = told.format("partitions" if things == "replicas" else things)
    assert capsys.readouterr().err == f"kassay: {path}: instance.{field}: {counted}\n"


def test_threads_are_not_made_before_they_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "threads.json"
    instance = tasks(1, active=[None], standby=[[]], clients=[{"id": "a", "threads": 10**12}])
    path.write_text(json.dumps(instance))
    assert run(["gap", "streams-sticky", "--suite", str(path)]) == 2
    assert "clients: found 1000000000000 threads in all" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "field", "things"),
    [
        ("client-range", "topics", "partitions"),
        ("server-uniform", "topics", "partitions"),
        ("4.4/streams-group-sticky", "subtopologies", "tasks"),
    ],
)
def test_what_vectors_ask_for_is_counted_before_it_is_made(
    file: str, field: str, things: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(gzip.decompress((VECTORS / f"{file}.json.gz").read_bytes()))
    vector = next(each for each in document["vectors"] if each[field])
    vector[field] = [vector[field][0] | {"partitions": MOST}] * 2
    path = tmp_path / "absurd.json"
    path.write_text(json.dumps(document | {"vectors": [vector]}))
    assert run(["vectors", str(path)]) == 2
    told = f"{field}: found {2 * MOST} {things} in all, expected at most {MOST}"
    assert capsys.readouterr().err == f"kassay: {path}: vector {vector['id']}: {told}\n"


@pytest.mark.parametrize("command", ["replay", "explain"])
@pytest.mark.parametrize("kind", ["client", "server", "share", "placer", "planner", "streams", "partitioner"])
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
