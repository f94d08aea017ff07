"""What the fuzzer starts from: a little of everything that users hold, and of what programs answer."""

import gzip
import json
from functools import cache
from typing import Any

from kassay.kinds.groups.java import CLIENT_INTERFACE as CLIENT
from kassay.kinds.placement.java import PLACER_INTERFACE as PLACER
from tests import example_cluster, offsets_log
from tests.classfiles import OTHER_CONSTANTS, PUBLIC, class_file
from tests.paths import BASELINE, DATA, EXAMPLES, HELD, ROOT, VECTORS
from tests.played_log import a_life, played, stored
from tests.reading.kafka.outputs import output

VECTORS_EACH = 2
"""Of each golden file, the smallest: a document that can be turned over often."""


def _json_lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (HELD / name).read_text().splitlines()]


@cache
def traces() -> list[Any]:
    """Traces of every kind of target."""
    return [json.loads(path.read_text()) for path in sorted((HELD / "traces").glob("*.json"))]


@cache
def vectors() -> list[Any]:
    """Golden files, cut short."""
    documents = [json.loads(gzip.decompress(path.read_bytes())) for path in sorted(VECTORS.glob("*.gz"))]
    return [
        {**document, "vectors": sorted(document["vectors"], key=lambda one: len(str(one)))[:VECTORS_EACH]}
        for document in documents
    ]


@cache
def instances() -> list[Any]:
    """Instances of every family."""
    return _json_lines("instances.jsonl")


@cache
def certificates() -> list[Any]:
    """Results with their certificates, and certificates alone."""
    return _json_lines("results.jsonl") + _json_lines("certificates.jsonl")


@cache
def baselines() -> list[Any]:
    """Accepted findings."""
    return [json.loads(BASELINE.read_text())]


@cache
def campaigns() -> list[str]:
    """Campaign specs."""
    return [(HELD / "campaign.toml").read_text(), (EXAMPLES / "campaign.toml").read_text()]


@cache
def offsets_logs() -> list[list[list[Any]]]:
    """Logs of `__consumer_offsets`, as keys and values of kafka-dump-log."""
    return [[_printed(record) for record in log.records] for log in example_cluster.logs().values()]


def _printed(record: offsets_log.Written) -> list[Any]:
    value = record.value and {"version": str(record.value[0]), "data": record.of(of_dump=True)}
    return [{"type": str(record.type), "data": record.key}, value]


@cache
def offsets_outputs() -> list[str]:
    """What Kafka's tools print of logs, whole."""
    classic = [
        offsets_log.console(log.records) for log in (example_cluster.billing(), example_cluster.mailer())
    ]
    return [*example_cluster.texts().values(), output("offsets-4.4.txt"), *classic]


@cache
def member_bytes() -> list[bytes]:
    """Bytes of subscriptions and assignments."""
    members = [
        member
        for rebalanced in played("cooperative-sticky", a_life())
        for member in stored(rebalanced.steps[-1], rebalanced.steps[-1].given)
    ]
    return [part.raw() for member in members for part in (member.subscription, member.assignment)]


@cache
def outputs(*names: str) -> list[str]:
    """Outputs of Kafka's tools, by the beginnings of their names."""
    return [
        path.read_text() for path in sorted((DATA / "kafka-tools").iterdir()) if path.name.startswith(names)
    ]


SENTENCES = [
    'within-one = "max(load) - min(load) <= 1 where equal_subscriptions"\n',
    'few-moves = "moved <= ceil(partitions / members) where no_conflicting_claims"\n',
    'a = "gap == 0"\nb = "all m in members: load(m) <= 2"\n',
]

SETTINGS = [
    "[tool.kassay]\nseed = 3\n[tool.kassay.certify]\nhistories = 1\ntime = '5s'\nclaims = 'complete'\n",
    "[tool.kassay]\nout = 'there'\n[tool.kassay.list]\nseed = 1\n",
]

