"""`kassay explore` as a user runs it: figures, traces, exit codes, bad input.

The properties of the clock are the fields of its times, and need a clock.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import click
import pytest

from kassay.cli.commands.explore import command
from kassay.cli.exploring import ONLY
from kassay.cli.main import run
from kassay.engines.protocols.options import timing_of
from kassay.engines.protocols.properties import TIMES
from kassay.engines.protocols.settings import MODELS
from kassay.model.errors import InputError
from kassay.model.protocols.world.clock import Timing
from tests.cli.runner import ENVIRONMENT, here, kassay, one_line, valid


def test_a_model_that_holds_exits_0_and_tells_its_size(tmp_path: Path) -> None:
    done = kassay("explore", "classic", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ states, \d+ edges, diameter \d+", done.stdout)
    assert "dead ends and livelocks: none" in done.stdout
    assert done.stdout.startswith("HOLDS  classic: every invariant, in every reachable state\n")
    assert "again: kassay explore classic" in done.stdout
    assert "(-v lists them)" in done.stdout
    listed = kassay("explore", "classic", "-v", cwd=tmp_path).stdout
    assert "not checked (nothing in this model shows it): live-members-kept" in listed


@pytest.mark.slow
def test_a_zombie_is_told_with_its_trace_and_does_not_count(tmp_path: Path) -> None:
    done = kassay("explore", "classic", "--faults", "pause=1", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "single-live-owner violated (zombie)" in done.stdout
    header = next(line for line in done.stdout.splitlines() if line.split() == ["c1", "c2", "coordinator"])
    lifeline = header.index("c1")
    paused = next(line for line in done.stdout.splitlines() if line.endswith("pauses"))
    assert paused[lifeline : lifeline + 2].strip() in ("x", "|")
    assert "x" in paused.partition("pauses")[0]


def test_a_broken_rule_exits_1_with_the_shortest_trace(tmp_path: Path) -> None:
    done = kassay("explore", "zookeeper", "--switch", "zk_no_owner_guard", cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "single-current-owner violated (real)" in done.stdout
    assert done.stdout.splitlines()[0] == "VIOLATED  zookeeper: single-current-owner"


def test_a_state_in_which_nothing_more_happens_exits_1(tmp_path: Path) -> None:
    done = kassay("explore", "zookeeper", "--switch", "zk_finite_retries", cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "complete-at-rest violated (by design)" in done.stdout
    assert re.search(r"dead ends: [1-9]", done.stdout)
    assert "the same run as for complete-at-rest (by design)" in done.stdout, "one run is drawn once"
    assert done.stdout.splitlines()[0] == "VIOLATED  zookeeper: dead ends"


@pytest.mark.parametrize("limit", [("--max-states", "100"), ("--time", "1ms")])
def test_a_limit_reached_is_unknown(tmp_path: Path, limit: tuple[str, str]) -> None:
    done = kassay("explore", "kip848", "--faults", "crash=1,loss=1", *limit, cwd=tmp_path)
    assert done.returncode == 3, done.stdout
    assert "UNKNOWN  kip848: stopped at the limit of" in done.stdout


def test_the_json_is_valid_and_alone_on_standard_output(tmp_path: Path) -> None:
    done = kassay("explore", "draft", "--faults", "crash=1,pause=1", "--json", "-", cwd=tmp_path)
    document = valid(json.loads(done.stdout), "explore-5")
    assert (document["model"], document["limit"]) == ("draft", None)
    assert document["settings"]["faults"] == {"crash": 1, "pause": 1}
    told = {"invariant": "live-members-kept", "id": "I17", "why": "nothing in this model shows it"}
    assert told in document["not_checked"]
    assert done.returncode == {"holds": 0, "violated": 1}[document["verdict"]]
    for found in document["violations"]:
        assert len(found["trace"]) == found["length"]


def test_the_json_of_a_walk_cut_short_is_valid_too(tmp_path: Path) -> None:
    done = kassay("explore", "classic", "--max-states", "50", "--json", "found.json", cwd=tmp_path)
    assert done.returncode == 3
    document = valid(json.loads((tmp_path / "found.json").read_text()), "explore-5")
    assert (document["limit"], document["dead_ends"]) == ("states", None)


@pytest.mark.slow
def test_who_is_who_makes_states_and_no_difference(tmp_path: Path) -> None:
    sizes, verdicts = [], []
    for more, told in (
        ((), "clients"),
        (
            (
                "--states",
                "whole",
            ),
            "off",
        ),
    ):
        done = kassay("explore", "kip848", "--members", "3", *more, "--json", "-", cwd=tmp_path)
        document = json.loads(done.stdout)
        assert document["settings"]["symmetry"] == told
        sizes.append(document["states"])
        verdicts.append((document["verdict"], [found["invariant"] for found in document["violations"]]))
    assert sizes[0] < sizes[1]
    assert verdicts[0] == verdicts[1]


@pytest.mark.slow
def test_clients_that_can_be_told_apart_are_not_renamed(tmp_path: Path) -> None:
    done = kassay(
        "explore", "classic", "--config", "group.instance.id=1", "--states", "symmetric", cwd=tmp_path
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--states", "symmetric: not applicable: instance ids distinguish static members" in done.stderr
    for assignor, told in (("any-balanced", True), ("range", False)):
        done = kassay(
            "explore", "classic", "--members", "3", "--partitions", "1", "--assignor", assignor, cwd=tmp_path
        )
        assert ("symmetry clients" in done.stdout) is told


@pytest.mark.parametrize("assignor", ["any-balanced", "range", "sticky", "cooperative-sticky"])
def test_assignors_plug_in(tmp_path: Path, assignor: str) -> None:
    done = kassay("explore", "classic", "--assignor", assignor, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_a_users_assignor_plugs_in(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def assign(self, partitions_per_topic, members):\n"
        "        given = {member['id']: [] for member in members}\n"
        "        first = min(given)\n"
        "        for topic, count in sorted(partitions_per_topic.items()):\n"
        "            given[first] += [(topic, number) for number in range(count)]\n"
        "        return given\n"
    )
    done = kassay("explore", "classic", "--assignor", "mine.py:Mine", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "assignor Mine" in done.stdout


@pytest.mark.slow
def test_a_users_assignor_that_fails_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "class Bad:\n    def assign(self, partitions_per_topic, members):\n        return 1 // 0\n"
    )
    done = kassay("explore", "classic", "--assignor", "bad.py:Bad", cwd=tmp_path)
    assert "ZeroDivisionError" in one_line(done, 4)


@pytest.mark.slow
def test_a_users_assignor_of_tasks_plugs_in(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(
        "class Lazy:\n"
        '    META = {"kind": "task-assignor", "level": "member"}\n'
        "    def assign(self, group):\n"
        "        return {member['id']: {'active': [], 'standby': []} for member in group['members']}\n"
    )
    done = kassay("explore", "streams", "--partitions", "1", "--assignor", "lazy.py:Lazy", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "complete-at-rest violated" in done.stdout


DEALER = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"name": "Dealer", "kind": "task-assignor", "level": "member"}
    if request["call"] != "hello":
        members = sorted(member["id"] for member in request["group"]["members"])
        answer = {name: {"active": ["TASK"] if name == members[0] else [], "standby": []} for name in members}
    print(json.dumps({"id": request["id"], "answer": answer}), flush=True)
"""


