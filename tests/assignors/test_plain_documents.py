"""The documents that task assignors and Connect assignors are given, and what is read from their answers."""

import json
import re
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest

from kassay.assignors.connect.incremental import ConnectIncremental
from kassay.assignors.plain import FORMS, PlainDocument, application_of, cluster_of
from kassay.assignors.plain_answers import CHECKS, DOCUMENTS, MEMBERS, PROCESSES, WORKERS
from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.engines.processes.host import Limits
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.player import asking as connect_asking
from kassay.model.connect.player import run_connect
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    ConnectWorker,
    WorkerChange,
)
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.kinds import RebalanceProtocol, Verdict
from kassay.model.streams.history import asking, run_tasks
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest, member_id
from kassay.properties.connect.scenarios import CONNECT_SMALL, connect_history
from kassay.properties.sources import Seeded
from kassay.properties.streams.scenarios import SMALL, TAGGED, tagged_task_history, task_history
from tests.paths import ROOT, TARGETS

PATIENT = Limits(call_timeout_s=60, start_timeout_s=60)
"""On a busy machine a call takes longer than the two seconds that a user's assignor has."""
SCHEMAS = files("kassay.report").joinpath("schemas")
SCHEMA = json.loads(SCHEMAS.joinpath("exec-documents-1.json").read_text())
P, Q = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"
REQUEST = TaskRequest(
    clients=(
        TaskClient(Q, 1),
        TaskClient(
            P,
            2,
            previous_active=(TaskId(0, 0),),
            previous_standby=(TaskId(0, 1),),
            lags=((TaskId(0, 0), -2), (TaskId(0, 1), 300)),
            held=(ClientTasks(standby=(TaskId(0, 1),)), ClientTasks(active=(TaskId(0, 0),))),
            start=3,
        ),
    ),
    tasks=(TaskId(1, 0), TaskId(0, 1), TaskId(0, 0)),
    stateful=(TaskId(0, 1), TaskId(0, 0)),
    standby_replicas=1,
)
SUBTOPOLOGIES = [
    {"id": "0", "partitions": 2, "stateful": True},
    {"id": "1", "partitions": 1, "stateful": False},
]
NOTHING = {"instance_id": None, "rack": None, "client_tags": {}, "warmup": []}


def test_an_application_is_told_process_by_process():
    unknown = {"rack": None, "client_tags": {}}
    assert application_of(REQUEST) == {
        "num_standby_replicas": 1,
        "acceptable_recovery_lag": 10_000,
        "max_warmup_replicas": 2,
        "probing_rebalance_interval_ms": 600_000,
        "subtopologies": SUBTOPOLOGIES,
        "tasks": [
            {"id": "1_0", "stateful": False},
            {"id": "0_1", "stateful": True},
            {"id": "0_0", "stateful": True},
        ],
        "processes": [
            {"id": Q, "threads": 1, "members": [member_id(Q, 0, 0)], **unknown, "active": [], "standby": [], "lags": {}},
            {
                "id": P,
                "threads": 2,
                "members": [member_id(P, 3, 0), member_id(P, 3, 1)],
                **unknown,
                "active": ["0_0"],
                "standby": ["0_1"],
                "lags": {"0_0": -2, "0_1": 300},
            },
        ],
    }  # fmt: skip


def test_a_group_is_told_member_by_member():
    def member(process, start, thread, **has):
        bare = {"active": [], "standby": [], "task_offsets": {}, "task_end_offsets": {}}
        return {"id": member_id(process, start, thread), "process_id": process, **NOTHING, **bare, **has}

    document = FORMS[MEMBERS].write(REQUEST)
    place = [member_id(Q, 0, 0), member_id(P, 3, 0), member_id(P, 3, 1)].index
    assert {**document, "members": sorted(document["members"], key=lambda each: place(each["id"]))} == {
        "num_standby_replicas": 1,
        "subtopologies": SUBTOPOLOGIES,
        "members": [
            member(Q, 0, 0),
            member(
                P, 3, 0,
                standby=["0_1"], task_offsets={"0_1": 99_700}, task_end_offsets={"0_1": 100_000},
            ),
            member(
                P, 3, 1,
                active=["0_0"], task_offsets={"0_0": 100_000}, task_end_offsets={"0_0": 100_000},
            ),
        ],
    }  # fmt: skip