SNAPSHOTS = [
    "# at=2026-11-21T05:00:00Z\n\n"
    "GROUP  TOPIC  PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    "bills  orders 0 1042 1100 58 app-1-3f0c /10.0.0.11 app-1\n"
    "bills  orders 1 998  998  0  -          -          -\n",
    "# at=2026-11-21T05:00:00Z\n"
    "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"
    "bills m /h c 3 orders(0), refunds(1,3)\n",
    "# at=2026-11-21T05:00:00Z\n"
    "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS CURRENT-EPOCH CURRENT-ASSIGNMENT TARGET-EPOCH TARGET-ASSIGNMENT\n"
    "bills m /h c 3 7 orders:0,2;a:b:1 8 orders:0\n",
    '{"group": "bills", "at": "2026-11-21T05:00:00Z", "member": "m", "owned": [["orders", 0]], "topics": ["orders"]}\n',
]

SUBSCRIPTIONS = [{"group": "bills", "member": "app-1", "topics": ["orders"]}]

META = [
    {
        "kind": "assignor",
        "protocol": "eager",
        "claims": ["balanced-within-one", "converges:2", "weighted-spread:1.5"],
        "assumes": ["equal-subscriptions", "no-racks"],
    },
    {"kind": "server-assignor", "claims": ["deterministic"]},
    {"kind": "task-assignor", "level": "member", "claims": ["standby-disjoint"]},
    {"kind": "connect-assignor", "protocol": "cooperative", "claims": ["converges:3"]},
]

HELLO = [
    {
        "name": "p",
        "kind": "assignor",
        "protocol": "eager",
        "claims": ["deterministic"],
        "assumes": [],
        "extras": [],
    },
    {"name": "p", "kind": "task-assignor", "level": "process"},
    {"kind": "connect-assignor", "claims": ["deleted-stops"]},
]
_CALLS = ["new", "user_data", "on_assignment", "drop", "batch", "round"]
HELLO_2 = [
    {"kassay": 2, "supports": _CALLS, "protocols": ["cooperative", "eager"], "versions": {"java": "17"}},
    {"kassay": 2, "supports": _CALLS[:3], "claims": ["deterministic"]},
    {"kassay": 2, "kind": "partitioner"},
]
ASSIGNMENTS = [{"a": [["t", 0], ["t", 1]], "b": []}, {"m0": [["t0", 0]], "m1": [["t1", 1]]}]
TASKS = [
    {
        "00000000-0000-4000-8000-000000000000": {
            "active": ["0_0", "0_1"],
            "standby": ["1_0"],
            "followup_ms": 5,
        }
    },
    {"00000000-0000-4000-8000-000000000000-0-0": {"active": ["0_0"], "standby": [], "warmup": []}},
]
WORKERS = [
    {
        "workers": {
            "w0": {"assigned": {"connectors": ["c0"], "tasks": ["c0-0"]}, "revoked": {"tasks": ["c1-0"]}},
        },
        "delay_ms": 10,
        "memory": {"k": [1, None, "x"]},
    }
]


@cache
def class_files() -> list[bytes]:
    """Classes of a jar that stand in each other's way, and one that nobody asks for."""
    return [
        class_file("a.A", superclass="a.B", others=OTHER_CONSTANTS, fields=["f"]),
        class_file("a.B", superclass="a.A", interfaces=[CLIENT.name, PLACER.name]),
        class_file("a.C", constructors={"(Ljava/util/Random;[[I)V": PUBLIC}, interfaces=[PLACER.name]),
    ]


PLACEMENTS = [[[0, 1], [1, 0]], [[0]]]
PARTITIONS = [0, 1, -1]

_TOOLS = ROOT / "tests" / "data" / "kafka-tools"
GROUP_VIEWS = {
    "offsets": [path.read_text() for path in sorted(_TOOLS.glob("groups-offsets-*.txt"))],
    "members": [path.read_text() for path in sorted(_TOOLS.glob("groups-members-*.txt"))],
    "states": [path.read_text() for path in sorted(_TOOLS.glob("groups-state-*.txt"))],
    "beside": [
        "consumer,rack\napp-1,a\napp-2,b\n",
        "consumer,topics\napp-1,orders refunds\n/10.0.0.12,orders\n",
        "topic,partition,lag\norders,0,7\nrefunds,1,90\n",
    ],
}
"""What kafka-consumer-groups prints, and what users write beside it."""
