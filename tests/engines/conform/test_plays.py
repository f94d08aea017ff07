"""Scripts: read from TOML, played on the model as on Kafka's classes, and what conform prints can be played."""

import io
import json
import re
import tomllib
from datetime import date

import pytest

from kassay.engines.conform.broken import Watch
from kassay.engines.conform.findings import KNOWN, known_finding
from kassay.engines.conform.on_model import ModelPlayer
from kassay.engines.conform.plays import KafkaPlayer, MemberIds, as_toml, played, read_script, script_of
from kassay.engines.conform.script import event_line
from kassay.engines.genuine.coordinator import CONFIG, GenuineProcess, GenuineStep
from kassay.engines.vectors.protocol.streams import STREAMS_EVENTS
from kassay.model.errors import InputError
from kassay.model.protocols.values.releases import MODELLED, NEWEST
from kassay.report.played import played_described
from kassay.report.screen.blocks import described_view
from kassay.report.screen.console import console
from tests.genuine import genuine_jars
from tests.paths import DOCS, EXAMPLES

SCRIPTS = sorted((EXAMPLES / "coordinator").glob("*.toml"))
FINDINGS = {
    "a-vanish": ("A", {NEWEST}),
    "b-generation-twice": ("B", {*MODELLED}),
    "c-join-timer": ("C", {*MODELLED}),
    "e-empty-unwritten": ("E", {*MODELLED}),
    "f-generation-0": ("F", {*MODELLED}),
    "g-unreadable-subscription": ("G", {*MODELLED} - {NEWEST}),
    "h-downgrade-without-a-target": ("H", {*MODELLED} - {"4.3.1", NEWEST}),
    "l-unreadable-log": ("L", {*MODELLED} - {NEWEST}),
    "s-second-assignment": ("S", {*MODELLED}),
    "t-leftover-timer": ("T", {*MODELLED}),
    "u-failed-write-timer": ("U", {*MODELLED}),
    "upgrade-at-generation-0": ("R5", {"4.3.1", NEWEST}),
    "v-replaced-timer": ("V", {*MODELLED}),
    "w-full-group-timer": ("W", {*MODELLED}),
    "x-refused-upgrade-timer": ("X", {*MODELLED}),
    "y-refused-thread-timers": ("Y", {NEWEST}),
    "z-acknowledged-late-timer": ("Z", {*MODELLED}),
}
"""Of each finding: its script, its letter, and the releases in which the script shows it."""
ON_LOG = ("A", "E", "L", "S")
"""Findings that only a reader of the log sees, which the model's player has none of."""


def has_streams(read):
    return any(step["event"] in STREAMS_EVENTS for step in read.steps)


def shown_findings(steps, release, process=None):
    """The letters of the findings that a player shows; a cause that is of none stands for itself."""
    watch = Watch(process)
    for step, _ in steps:
        watch.look(step)
    known = {each.cause: known_finding(each.cause, release) for each in watch.broken}
    return {finding.letter if finding else cause for cause, finding in known.items()}


def test_every_finding_has_a_script():
    assert {letter for letter, _ in FINDINGS.values()} == {finding.letter for finding in KNOWN}
    page = (DOCS / "coordinator-findings.md").read_text()
    for name, (letter, _) in FINDINGS.items():
        assert f"`{name}.toml`" in page or f"`examples/coordinator/{name}.toml`" in page
        assert re.search(rf"^\| {letter} \| ", page, re.M)


@pytest.mark.parametrize("release", MODELLED)
@pytest.mark.parametrize("name", FINDINGS)
def test_the_model_shows_a_finding_in_its_releases_alone(name, release):
    letter, releases = FINDINGS[name]
    read = script(name)
    if release != NEWEST and has_streams(read):
        pytest.skip("the model has Streams groups for the newest release alone")
    shown = shown_findings(on_model(read, release), release)
    if letter not in ON_LOG:
        assert (letter in shown) is (release in releases)
    assert shown <= {finding.letter for finding in KNOWN}


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.parametrize("release", MODELLED)
def test_kafka_shows_a_finding_in_its_releases_alone(release):
    with GenuineProcess(genuine_jars(release)) as process:
        for name, (letter, releases) in FINDINGS.items():
            read = script(name)
            if release != NEWEST and has_streams(read):
                continue
            shown = shown_findings(played(read, KafkaPlayer(read, process)), release, process)
            assert (letter in shown) is (release in releases), name
            assert shown <= {finding.letter for finding in KNOWN}, name