def test_tags_and_racks_are_told_where_there_are_any():
    where = {"rack": "r", "client_tags": {"zone": "a"}}
    client = replace(REQUEST.clients[0], rack="r", tags=(("zone", "a"),))
    request = replace(REQUEST, clients=(client,), rack_aware_tags=("zone",))
    for document, those in (
        (application_of(request), "processes"),
        (FORMS[MEMBERS].write(request), "members"),
    ):
        assert document["rack_aware_assignment_tags"] == ["zone"]
        assert where.items() <= document[those][0].items()
        assert "rack_aware_assignment_tags" not in (application_of(REQUEST) | FORMS[MEMBERS].write(REQUEST))


def test_an_answer_for_processes_is_read_in_task_order_with_its_deadline():
    def answer(**more):
        given = {P: {"active": ["0_1", "0_0"], **more}, Q: {"active": ["1_0"], "standby": ["0_1"]}}
        return FORMS[PROCESSES].read(REQUEST, CHECKS[PROCESSES](given))

    given = {
        P: ClientTasks((TaskId(0, 0), TaskId(0, 1))),
        Q: ClientTasks((TaskId(1, 0),), (TaskId(0, 1),)),
    }
    assert answer() == TaskAssignment(given)
    assert answer(followup_ms=0) == TaskAssignment(given, probing_rebalance=True)


def test_an_answer_for_members_is_one_for_their_processes_too():
    given = {
        member_id(P, 3, 0): {"active": ["0_1"]},
        member_id(P, 3, 1): {"active": ["0_0"], "standby": ["0_1"]},
    }
    answer = FORMS[MEMBERS].read(REQUEST, CHECKS[MEMBERS](given))
    both = ClientTasks((TaskId(0, 0), TaskId(0, 1)), (TaskId(0, 1),))
    assert answer.processes == {P: both, Q: ClientTasks()}
    assert answer.members == {
        member_id(P, 3, 0): ClientTasks((TaskId(0, 1),)),
        member_id(P, 3, 1): ClientTasks((TaskId(0, 0),), (TaskId(0, 1),)),
    }


CLUSTER = ConnectRequest(
    connectors=(("to-s3", 2),),
    workers=(ConnectWorker("w1"), ConnectWorker("w0", ("to-s3", ConnectorTaskId("to-s3", 0)))),
    now_ms=70,
    max_delay_ms=60,
    generation=4,
    last_completed_generation=3,
    memory='{"a": [1]}',
)


def test_a_cluster_is_told_with_what_its_leader_remembers():
    assert cluster_of(CLUSTER) == {
        "connectors": [{"name": "to-s3", "tasks": 2}],
        "workers": [
            {"id": "w1", "running": {"connectors": [], "tasks": []}},
            {"id": "w0", "running": {"connectors": ["to-s3"], "tasks": ["to-s3-0"]}},
        ],
        "now_ms": 70,
        "max_delay_ms": 60,
        "generation": 4,
        "last_completed_generation": 3,
        "memory": {"a": [1]},
    }


def test_an_answer_for_workers_keeps_the_memory():
    given = {
        "workers": {"w1": {"assigned": {"tasks": ["to-s3-1"]}, "revoked": {"connectors": ["x"]}}},
        "delay_ms": 7,
        "memory": {"b": (1, "two"), "a": None},
    }
    answer = FORMS[WORKERS].read(CLUSTER, CHECKS[WORKERS](given))
    changes = {"w1": WorkerChange((ConnectorTaskId("to-s3", 1),), ("x",))}
    assert (answer.workers, answer.delay_ms) == (changes, 7)
    assert isinstance(answer, ConnectAssignment)
    again = cluster_of(ConnectRequest((), (), memory=answer.memory))["memory"]
    assert again == {"a": None, "b": [1, "two"]}
    assert hash(answer) == hash(FORMS[WORKERS].read(CLUSTER, CHECKS[WORKERS](given)))


def test_a_memory_of_somebody_elses_is_none():
    assert cluster_of(ConnectRequest((), (), memory=("not", "text")))["memory"] is None


