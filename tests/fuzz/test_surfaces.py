"""Whatever comes from outside, kassay answers with its own exit codes: never 70, a traceback, a hang or a flood.

`tox -e fuzz` gives each surface KASSAY_FUZZ_SECONDS (5; where users' files are read 10) from KASSAY_FUZZ_SEED
(0) on.
"""

import contextlib
import json
import re
import zipfile
from io import BytesIO
from pathlib import Path

import click
import pytest
from hypothesis import strategies as st

from kassay.cli.main import cli
from kassay.engines.clusters.events import parse_events
from kassay.engines.clusters.inputs import read_cluster
from kassay.engines.clusters.observed import observe
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.re2 import InvalidExpression, compiled
from kassay.pipeline.campaign.spec import read_spec
from kassay.pipeline.fleet.dialects import parse
from kassay.pipeline.fleet.snapshots import read_subscriptions
from kassay.properties.registry import load_claims
from kassay.properties.sentences.grammar import GRAMMAR
from kassay.properties.sentences.vocabulary import FUNCTIONS
from kassay.properties.sentences.words import VOCABULARIES
from kassay.reading.kafka.brokers import read_brokers, read_log_dirs
from kassay.reading.kafka.offsets.values import read_assignment, read_subscription
from kassay.reading.kafka.reassignment import read_reassignments
from kassay.reading.kafka.topics import read_topics
from tests.fuzz import corpora
from tests.fuzz.budget import READER_SECONDS, bounded, fuzz, ran
from tests.fuzz.mutations import bent, documents, json_bytes, json_lines, names, numbers, text_bytes, values
from tests.paths import EXAMPLES

pytestmark = [
    pytest.mark.fuzz,
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),
]

FILE = Path("input.json")


@pytest.fixture(autouse=True)
def _tracebacks(monkeypatch):
    """A fault of kassay is raised, so that each is found and made small by itself."""
    monkeypatch.setenv("KASSAY_TRACEBACK", "1")


def of_file(*commands: list[str]):
    """A check that writes the file and runs the commands on it."""

    def check(text: bytes) -> None:
        FILE.write_bytes(text)
        for command in commands:
            ran(command)

    return check


def test_traces(tmp_path):
    check = of_file(["replay", str(FILE)], ["explain", str(FILE)])
    assert fuzz(check, tmp_path, text=json_bytes(corpora.traces()))


def test_vectors(tmp_path):
    assert fuzz(of_file(["vectors", str(FILE)]), tmp_path, text=json_bytes(corpora.vectors()))


def test_certificates(tmp_path):
    assert fuzz(of_file(["check", str(FILE)]), tmp_path, text=json_lines(corpora.certificates()))


def test_instances(tmp_path):
    check = of_file(
        ["optimum", str(FILE), "--time", "0.2s"],
        ["gap", "range", "--suite", str(FILE), "--time", "0.2s"],
    )
    assert fuzz(check, tmp_path, text=json_lines(corpora.instances()))


def test_baselines(tmp_path):
    check = of_file(["certify", "ceil-range", "--histories", "1", "--baseline", str(FILE)])
    assert fuzz(check, tmp_path, READER_SECONDS, text=json_bytes(corpora.baselines()))


def test_settings(tmp_path):
    def check(text: bytes) -> None:
        Path("pyproject.toml").write_bytes(text)
        ran(["certify", "range", "--histories", "1"])
        ran(["list", "claims"])

    assert fuzz(check, tmp_path, READER_SECONDS, text=text_bytes(corpora.SETTINGS))


def test_campaign_specs(tmp_path):
    def check(text: bytes) -> None:
        FILE.write_bytes(text)
        try:
            with bounded():
                read_spec(FILE)
        except InputError as error:
            assert str(error).startswith(str(FILE))  # most texts are refused, few are not

    assert fuzz(check, tmp_path, text=text_bytes(corpora.campaigns()))


