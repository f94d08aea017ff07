"""A run that is stopped at a random moment, by Ctrl-C or `kill -9`: whether it leaves anything."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from random import Random

CLIENTS = "java:range,librdkafka:range,kafka-python:range"
MARK = "KASSAY_TEST_MARK"
END_S = 30.0
"""How long the processes of a run may take to end."""


def stopped(number, seed, folder, clients=CLIENTS, latest_s=25.0):
    """A run that is stopped in a folder of its own, as a line: what was left; `clean` removes the rest."""
    random = Random(f"{seed}-stop-{number}")
    how, after = random.choice([signal.SIGINT, signal.SIGKILL]), 0.3 + random.random() * latest_s
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    mark = secrets.token_hex(8)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore it
    with tempfile.TemporaryDirectory() as temporary:
        environment = {**os.environ, MARK: mark, "TMPDIR": temporary}
        command = [sys.executable, "-m", "kassay", "live"]
        began = time.monotonic()
        with subprocess.Popen(
            [
                *command,
                "--fetch",
                "--clients",
                clients,
                "--histories",
                "1",
                "--seed",
                str(number),
            ],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as kassay:
            with suppress(subprocess.TimeoutExpired):
                kassay.wait(after)
            started = len(marked(mark))
            kassay.send_signal(how)
            words = kassay.communicate()[1]
        end = time.monotonic() + END_S
        while marked(mark) and time.monotonic() < end:
            time.sleep(0.05)
        row = {
            "signal": how.name,
            "after": round(after, 1),
            "exit": kassay.returncode,
            "words": words[-300:],
            "started": started,
            "processes": len(marked(mark)),
            "ports": sum(map(listens, folder.glob(".kassay/live/*/bootstrap"))),
            "outside": [str(p) for p in [*outside(folder), *Path(temporary).iterdir()]],
        }
        subprocess.run([*command, "--clean"], cwd=folder, env=environment, check=True, capture_output=True)
    return row | {
        "uncleaned": [str(path) for path in folder.rglob("*")],
        "seconds": round(time.monotonic() - began, 1),
    }


def outside(folder):
    """The files of a folder that are not in that of a run."""
    files = [path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()]
    files = [path for path in files if str(path) != ".kassay/.gitignore"]  # of kassay's own folder
    return [path for path in files if path.parts[:2] != (".kassay", "live") or len(path.parts) < 4]


def marked(mark):
    """The ids of the processes that have the mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{MARK}={mark}\0".encode() in path.read_bytes() + b"\0":
                found.append(int(path.parent.name))
    return found


def listens(file):
    """Whether something listens at the address in the file."""
    host, _, port = file.read_text().partition(":")
    with suppress(OSError), socket.create_connection((host, int(port)), 2):
        return True
    return False


def left(row):
    """Whether the run left anything."""
    return bool(row["processes"] or row["ports"] or row["outside"] or row["uncleaned"])