def asked_of_streams():
    lives = [task_history(Seeded(seed), SMALL) for seed in range(25)]
    for life in (*lives, *(tagged_task_history(Seeded(1), aim) for aim in TAGGED)):
        yield from (step.request for step in run_tasks(life, asking(StreamsGroupSticky)).steps)


def asked_of_connect():
    for seed in range(25):
        history = connect_history(Seeded(seed), CONNECT_SMALL, ownership_conflicts=True)
        yield from (step.request for step in run_connect(history, connect_asking(ConnectIncremental)).steps)


@pytest.mark.parametrize(
    ("form", "asked"),
    [(PROCESSES, asked_of_streams), (MEMBERS, asked_of_streams), (WORKERS, asked_of_connect)],
)
def test_whatever_histories_ask_is_plain_and_valid_under_the_schema(form, asked):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    requests = list(asked())
    assert len(requests) > 50
    for request in requests:
        document = FORMS[form].write(request)
        assert json.loads(json.dumps(document)) == document
        validator.validate({"id": 2, "call": "assign", "object": 1, DOCUMENTS[form]: document})


class Takes:
    def __init__(self, answer, change=None):
        self.answer, self.change = answer, change

    def assign(self, document):
        if self.change:
            self.change(document)
        return self.answer


def test_an_object_of_this_process_is_asked_and_watched():
    plain = PlainDocument(Takes({P: {"active": ["0_0"]}}), PROCESSES, name="takes")
    assert plain.assign(REQUEST) == TaskAssignment({P: ClientTasks((TaskId(0, 0),))})
    assert (plain.name, plain.mutated) == ("takes", None)
    changes = PlainDocument(Takes({}, lambda d: d["processes"][1]["active"].clear()), PROCESSES, name="")
    changes.assign(REQUEST)
    assert changes.mutated == "application['processes'][1]['active'] was ['0_0'] (list) and is [] (list)"


def test_an_answer_that_is_none_fails_with_its_field():
    with pytest.raises(TargetFailure, match=r"answer\['m'\]\['active'\] is None, expected a list") as caught:
        PlainDocument(Takes({"m": {"active": None}}), MEMBERS, name="").assign(REQUEST)
    assert caught.value.kind is FailureKind.MALFORMED


BY_PROCESS, BY_MEMBER, WAITS = "tasks.py:ByProcess", "tasks.py:ByMember", "workers.py:Waits"


def judged(name, fault, claim, *, in_process=False, histories=8):
    """The verdict on one claim, and what is said of the smallest history that breaks it."""
    config = {"fault": fault}
    target = resolve(f"{TARGETS}/{name}", in_process=in_process, config=config, limits=PATIENT)
    options = RunOptions(
        claims=(claim,), budget=Budget(histories=histories), controls=False, shrink=False, config=config
    )
    (result,) = certify(target, options).claims
    return result.verdict, result.counterexample.message if result.counterexample else ""


@pytest.mark.slow_cases("tasks.py:ByMember-streams-eager-claims1", "tasks.py:ByProcess-streams-eager-claims0")
@pytest.mark.parametrize(
    ("name", "kind", "protocol", "claims"),
    [
        (BY_PROCESS, STREAMS, "eager", ("standby-disjoint", "balanced-within-one", "deterministic")),
        (BY_MEMBER, STREAMS, "eager", ("standby-disjoint", "deterministic")),
        (WAITS, CONNECT, "cooperative", ("deleted-stops", "balanced-within-one", "lost-returns")),
    ],
)
def test_a_sound_class_is_certified_by_what_it_declares(name, kind, protocol, claims):
    target = resolve(f"{TARGETS}/{name}", limits=PATIENT)
    assert (target.kind, target.protocol, target.claims) == (kind, protocol, claims)
    certificate = certify(target, RunOptions(budget=Budget(histories=80), controls=False))
    assert {result.verdict for result in certificate.claims} == {Verdict.HOLDS}
    assert {result.id for result in certificate.claims} >= {"exists", "single-owner", "pure", *claims}


def test_connect_workers_stop_everything_first_where_the_assignor_is_eager():
    spec = f"{TARGETS}/workers.py:Waits"
    assert resolve(spec, protocol=RebalanceProtocol.EAGER).protocol == "eager"