def test_fleet_snapshots(tmp_path):
    def check(text: bytes) -> None:
        with bounded():
            rows = list(parse(text.decode(errors="replace"), "snapshot.txt"))
        assert all(row.file == "snapshot.txt" for row in rows)

    assert fuzz(check, tmp_path, text=text_bytes(corpora.SNAPSHOTS))


def test_fleet_subscriptions(tmp_path):
    def check(text: bytes) -> None:
        FILE.write_bytes(text)
        try:
            with bounded():
                read_subscriptions(FILE)
        except InputError as error:
            assert str(error).startswith(str(FILE))  # most texts are refused, few are not

    assert fuzz(check, tmp_path, text=json_lines(corpora.SUBSCRIPTIONS))


@pytest.mark.parametrize("name", ["offsets", "members", "states", "beside"])
def test_outputs_of_groups(tmp_path, name):
    """Whatever stands in the views of a group, what-if and scale answer or say in a line what is wrong."""
    beside = Path("beside.txt")

    def check(text: bytes) -> None:
        FILE.write_bytes(text)
        beside.write_text(corpora.GROUP_VIEWS["offsets"][0])
        files = [str(FILE)] if name == "offsets" else [str(beside), str(FILE)]
        ran(["what-if", *files, "--to", "range", "--to", "cooperative-sticky", "--events", "leave:1,join:2"])
        ran(["scale", *files, "--from", "range", "--max-members", "3", "--lag", "--time", "0.1s"])

    assert fuzz(check, tmp_path, READER_SECONDS, text=text_bytes(corpora.GROUP_VIEWS[name]))


def test_events_of_a_group(tmp_path):
    """Whatever is written as events is played, or told with its column."""

    def check(text: str) -> None:
        Path("g.txt").write_text(corpora.GROUP_VIEWS["offsets"][0])
        try:
            with bounded():
                parse_events(text, observe(read_cluster(["g.txt"])))
        except InputError as error:
            assert re.match("--events: column [0-9]+: ", str(error))

    forms = [
        "leave:1",
        "join:2",
        "add-partitions:orders+3",
        "add-topic:x:2",
        "remove-topic:orders",
        "&",
        ",",
        ":",
    ]
    assert fuzz(
        check,
        tmp_path,
        READER_SECONDS,
        text=st.lists(st.sampled_from(forms) | names, max_size=6).map("".join),
    )


@st.composite
def dumps(draw: st.DrawFn) -> bytes:
    """A log in which keys and values were changed, as kafka-dump-log prints it, some records left out."""
    records = draw(st.sampled_from(corpora.offsets_logs()))
    changed = dict(enumerate(records))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(records) - 1))
        changed[at] = draw(documents([records[at]]))
    for _ in range(draw(st.integers(0, 3))):
        changed.pop(draw(st.integers(0, len(records) - 1)), None)
    lines = ["Log starting offset: 0"]
    for offset, record in changed.items():
        key, value = record if isinstance(record, list) and len(record) == 2 else (record, None)
        payload = "<DELETE>" if value is None else json.dumps(value)
        name = json.dumps(key, separators=(",", ":"))
        lines += ["baseOffset: 1", f"| offset: {offset} CreateTime: 1 key: {name} payload: {payload}"]
    return ("\n".join(lines) + "\n").encode()


def test_audits_of_records(tmp_path):
    check = of_file(["audit", str(FILE)], ["audit", str(FILE), "--json", "-", "--out", "out"])
    assert fuzz(check, tmp_path, READER_SECONDS, text=dumps())


def test_audits_of_outputs(tmp_path):
    assert fuzz(
        of_file(["audit", str(FILE)]), tmp_path, READER_SECONDS, text=text_bytes(corpora.offsets_outputs())
    )


def test_bytes_of_members(tmp_path):
    def check(data: bytes) -> None:
        for read in (read_subscription, read_assignment):
            with bounded(), contextlib.suppress(InputError):
                read(data)

    assert fuzz(
        check,
        tmp_path,
        READER_SECONDS,
        data=st.sampled_from(corpora.member_bytes()).flatmap(bent) | st.binary(),
    )


