"""A client program with a planted fault: another program whose lines are changed on their way to kassay.

`python faulty.py FAULT FILE COMMAND...`: what the fault did, and when, is noted in FILE.
"""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

LATE_S = 2.0
"""How long after a revocation a late commit comes: other members have read and committed by then."""
FORGETS_S = 0.4


class Keeps:
    """It goes on with the first partition that it is to give up, and says nothing of it."""

    def __init__(self, note):
        self.note, self.kept = note, None

    def line(self, event):
        if event["event"] not in ("revoked", "lost"):
            return [event]
        if event["partitions"] and self.kept is None:
            self.kept = event["partitions"][-1]
        if self.kept in event["partitions"]:
            self.note(partition=self.kept)
            event = {**event, "partitions": [each for each in event["partitions"] if each != self.kept]}
        return [event]


class Early:
    """It takes the first partition of a topic as soon as it has started, before anything was assigned to it."""

    def __init__(self, note):
        self.note, self.topics = note, []

    def start(self, command):
        self.topics = command["topics"]

    def line(self, event):
        if event["event"] != "ready":
            return [event]
        taken = [[topic, 0] for topic in self.topics[:1]]
        self.note(partition=taken[0])
        calls = [
            {"event": "assigned", "t": event["t"] + n, "phase": p, "partitions": taken}
            for n, p in ((1, "begin"), (2, "end"))
        ]
        return [event, *calls]


class Late:
    """It commits once more, after it has given its partitions up, what it had committed before that."""

    def __init__(self, note, emit):
        self.note, self.emit, self.offsets, self.done = note, emit, {}, False

    def line(self, event):
        if event["event"] == "committed":
            for topic, number, offset in event["offsets"]:
                self.offsets.setdefault((topic, number), offset)
        if event["event"] == "revoked" and event["phase"] == "end" and event["partitions"]:
            threading.Timer(LATE_S, self.commit, [[tuple(each) for each in event["partitions"]]]).start()
        return [event]

    def commit(self, partitions):
        now = time.monotonic_ns()
        offsets = [[*each, self.offsets[each]] for each in partitions if each in self.offsets]
        if offsets:
            self.note(partitions=offsets)
            self.emit({"event": "committed", "t": now + 1000, "began": now, "offsets": offsets})


class Forgets:
    """It forgets a partition some time after it was assigned, and works no more on it."""

    def __init__(self, note, emit):
        self.note, self.emit, self.once = note, emit, False

    def line(self, event):
        if event["event"] == "assigned" and event["phase"] == "end" and event["partitions"] and not self.once:
            self.once = True
            threading.Timer(FORGETS_S, self.forget, [event["partitions"][-1]]).start()
        return [event]

    def forget(self, partition):
        now = time.monotonic_ns()
        self.note(partition=partition)
        for n, phase in enumerate(("begin", "end")):
            self.emit({"event": "revoked", "t": now + n, "phase": phase, "partitions": [partition]})


def main():
    fault, file, *command = sys.argv[1:]
    lock = threading.Lock()
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def note(**what):
        with Path(file).open("a") as notes:
            notes.write(json.dumps({"t": time.monotonic_ns(), **what}) + "\n")

    def emit(event):
        with lock:
            print(json.dumps(event), flush=True)

    kinds = {"keeps": Keeps, "early": Early, "late": Late, "forgets": Forgets}
    planted = kinds[fault](note) if fault in ("keeps", "early") else kinds[fault](note, emit)

    def commands():
        for line in sys.stdin:
            document = json.loads(line)
            if document["do"] == "start" and hasattr(planted, "start"):
                planted.start(document)
            child.stdin.write(line)
            child.stdin.flush()
        child.stdin.close()

    threading.Thread(target=commands, daemon=True).start()
    for line in child.stdout:
        for event in planted.line(json.loads(line)):
            emit(event)
    sys.exit(child.wait())


if __name__ == "__main__":
    main()