def script(name):
    return read_script(EXAMPLES / "coordinator" / f"{name}.toml")


def on_model(read, release=NEWEST):
    return list(played(read, ModelPlayer(read.config, read.topics, release)))


def told(steps):
    """The lines without exceptions of requests, which the model does not have."""
    lines = [ids.marked(event_line(step)) for step, ids in steps]
    return [line.partition("; Illegal")[0].partition(": ")[0] if "reload" in line else line for line in lines]


def errors(steps):
    return [[answer["error"] for answer in step.answers] for step, _ in steps]


def test_a_removal_from_memory_alone_leaves_a_log_that_does_not_load():
    steps = on_model(script("a-vanish"))
    assert errors(steps)[3:] == [["UNKNOWN_MEMBER_ID"], ["NONE"], [], ["NOT_COORDINATOR"]]
    assert steps[3][0].state["type"] is None
    assert "the log does not load" in steps[5][0].exception


def test_a_generation_is_given_twice_and_both_members_commit():
    steps = on_model(script("b-generation-twice"))
    joins = [a for step, _ in steps for a in step.answers if a["kind"] == "join" and a["error"] == "NONE"]
    assert [answer["generation"] for answer in joins] == [1, 2, 2, 2]
    assert errors(steps)[-3:] == [["NONE"]] * 3


def test_a_creation_that_failed_leaves_a_timer_that_throws():
    steps = on_model(script("c-join-timer"))
    assert steps[-1][0].exception == "IllegalStateException"
    assert steps[-1][0].document["fired"] == [["join", None]]
    assert steps[-1][0].state["generation"] == 1


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_example_can_be_played_on_the_model(path):
    steps = on_model(read_script(path))
    assert len(steps) == len(tomllib.loads(path.read_text())["step"])


@pytest.mark.parametrize(
    ("release", "epochs", "topics"),
    [
        ("4.4.0", [0, 0, 0, 1], 0),
        ("4.3.1", [0, 0, 0, 1], 0),
        ("4.2.1", [1, 1, 1, 2], 0),
        ("4.0.2", [1, 1, 1, 2], 2),
    ],
)
def test_a_script_is_played_by_the_rules_of_the_release(release, epochs, topics):
    """A group starts at epoch 0 before 4.3, and 4.0 also records its topics."""
    steps = [step for step, _ in on_model(script("upgrade-at-generation-0"), release)]
    given = [a["epoch"] for step in steps for a in step.answers if a["kind"] == "consumer_heartbeat"]
    records = [record["type"] for step in steps for record in step.records]
    assert (given, records.count("topics")) == (epochs, topics)


@pytest.mark.parametrize(
    ("name", "release", "words"),
    [
        ("c-join-timer", "4.0.1", "--release 4.0.1: not modelled; expected one of 4.4.0, "),
        (
            "a-vanish",
            "4.3.1",
            r"step 4 \(streams_heartbeat\): the model has rules of streams groups only for 4.4.0",
        ),
    ],
)
def test_what_the_model_does_not_have_is_refused(name, release, words):
    with pytest.raises(InputError, match=words):
        on_model(script(name), release)


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.parametrize("release", MODELLED)
def test_every_example_has_the_same_outcome_on_kafkas_classes(release):
    with GenuineProcess(genuine_jars(release)) as process:
        for path in SCRIPTS:
            read = read_script(path)
            if release != NEWEST and has_streams(read):
                continue  # the model has them for the newest release alone
            genuine = list(played(read, KafkaPlayer(read, process)))
            model = on_model(read, release)
            assert errors(model) == errors(genuine), path.stem
            for (ours, ids), (kafkas, other) in zip(model, genuine):
                assert len(ours.records) == len(kafkas.records)
                assert (
                    ids.marked(event_line(ours)).split("; Illegal")[0].split(": record")[0]
                    in (other.marked(event_line(kafkas)).split("; Illegal")[0].split(": java")[0])
                ), path.stem
                assert ours.state.get("state") == kafkas.state.get("state")