@pytest.mark.parametrize(
    ("read", "corpus"),
    [
        (read_topics, "topics-"),
        (read_brokers, ("brokers-", "racks.")),
        (read_reassignments, ("reassign-", "topics-to-move")),
        (read_log_dirs, "log-dirs-"),
    ],
    ids=["topics", "brokers", "reassignments", "log-dirs"],
)
def test_outputs_of_kafkas_tools(tmp_path, read, corpus):
    names = (corpus,) if isinstance(corpus, str) else corpus

    def check(text: bytes) -> None:
        try:
            with bounded():
                read(text.decode(errors="replace"), "input.txt")
        except InputError as error:
            assert str(error).startswith("input.txt")  # most texts are refused, few are not

    assert fuzz(check, tmp_path, READER_SECONDS, text=text_bytes(corpora.outputs(*names)))


def test_placements(tmp_path):
    brokers = (EXAMPLES / "cluster" / "brokers.txt").read_text()

    def check(text: bytes) -> None:
        Path("brokers.txt").write_text(brokers)
        FILE.write_bytes(text)
        ran(["place", str(FILE), "brokers.txt", "--budget", "5", "-v"])
        ran(["lint", str(FILE), "brokers.txt"])

    texts = [(EXAMPLES / "cluster" / "replicas.txt").read_text(), *corpora.outputs("topics-", "reassign-")]
    assert fuzz(check, tmp_path, READER_SECONDS, text=text_bytes(texts))


def test_placements_by_sizes(tmp_path):
    """Whatever a tool says of sizes and directories, bytes are evened out and each file of the plan is sound."""
    cluster = {name: (EXAMPLES / "cluster" / name).read_text() for name in ("replicas.txt", "brokers.txt")}

    def check(text: bytes) -> None:
        for name, content in cluster.items():
            Path(name).write_text(content)
        FILE.write_bytes(text)
        done = ran(
            ["place", *cluster, str(FILE), "--remove-broker", "3", "--add-broker", "7:az-c", "--out", "plan"]
        )
        if done.code in (0, 3):
            ran(["lint", "plan/step-1.json", *cluster])

    texts = [(EXAMPLES / "cluster" / "log-dirs.txt").read_text(), *corpora.outputs("log-dirs-")]
    assert fuzz(check, tmp_path, READER_SECONDS, text=text_bytes(texts))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def test_jars(tmp_path, method):
    def check(classes: list[bytes], turn: object) -> None:
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", method) as archive:
            for name, data in zip("ABC", classes, strict=True):
                archive.writestr(f"a/{name}.class", data)
        Path("x.jar").write_bytes(turn.draw(bent(packed.getvalue())))
        ran(["list", "jar:x.jar"])

    classes = st.tuples(*map(bent, corpora.class_files()))
    assert fuzz(check, tmp_path, classes=classes, turn=st.data())


TARGET = """
class Target:
    META = {meta!r}

    def {method}:
        return {answer!r}
"""
NAN = "nan = inf = float('nan')\n"
ASSIGN = "assign(self, partitions_per_topic, members)"
PLACE = "place(self, num_partitions, replication_factor, brokers, existing=None)"
PARTITION = "partition(self, topic, key, value, num_partitions, available)"


DOCUMENT = "assign(self, document)"


def answering(method: str, meta: object, answer: object) -> None:
    """Certify a class that always answers the same."""
    Path("target.py").write_text(
        NAN + TARGET.format(method=method, meta=meta, answer=answer), encoding="utf-8", errors="replace"
    )
    ran(["certify", "target.py", "--histories", "2", "--in-process"])


def test_meta(tmp_path):
    assert fuzz(lambda meta: answering(ASSIGN, meta, {}), tmp_path, meta=documents(corpora.META))


ODD = st.sampled_from([b"x", (1, 2), {1, 2}, frozenset({("t", 0)}), 1j, ..., range(3)])


