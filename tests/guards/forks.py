"""Work done in forks of this process, so that what one of them changes in the code nobody else has."""

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

POLL_S = 0.02
HANGS = "hangs"


def in_forks(
    tasks: Iterable[Any], work: Callable[[Any], Any], jobs: int, limit_s: float
) -> Iterator[tuple[Any, Any]]:
    """Each task with what `work` gives for it, as JSON, in the order in which they end.

    One that takes longer than `limit_s` seconds is ended and gives `HANGS`.
    """
    waiting, busy = iter(tasks), dict[int, tuple[Any, Path, float]]()
    with tempfile.TemporaryDirectory() as folder:
        number = 0
        while True:
            while len(busy) < jobs and (task := next(waiting, None)) is not None:
                number += 1
                answer = Path(folder, str(number))
                busy[_fork(task, work, answer)] = task, answer, time.monotonic() + limit_s
            if not busy:
                return
            time.sleep(POLL_S)
            for pid, (task, answer, end) in list(busy.items()):
                late = time.monotonic() > end
                if late:
                    os.kill(pid, signal.SIGKILL)
                if os.waitpid(pid, 0 if late else os.WNOHANG)[0]:
                    del busy[pid]
                    yield task, _read(answer, late)


def _read(answer: Path, late: bool) -> Any:
    if answer.exists():
        return json.loads(answer.read_text())
    if late:
        return HANGS
    raise RuntimeError("a fork ended without an answer")


def _fork(task: Any, work: Callable[[Any], Any], answer: Path) -> int:
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    try:
        part = answer.with_suffix(".part")
        part.write_text(json.dumps(work(task)))
        part.replace(answer)
    finally:
        os._exit(0)
