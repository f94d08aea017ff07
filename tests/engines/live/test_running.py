"""Processes under guards: lines in and out, signals, and their end with kassay's."""

import signal
import subprocess
import sys
import time

from kassay.engines.live.folder import start_time
from kassay.engines.live.running import Pump, RunningProcess, log_of

ECHO = [sys.executable, "-c", "import sys\nfor line in sys.stdin: print('got', line, end='', flush=True)"]
STARTS = """
import sys, time
from kassay.engines.live.running import Pump, RunningProcess
process = RunningProcess(["/bin/sleep", "600"], Pump(), print, lambda *_: None)
print(process.pid, flush=True)
time.sleep(600)
"""


def until(condition, pump=None, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        pump.wait(0.05) if pump else time.sleep(0.02)


def test_lines_go_in_and_out_and_the_end_is_reported():
    pump, lines, seen = Pump(), [], []
    process = RunningProcess(ECHO, pump, lines.append, lambda name, pids: seen.append((name, *pids)))
    process.send({"do": 1})
    assert process.alive
    until(lambda: lines, pump)
    assert lines == ['got {"do": 1}']
    assert seen[0][:2] == (sys.executable, process.pid) and process.resident_mib > 1
    process.signal(signal.SIGKILL)
    until(lambda: lines[-1] is None, pump)
    assert "signal 9" in process.words()
    until(lambda: not process.alive, pump)
    process.close()
    assert start_time(process.pid) == 0
    process.send({"do": 2})


def test_output_can_go_to_a_file(tmp_path):
    log, pump, lines = tmp_path / "a log", Pump(), []
    process = RunningProcess(log_of(["/bin/echo", "a  b"], log), pump, lines.append, lambda *_: None)
    until(lambda: lines and log.read_text() == "a  b\n", pump)
    process.close()
    assert lines == [None]


def test_a_killed_kassay_leaves_no_process():
    with subprocess.Popen([sys.executable, "-c", STARTS], stdout=subprocess.PIPE, text=True) as kassay:
        pid = int(kassay.stdout.readline())
        assert start_time(pid)
        kassay.kill()
        until(lambda: start_time(pid) == 0)