FAULTS = [
    (BY_PROCESS, "probes for ever", "converges", "64"),
    (BY_PROCESS, "leaves a task out", "complete", "is active on no process"),
    (
        BY_PROCESS,
        "runs a task twice",
        "single-owner",
        "is active on 00000000-0000-4000-8000-000000000000 more than once",
    ),
    (BY_PROCESS, "copies beside the active task", "standby-disjoint", "0_0"),
    (BY_PROCESS, "invents a process", "exists", "nobody"),
    (BY_PROCESS, "changes its input", "pure", "application['processes']"),
    (BY_PROCESS, "answers by number", "total", "['active'][0] is 0 (int), expected a task id (str) as in"),
    (BY_PROCESS, "gives up", "total", "LookupError: no task left (tasks.py:"),
    (BY_MEMBER, "gives a task to two threads", "single-owner", "0_0"),
    (BY_MEMBER, "invents a member", "exists", "nobody"),
    (BY_MEMBER, "gives out a warm-up", "total", "['warmup'] has tasks, expected none"),
    (WAITS, "starts everything twice", "single-owner", ""),
    (WAITS, "leaves work lying", "complete", ""),
    (WAITS, "leaves what is deleted running", "deleted-stops", ""),
    (WAITS, "waits anew", "lost-returns", ""),
    (WAITS, "invents a worker", "exists", "nobody"),
    (WAITS, "remembers a set", "total", "answer['memory']['ran'] is "),
    (WAITS, "waits by text", "total", "answer['delay_ms'] is 'soon' (str), expected ms (int) from 0"),
    (WAITS, "changes its input", "pure", "cluster['workers'][0]['running']['tasks'] was "),
]


@pytest.mark.slow_cases("probes for ever", "starts everything twice")
@pytest.mark.parametrize(("name", "fault", "claim", "said"), FAULTS, ids=[fault[1] for fault in FAULTS])
def test_a_faulty_class_breaks_the_claim_that_its_fault_is_about(name, fault, claim, said):
    verdict, message = judged(name, fault, claim)
    assert verdict is Verdict.VIOLATED
    assert said in message


@pytest.mark.parametrize(
    ("name", "fault", "claim", "said"),
    [fault for fault in FAULTS if fault[2] in {"total", "pure"}],
    ids=[fault[1] for fault in FAULTS if fault[2] in {"total", "pure"}],
)
def test_in_process_the_same_is_said(name, fault, claim, said):
    verdict, message = judged(name, fault, claim, in_process=True, histories=10)
    assert verdict is Verdict.VIOLATED
    assert said in message


def documented():
    """The requests and answers that the page of the protocol shows, several of them in a block."""
    blocks = re.findall(r"(?:^    .*\n)+", (ROOT / "docs" / "exec-protocol.md").read_text(), re.MULTILINE)
    values, decode = [], json.JSONDecoder().raw_decode
    for block in filter(lambda block: block.startswith("{"), map(str.strip, blocks)):
        end = 0
        while end < len(block):
            value, end = decode(block, end)
            values.append(value)
            end += len(block[end:]) - len(block[end:].lstrip())
    return values


def test_the_lines_of_version_2_that_the_page_shows_are_of_its_schema():
    validator = jsonschema.Draft202012Validator(
        json.loads(SCHEMAS.joinpath("exec-protocol-2.json").read_text())
    )
    shown = [line for line in documented() if not {"application", "cluster", "brokers"} & line.keys()]
    calls = [line["call"] for line in shown if "call" in line]
    assert calls == ["assign", "batch", "round", "partition"]
    for line in shown:
        if line.get("call") != "assign":  # shown as version 1 has it
            validator.validate(line)


def test_the_lines_that_the_page_shows_are_requests_and_answers():
    shown = documented()
    validator = jsonschema.Draft202012Validator(SCHEMA)
    asked = [line for line in shown if "application" in line or "cluster" in line]
    assert len(asked) == 2
    for request in asked:
        validator.validate(request)
    processes, workers = (line["answer"] for line in shown[-3::2])
    assert CHECKS[PROCESSES](processes) == processes
    assert CHECKS[WORKERS](workers) == workers
    (process,) = asked[0]["application"]["processes"]
    assert set(processes) == {process["id"]}
    assert set(workers["workers"]) < {worker["id"] for worker in asked[1]["cluster"]["workers"]}