@pytest.mark.parametrize(
    ("method", "meta", "corpus"),
    [
        (ASSIGN, {}, corpora.ASSIGNMENTS),
        (PLACE, {}, corpora.PLACEMENTS),
        (PARTITION, {}, corpora.PARTITIONS),
        (DOCUMENT, {"level": "process"}, corpora.TASKS),
        (DOCUMENT, {"level": "member"}, corpora.TASKS),
        (DOCUMENT, {"kind": "connect-assignor"}, corpora.WORKERS),
    ],
    ids=["assign", "place", "partition", "processes", "members", "workers"],
)
@pytest.mark.filterwarnings(
    # the alarm of a call may ring while Hypothesis's own hook of the collector runs; it rings again
    "ignore:.*gc_cumulative_time:pytest.PytestUnraisableExceptionWarning"
)
def test_answers_of_a_class(tmp_path, method, meta, corpus):
    answers = documents(corpus) | values | ODD
    assert fuzz(lambda answer: answering(method, meta, answer), tmp_path, answer=answers)


PROGRAM = """
import json, sys
replies = open("replies.txt", "rb").read().split(b"\\n--\\n")
for number, line in enumerate(sys.stdin):
    reply = replies[min(number, len(replies) - 1)]
    request = json.loads(line)
    sys.stdout.buffer.write(reply.replace(b'"ID"', str(request["id"]).encode()) + b"\\n")
    sys.stdout.buffer.flush()
"""


def reply(answer: st.SearchStrategy[object]) -> st.SearchStrategy[bytes]:
    """A line of the exec protocol, right or nearly so."""
    right = answer.map(lambda value: json.dumps({"id": "ID", "answer": value}).encode())
    lines = json_bytes([{"id": "ID", "answer": {}}, {"id": "ID", "error": "no", "refused": True}])
    return right | lines.map(lambda line: line.replace(b"\n", b""))


def test_answers_of_a_program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)

    def check(hello: bytes, answers: list[bytes]) -> None:
        Path("replies.txt").write_bytes(b"\n--\n".join([hello, *answers]))
        ran(["certify", "exec:python3 program.py", "--histories", "1", "--call-timeout", "0.5s"])

    right = documents(corpora.ASSIGNMENTS + corpora.TASKS + corpora.WORKERS)
    answers = st.lists(reply(right | values), min_size=1, max_size=3)
    assert fuzz(check, tmp_path, hello=reply(documents(corpora.HELLO)), answers=answers)


def test_answers_of_a_program_of_version_2(tmp_path):
    """Each request is answered by several lines, as many as a batch or a round has or not."""
    (tmp_path / "program.py").write_text(PROGRAM)

    def check(hello: bytes, answers: list[list[bytes]]) -> None:
        Path("replies.txt").write_bytes(b"\n--\n".join([hello, *map(b"\n".join, answers)]))
        ran(["certify", "exec:python3 program.py", "--histories", "1", "--call-timeout", "0.1s"])

    right = documents(corpora.ASSIGNMENTS) | st.sampled_from([{}, None, "AAE=", "?", 0, 7])
    lines = st.lists(reply(right | values), min_size=1, max_size=5)
    answers = st.lists(lines, min_size=1, max_size=4)
    assert fuzz(check, tmp_path, hello=reply(documents(corpora.HELLO_2)), answers=answers)