def test_a_step_shows_its_answers_records_and_state():
    steps = on_model(script("b-generation-twice"))
    step, ids = steps[2]
    event, record, group, member, timers = shown(
        described_view(played_described("", [step], ids, whole=True))
    ).splitlines()
    assert event.startswith("2  sync member=#1 generation=1") and event.endswith("assignment={t: [0]}")
    assert record.strip().startswith("record type=group generation=1")
    assert group.strip().startswith("classic group: state=Stable generation=1")
    assert member.strip() == "member #1: instance=i1 assignment={t: [0]}"
    assert timers.strip() == "timers: session #1 at 300000"
    assert shown(described_view(played_described("", [step], ids, whole=False))).splitlines() == [event]


def shown(view):
    """A view as a pipe gets it."""
    out = io.StringIO()
    console(file=out).show(view)
    return out.getvalue()


HELLO = {"event": "consumer_heartbeat", "member": "m", "epoch": 0}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "step: expected at least one"),
        ({"steps": []}, "steps: unknown field, expected one of config, step"),
        ({"topics": 3, "step": [HELLO]}, "topics: found 3, expected an object"),
        ({"topics": {"foo": 1.5}, "step": [HELLO]}, "topics.foo: found 1.5, expected partitions, up to"),
        ({"title": 3, "step": [HELLO]}, "title: found 3, expected a text"),
        ({"config": 3, "step": [HELLO]}, "config: found 3, expected an object"),
        ({"config": {"streams": 3}, "step": [HELLO]}, "config: streams: found 3, expected an object"),
        (
            {"config": {"classic_max_session_timeout_ms": "x"}, "step": [HELLO]},
            "config.classic_max_session_timeout_ms: found 'x', expected a whole number",
        ),
        (
            {"config": {"consumer_assignor_offload": 1}, "step": [HELLO]},
            "config.consumer_assignor_offload: found 1, expected true or false",
        ),
        ({"step": [{"member": ""}]}, "step 0: event: found nothing, expected one of join, sync"),
        ({"step": [{"event": ["join"]}]}, r"step 0: event: found \['join'\], expected one of join, sync"),
        (
            {"step": [HELLO | {"member": date(2024, 1, 1)}]},
            r"step 0 \(consumer_heartbeat\): member: found a date or a time, expected it in quotes",
        ),
        ({"step": [{"event": "hop"}]}, "step 0: event: found 'hop', expected one of join, "),
        ({"step": [HELLO | {"epok": 1}]}, r"step 0 \(consumer_heartbeat\): unknown field 'epok'"),
        ({"step": [{"event": "join", "member": ""}]}, r"step 0 \(join\): protocols is missing"),
        (
            {"config": {"policy": 1}, "step": [HELLO]},
            "config.policy: unknown field, expected one of classic_initial_rebalance_delay_ms",
        ),
        ({"config": {"migration_policy": "UP"}, "step": [HELLO]}, "migration_policy"),
        ({"step": [1]}, r"step\[0\]: found 1, expected an object"),
    ],
)
def test_a_wrong_script_is_refused_by_what_is_wrong(document, message):
    with pytest.raises(InputError, match=message):
        script_of(document)


def test_a_file_that_is_no_toml_is_refused_by_its_name(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("step = [")
    with pytest.raises(InputError, match=r"a\.toml: not TOML"):
        read_script(path)
    with pytest.raises(InputError, match=r"b\.toml"):
        read_script(tmp_path / "b.toml")


def test_a_mark_of_an_id_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="#2: the coordinator has made 0 member ids so far"):
        MemberIds().resolved({"event": "heartbeat", "member": "#2"})


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_is_written_as_it_is_read(path):
    read = read_script(path)
    again = script_of(tomllib.loads(as_toml(read.config, read.topics, read.steps)))
    assert (again.config, again.topics, again.steps) == (read.config, read.topics, read.steps)


def test_what_conform_prints_can_be_played():
    """A history that was played, with the ids that the coordinator made, becomes a script with marks."""
    from kassay.engines.conform.intentions import Setup
    from kassay.engines.conform.plays import played_as_toml

    read = script("b-generation-twice")
    steps = [step for step, _ in on_model(read)]
    text = played_as_toml(Setup("classic", {**CONFIG, **read.config}, read.topics, 1), steps)
    assert json.dumps(script_of(tomllib.loads(text)).steps) == json.dumps(read.steps)
    assert GenuineStep is type(steps[0])
