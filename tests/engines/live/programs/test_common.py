"""The loop of the Python programs: what it reports, in which order, and what it commits."""

import json
import subprocess
import sys

import pytest

from kassay.engines.live.program import Closed, Closing, Committed, Failed, Ready, RecordsRead, read_event
from kassay.engines.live.programs.common import Uncommitted, spans_of

TOY = """
from kassay.engines.live.programs.common import *
output, commands, work = Output(), ClientCommands(), Uncommitted()
print("noise of a library")
class Toy:
    polls = 0
    def subscribe(self, topics): output.emit("error", text=f"reads {topics}")
    def poll(self):
        self.polls += 1
        if self.polls == 2: raise RuntimeError("refused")
        return [("a", 0, 0, 4, 5)] if self.polls == 1 else []
    def commit(self, offsets):
        if self.polls < 2: raise RuntimeError("too early")
    def close(self): pass
work.own([("a", 0)])
output.emit("ready", library="toy", version=commands.start["client"])
run(commands, output, Toy(), work)
"""


def test_a_program_reports_and_commits_what_it_owns():
    commands = [
        {"do": "start", "client": "m1"},
        {"do": "pace", "wait_ms": 20},
        {"do": "subscribe", "topics": ["b"]},
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", TOY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        for each in commands:
            process.stdin.write(json.dumps(each) + "\n")
        process.stdin.flush()
        events = []
        while not any(isinstance(each, Committed) for each in events):
            events.append(read_event(process.stdout.readline(), "toy", len(events) + 1))
        process.stdin.close()
        events += [read_event(line, "toy", 9) for line in process.stdout]
        assert process.stderr.read() == "noise of a library\n"
    kinds = [type(each) for each in events]
    assert kinds[0] is Ready and kinds[-2:] == [Closing, Closed]
    assert {Failed, RecordsRead} <= {*kinds}
    assert {each.text for each in events if isinstance(each, Failed)} >= {
        "reads ['b']",
        "RuntimeError('refused')",
    }
    (done,) = [each for each in events if isinstance(each, Committed)]
    assert [*done.offsets.values()] == [5] and done.began <= done.t


def test_only_owned_partitions_are_pending():
    work = Uncommitted()
    work.own([("a", 0)])
    work.add([("a", 0, 0, 3, 4), ("a", 1, 0, 3, 4)])
    assert work.due() == {}
    assert work.give_up([("a", 0), ("a", 1)]) == {("a", 0): 4}
    work.add([("a", 0, 4, 5, 2)])
    assert work.pending == {}


@pytest.mark.parametrize(
    ("offsets", "spans"), [({}, []), ({("a", 1): [3, 2, 4]}, [("a", 1, 2, 4, 3)]), ({("a", 1): []}, [])]
)
def test_offsets_become_spans(offsets, spans):
    assert spans_of(offsets) == spans