LONG = {"campaign", "fleet", "mcp", "prove", "watch"}
"""Commands that start Spark, prove for minutes or serve until they are stopped."""
BOUNDED = {
    "certify": ["--histories", "1"],
    "gap": ["--suite", "small"],
    "optimum": ["--time", "0.2s"],
    "explore": ["--max-states", "30"],
    "hunt": ["--histories", "1", "--exhaustive", "1x1"],
}
WORDS = [
    "range",
    "sticky",
    "classic",
    "kip848",
    "small",
    "crash=1",
    "a=b",
    "-",
    "2x2",
    "1s",
    "claims",
    "striped",
]
COMMANDS = [name for name in cli.list_commands(click.Context(cli)) if name not in LONG]


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """A command with words, and options of its own with words."""
    name = draw(st.sampled_from(COMMANDS))
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [option for parameter in command.params for option in parameter.opts if option[:1] == "-"]
    claims = sorted({claim_id for _, claim_id in load_claims()})
    word = (
        st.sampled_from(WORDS + claims)
        | names
        | numbers.map(str)
        | st.lists(st.sampled_from(WORDS) | names, max_size=3).map(",".join)
    )
    arguments = draw(st.lists(word, max_size=2))
    for option in draw(st.lists(st.sampled_from(options), max_size=3)) if options else []:
        arguments += [option, *draw(st.lists(word, max_size=1))]
    # The budget comes last, so that it binds.
    histories = ["--histories", "1"] if "--rank" in arguments else []
    return [name, *arguments, *BOUNDED.get(name, []), *histories]


def test_command_lines(tmp_path, monkeypatch):
    # What is cached on a machine would decide whether Kafka's classes run.
    monkeypatch.setenv("KASSAY_KAFKA_HOME", "nowhere")

    def check(line: list[str]) -> None:
        # A null character cannot stand in an argument.
        if not any(re.search("\x00", word) for word in line):
            ran(line)

    assert fuzz(check, tmp_path, line=command_lines())


def test_sentences(tmp_path):
    """Sentences out of their own words and signs, or of anything, hunted in the smallest scope."""
    words = [
        *VOCABULARIES[CLIENT].by_name,
        *FUNCTIONS,
        *"mtr",
        *GRAMMAR.split('"')[1::2],
        "1",
        "0",
        "1.5",
    ]
    sentences = st.one_of(
        st.lists(st.sampled_from([*words, "<=", "==", "members", "all", "some", "("]), max_size=14).map(
            " ".join
        ),
        st.text(max_size=30).map("{} <= 1".format),
    )

    def check(sentence: str) -> None:
        if "\0" not in sentence:
            ran(["hunt", "--on", "range", "--histories", "0", "--exhaustive", "1x1", "--", sentence])

    assert fuzz(check, tmp_path, sentence=sentences)


def test_expressions(tmp_path):
    """Regular expressions out of RE2's signs, or of anything: refused, or of one meaning with a group around."""
    signs = [
        *(
            "a",
            "b",
            "-",
            "^",
            "$",
            "|",
            "(",
            ")",
            "[",
            "]",
            "*",
            "+",
            "?",
            "{",
            "}",
            ",",
            ".",
            "\\",
            "0",
            "9",
        ),
        *(
            "(?i",
            "(?s:",
            "(?P<n>",
            "(?:",
            "[^",
            "[[:alpha:]",
            "[:",
            "\\d",
            "\\b",
            "\\pL",
            "\\x{",
            "{2,",
            "{1001}",
        ),
    ]
    texts = st.lists(st.sampled_from(signs), max_size=14).map("".join) | st.text(max_size=20)

    def check(text: str, name: str) -> None:
        with bounded():
            try:
                matched = compiled(text).matches(name)
            except InvalidExpression:
                return
            # An open quotation would take the end of the group for its own.
            if "\\Q" not in text:
                assert compiled(f"(?:{text})").matches(name) is matched

    assert fuzz(check, tmp_path, text=texts, name=st.text("ab-9É\n", max_size=6))


def test_files_of_sentences(tmp_path):
    """Whatever stands in a file of named claims, it is hunted by its names or told with its place."""

    def check(text: bytes) -> None:
        Path("claims.toml").write_bytes(text)
        ran(
            [
                "hunt",
                "claims.toml",
                "--on",
                "range",
                "--histories",
                "0",
                "--exhaustive",
                "1x1",
            ]
        )
        ran(["certify", "range", "--histories", "1", "--claims", "claims.toml"])

    assert fuzz(check, tmp_path, READER_SECONDS, text=text_bytes(corpora.SENTENCES))