@pytest.mark.parametrize(
    ("task", "client", "exits"), [("0_0", ("--switch", "corrected_client"), 0), ("0_7", (), 4)]
)
def test_a_program_assigns_the_tasks_of_a_streams_group(
    tmp_path: Path, task: str, client: tuple[str, ...], exits: int
) -> None:
    (tmp_path / "dealer.py").write_text(DEALER.replace("TASK", task))
    spec = f"exec:{shlex.quote(sys.executable)} dealer.py"
    done = here("explore", "streams", "--partitions", "1", "--assignor", spec, *client, cwd=tmp_path)
    assert done.returncode == exits, done.stdout + done.stderr
    if exits:
        assert "Dealer: assigns 0_7 to c1m-1; expected one of 0_0" in one_line(done, exits)
    else:
        assert "assignor Dealer" in done.stdout and done.stdout.startswith("HOLDS  streams: ")


def test_kafkas_client_keeps_a_task_that_was_taken_from_it_while_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "dealer.py").write_text(DEALER.replace("TASK", "0_0"))
    spec = f"exec:{shlex.quote(sys.executable)} dealer.py"
    done = here("explore", "streams", "--partitions", "1", "--assignor", spec, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "c2 at the target epoch still owns 0_0, the target of c1m-1." in done.stdout


def test_an_assignor_of_processes_deals_no_tasks_to_members(tmp_path: Path) -> None:
    (tmp_path / "whole.py").write_text(
        "class Whole:\n"
        '    META = {"kind": "task-assignor"}\n'
        "    def assign(self, application):\n        return {}\n"
    )
    done = kassay("explore", "streams", "--assignor", "whole.py:Whole", cwd=tmp_path)
    assert "gives no tasks to members; expected level: member" in one_line(done, 2)


def test_mermaid_diagrams_can_be_had(tmp_path: Path) -> None:
    kassay("explore", "zookeeper", "--faults", "pause=1", "--out", "pages", cwd=tmp_path)
    text = (tmp_path / "pages" / "exploration.mmd").read_text()
    assert "sequenceDiagram" in text
    assert "participant zookeeper" in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("paxos",), "unknown model 'paxos'"),
        (("classic", "--members", "0"), "--members: 0 is out of range"),
        (("classic", "--members", "99"), "--members: 99 is out of range"),
        (("classic", "--partitions", "7"), "--partitions: 7 is out of range"),
        (("classic", "--topics", "-1"), "--topics: '-1' is not a number of topics"),
        (("classic", "--config", "group.instance.id=3"), "group.instance.id: 3 is out of range"),
        (("classic", "--topics", "1,x"), "--topics: 'x' is not a number of topics"),
        (("classic", "--topics", "1,,1"), "--topics: '' is not a number of topics"),
        (("classic", "--topics", "0,3"), "--topics: 0 is out of range; expected 1 to 3"),
        (("classic", "--members", "two"), "two"),
        (("classic", "--max-states", "0"), "--max-states"),
        (("classic", "--time", "soon"), "soon"),
        (("classic", "--faults", "fire=1"), "unknown fault 'fire'"),
        (("classic", "--faults", "crash=many"), "crash=many"),
        (("classic", "--switch", "no_brakes"), "unknown switch 'no_brakes'"),
        (("classic", "--switch", "zk_stale_view"), "breaks a rule of zookeeper"),
        (
            ("classic", "--assignor", "range", "--protocol", "cooperative"),
            "range does not support cooperative",
        ),
        (("classic", "--assignor", "nothing-like-it"), "nothing-like-it"),
        (("classic", "--protocol", "lazy"), "'lazy' is not one of 'eager', 'cooperative'"),
        (("kip848", "--protocol", "eager"), "kip848 has no eager mode"),
        (("kip848", "--assignor", "sticky"), "is not a server-side assignor"),
        (("zookeeper", "--config", "group.instance.id=1"), "zookeeper has no group.instance.id"),
        (("streams", "--assignor", "range"), "assigns no tasks to members"),
        (("streams", "--faults", "shrink=1"), "streams has no fault shrink"),
        (("migration", "--config", "group.consumer.migration.policy=sideways"), "unknown policy 'sideways'"),
        (
            ("migration", "--config", "group.protocol=classic,paxos"),
            "group.protocol: unknown 'paxos'; expected one of classic",
        ),
        (
            ("migration", "--config", "group.protocol=classic/classic/"),
            "group.protocol: 3 lists for 2 clients",
        ),
        (
            ("kip848", "--config", "group.protocol=consumer"),
            "--config: kip848 has no group.protocol; expected migration",
        ),
        (("classic", "--network", "N7"), "N7"),
        (("classic", "--clock", "T5"), "T5"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    assert told in one_line(here("explore", *arguments, cwd=tmp_path), 2)


def test_switches_and_models_are_listed(tmp_path: Path) -> None:
    switches = kassay("list", "switches", "--json", "-", cwd=tmp_path)
    listed = {item["switch"]: item for item in json.loads(switches.stdout)["items"]}
    assert {"no_withhold", "zk_stale_view", "ignore_unreleased", "split_persist"} <= set(listed)
    assert all(item["wrong rule"] and item["effect"] for item in listed.values())
    models = kassay("list", "models", cwd=tmp_path)
    assert all(name in models.stdout for name in ("zookeeper", "draft", "classic", "kip848", "migration"))


@pytest.mark.slow
def test_the_clock_tells_where_a_live_member_is_removed(tmp_path: Path) -> None:
    short = ("--members", "1", "--partitions", "1", "--faults", "loss=2", "--clock", "T1")
    done = kassay("explore", "classic", *short, "--config", "session.timeout.ms=5", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "live-members-kept violated (by design)" in done.stdout
    assert re.search(r"passes: \d tick", done.stdout)
    assert "live-members-kept" not in kassay("explore", "classic", *short, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("classic", "--config", "session.timeout.ms=5"),
            "--config session.timeout.ms: timeless has no clock; expected --clock ticks as well",
        ),
        (("classic", "--clock", "T2"), "--clock: unknown level 'T2'; expected timeless (T0) or ticks (T1)"),
        (("migration", "--clock", "T1"), "--clock: migration has no integer clock"),
        (
            ("classic", "--clock", "T1", "--config", "heartbeat.interval.ms=6"),
            "heartbeat interval 6 ticks: expected more than 0",
        ),
        (
            ("classic", "--clock", "T1", "--config", "max.poll.interval.ms=0"),
            "max.poll.interval.ms: 0 is out of range",
        ),
    ],
)
def test_times_that_make_no_sense_are_one_line(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = kassay("explore", *arguments, cwd=tmp_path)
    assert words in one_line(done, 2)


def test_n1_is_walked_to_the_end(tmp_path: Path) -> None:
    done = kassay("explore", "classic", "--network", "N1", "--partitions", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "718 states" in done.stdout
    assert "network steps" in done.stdout


@pytest.mark.slow
def test_a_broken_rule_shows_at_n1_with_its_messages(tmp_path: Path) -> None:
    arguments = ("--protocol", "cooperative", "--network", "N1", "--switch", "no_withhold")
    done = kassay("explore", "classic", *arguments, cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "released-before-adopted violated (real)" in done.stdout
    assert "SyncGroup arrives" in done.stdout


@pytest.mark.parametrize("model", ["classic", "kip848", "migration"])
def test_n2_never_holds(tmp_path: Path, model: str) -> None:
    limits = ("--max-states", "200", "--seed", "5")
    done = kassay("explore", model, "--network", "N2", *limits, cwd=tmp_path)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "seed 5" in done.stdout
    assert "finding nothing proves nothing" in done.stdout


def test_what_a_walk_finds_exits_1_with_its_run(tmp_path: Path) -> None:
    arguments = ("--network", "N2", "--faults", "duplicate=1", "--seed", "2", "--json", "found.json")
    done = kassay("explore", "kip848", *arguments, cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    document = valid(json.loads((tmp_path / "found.json").read_text()), "explore-5")
    assert document["limit"] == "random walks"
    assert document["settings"]["seed"] == 2
    assert "heartbeat arrives" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("zookeeper", "--network", "N1"), "zookeeper supports only atomic"),
        (("draft", "--network", "N2"), "draft supports only atomic"),
        (
            ("classic", "--network", "N1", "--faults", "reorder=1"),
            "duplicate and reorder can happen on --network astray only",
        ),
        (("classic", "--faults", "duplicate=1"), "on --network astray only, not on atomic"),
        (("classic", "--records", "1"), "commits are sent on --network steps and astray only"),
        (("kip848", "--network", "N1", "--records", "9"), "--records: 9 is out of range"),
        (("classic", "--network", "N1", "--clock", "T1"), "steps has no integer clock"),
    ],
)
def test_what_no_network_can_do_is_one_line(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    assert told in one_line(here("explore", *arguments, cwd=tmp_path), 2)


@pytest.mark.slow
def test_a_walk_from_a_seed_that_was_drawn_is_walked_again_by_the_line_that_is_told(tmp_path: Path) -> None:
    arguments = ("--network", "N2", "--max-states", "60", "--seed", "random", "--json", "found.json")
    first = kassay("explore", "classic", *arguments, cwd=tmp_path)
    (line,) = re.findall(r"^again: kassay (.*)$", first.stdout, re.MULTILINE)
    walked = json.loads((tmp_path / "found.json").read_text())
    seed = walked["settings"]["seed"]
    assert f"kassay: random seed: --seed {seed}\n" in first.stderr
    assert f"--seed {seed}" in line
    kassay(*shlex.split(line), cwd=tmp_path)
    again = json.loads((tmp_path / "found.json").read_text())
    assert again | {"elapsed_s": 0} == walked | {"elapsed_s": 0}


def test_a_page_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    done = here("explore", "zookeeper", "--out", "pages", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0
    valid(json.loads(done.stdout), "explore-5")
    assert done.stderr == "report: pages/exploration.html\n"
    page = (tmp_path / "pages" / "exploration.html").read_text()
    assert "kassay explore zookeeper --out pages --json -" in page


def test_a_streams_group_is_walked_and_its_json_says_what_it_has_beside(tmp_path: Path) -> None:
    chosen = (
        "--partitions",
        "1",
        "--config",
        "num.standby.replicas=1",
        "--config",
        "process.id=2",
        "--config",
        "group.streams.initial.rebalance.delay.ms=1",
    )
    done = kassay("explore", "streams", *chosen, "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = valid(json.loads(done.stdout), "explore-5")
    assert (document["model"], document["verdict"]) == ("streams", "holds")
    beside = {
        name: document["settings"][name] for name in ("standby", "processes", "endpoints", "delayed", "fresh")
    }
    assert beside == {"standby": 1, "processes": 2, "endpoints": 0, "delayed": True, "fresh": False}


def test_by_fingerprints_the_odds_are_told(tmp_path: Path) -> None:
    done = kassay("explore", "zookeeper", "--states", "fingerprints", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^fingerprints of 64 bits: any two states agree with a probability of \de-\d\d$", done.stdout, re.M
    )
    assert "again: kassay explore zookeeper --states fingerprints" in done.stdout


def test_by_fingerprints_a_page_draws_the_states_as_well(tmp_path: Path) -> None:
    assert here("explore", "zookeeper", "--out", "exact", cwd=tmp_path).returncode == 0
    assert (
        here("explore", "zookeeper", "--out", "fp", "--states", "fingerprints", cwd=tmp_path).returncode == 0
    )
    drawn = [
        re.findall(r"<circle.*", (tmp_path / way / "exploration.html").read_text()) for way in ("exact", "fp")
    ]
    assert drawn[0] == drawn[1] != []


BY_TWO = ("--jobs", "2")


def begun(cwd: Path, *ways: str) -> subprocess.Popen[str]:
    """A walk of half a minute and more, in a group of its own, that is past its beginning."""
    command = ["explore", "kip848", "--members", "3", "--faults", "pause=1", *ways]
    walk = subprocess.Popen(
        [sys.executable, "-m", "kassay", *command],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=ENVIRONMENT,
    )
    busy = cpu_s if ways != BY_TWO else lambda leader: len(group(leader)) - 1
    while walk.poll() is None and busy(walk.pid) < 2:
        time.sleep(0.05)
    time.sleep(0.3)
    return walk


def cpu_s(process: int) -> float:
    """The CPU seconds that a process has taken."""
    stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.parametrize(
    "ways",
    [
        (),
        (
            "--states",
            "fingerprints",
        ),
        BY_TWO,
    ],
)
def test_an_interrupt_of_a_walk_is_one_line_and_leaves_no_process(
    ways: tuple[str, ...], tmp_path: Path
) -> None:
    with begun(tmp_path, *ways) as walk:
        os.killpg(walk.pid, signal.SIGINT)
        _, told = walk.communicate(timeout=600)
    assert (walk.returncode, told.strip()) == (130, "kassay: interrupted")
    assert left_of(walk.pid) == []


@pytest.mark.slow
def test_a_killed_process_of_several_is_one_line_and_leaves_none(tmp_path: Path) -> None:
    with begun(tmp_path, *BY_TWO) as walk:
        worker = max(processes(walk.pid, "multiprocessing.spawn"))
        os.kill(worker, signal.SIGKILL)
        _, told = walk.communicate(timeout=600)
    line = "kassay: a process of the walk was killed; expected memory for all of them"
    assert (walk.returncode, told.strip()) == (2, line)
    assert left_of(walk.pid) == []


def processes(leader: int, words: str) -> list[int]:
    """The processes of a group whose command has these words."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pgid=,pid=,args="], check=True, capture_output=True, text=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return [int(pid) for pgid, pid, args in rows if pgid == str(leader) and words in args]


def left_of(leader: int) -> list[str]:
    """The processes of a group whose leader ended; one that ends by that itself has ten seconds to see it."""
    until = time.monotonic() + 10
    while (left := group(leader)) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def group(leader: int) -> list[str]:
    """The processes of a group."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pgid=,stat="], check=True, capture_output=True, text=True
    ).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [stat for number, stat in rows if number == str(leader) and not stat.startswith("Z")]


def test_an_assignor_of_ones_own_is_asked_in_one_process(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("class Own:\n    def assign(self, partitions, members): return {}\n")
    told = one_line(here("explore", "classic", "--assignor", "own.py:Own", "--jobs", "2", cwd=tmp_path), 2)
    assert "--jobs: your own assignor runs in one process" in told


def test_every_time_is_a_property():
    assert {each.field for each in TIMES.values()} == {each.name for each in fields(Timing)}


@pytest.mark.parametrize("clock", ["ticks", "T1"])
@pytest.mark.parametrize("name", TIMES)
def test_a_time_that_is_given_is_set_and_the_others_keep_their_defaults(clock, name):
    given = {"session.timeout.ms": "4", "heartbeat.interval.ms": "2", "max.poll.interval.ms": "3", name: "1"}
    times = {TIMES[each].field: int(value) for each, value in given.items()}
    assert timing_of(given, clock) == Timing(**times)
    assert timing_of({}, clock) == Timing()


@pytest.mark.parametrize("clock", ["timeless", "T0"])
def test_a_time_without_a_clock_is_refused(clock):
    assert timing_of({}, clock) is None
    with pytest.raises(InputError) as refused:
        timing_of({"session.timeout.ms": "2"}, clock)
    told = "--config session.timeout.ms: timeless has no clock; expected --clock ticks as well"
    assert str(refused.value) == told


@pytest.mark.parametrize("model", MODELS)
def test_the_help_of_a_model_has_what_it_takes(model, capsys):
    assert run(["explore", model, "--help"]) == 0
    out = capsys.readouterr().out
    assert ("session.timeout.ms=6" in out) is (model in ("classic", "kip848"))
    assert ("num.standby.replicas=0" in out) is (model == "streams")
    assert ("group.instance.id=0" in " ".join(out.split())) is (model not in ("zookeeper", "draft"))
    assert "\n  --states " in out
    assert run(["explore", "--help"]) == 0
    assert "\n  --states " not in capsys.readouterr().out


def test_every_option_is_shown_for_some_model():
    assert set(ONLY) == {option.name for option in command.params if isinstance(option, click.Option)}


def test_each_switch_of_a_model_is_found_and_the_model_is_clean(tmp_path: Path) -> None:
    done = kassay("explore", "zookeeper", "--switch", "each", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "zk_no_owner_guard" in done.stdout
    assert "single-current-owner in 6 steps" in done.stdout
    assert "3 of 3 switches are found, and nothing new without them" in done.stdout


def test_the_json_of_each_switch_is_valid_and_alone_on_standard_output(tmp_path: Path) -> None:
    done = kassay("explore", "draft", "--switch", "each", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (row,) = valid(json.loads(done.stdout), "switches-2")["switches"]
    assert (row["switch"], row["expected"], row["holds"]) == ("split_persist", ["epochs-never-go-back"], True)
    assert row["command"] == "kassay explore draft --faults failover=1 --switch split_persist"


def test_the_switches_of_no_model_are_one_line(tmp_path: Path) -> None:
    line = one_line(kassay("explore", "paxos", "--switch", "each", cwd=tmp_path), 2)
    models = "zookeeper, draft, classic, kip848, migration, streams"
    assert line.startswith(f"kassay: no switches for model 'paxos'; expected one of {models}")


def test_a_static_client_that_an_error_ends_is_an_outcome_with_its_trace(tmp_path, monkeypatch, capsys):
    """Nothing forbids it, so the exit code stays 0: UNRELEASED_INSTANCE_ID after a crash and a restart."""
    monkeypatch.chdir(tmp_path)
    options = (
        "explore",
        "kip848",
        "--config",
        "group.instance.id=1",
        "--members",
        "1",
        "--faults",
        "crash=1",
    )
    assert run([*options]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "clients-go-on: an outcome, no violation" in out
    assert "c1 (static) ends with a fatal error: its application has to start it again" in out
    assert "UNRELEASED_INSTANCE_ID" in out
    assert "in every reachable state; listed below and not counted: clients-go-on (outcome)" in out
    assert run([*options, "--json", "-"]) == 0
    document = valid(json.loads(capsys.readouterr().out), "explore-5")
    (found,) = document["violations"]
    assert (document["verdict"], found["severity"]) == ("holds", "outcome")
    assert found["trace"][-1]["reply"] == "UNRELEASED_INSTANCE_ID"


def test_a_dynamic_client_that_an_error_ends_is_no_outcome(capsys):
    assert run(["explore", "kip848", "--members", "1", "--faults", "crash=1"]) == 0
    assert "clients-go-on" not in capsys.readouterr().out.split("not checked (nothing in this model")[0]
