# ruff: noqa
"""One plain target that misbehaves as its configuration says."""

import os
import sys
import threading
import time


def fair(partitions_per_topic, members):
    """A correct answer."""
    out = {m["id"]: [] for m in members}
    for topic in sorted(partitions_per_topic):
        readers = sorted(m["id"] for m in members if topic in m["topics"])
        for p in range(partitions_per_topic[topic] if readers else 0):
            out[readers[p % len(readers)]].append((topic, p))
    return out


def sleep_on():
    while True:
        time.sleep(60)


class Hostile:
    def configure(self, config):
        self.do = config.get("do", "behave")
        self.file = config.get("file")
        if self.do == "raise_in_configure":
            raise RuntimeError("not like this")

    def assign(self, partitions_per_topic, members):
        answer = fair(partitions_per_topic, members)
        changed = getattr(self, self.do)(partitions_per_topic, members, answer)
        return answer if changed is None else changed

    def note(self, text):
        """Leave a process id where the test finds it."""
        with open(self.file, "a") as out:
            out.write(f"{text}\n")

    def behave(self, topics, members, answer):
        pass

    def prints(self, topics, members, answer):
        print("hello from the target", "x" * 200_000)
        print("and an error", file=sys.stderr)
        os.write(1, b"straight to the descriptor\n")

    def reads_stdin(self, topics, members, answer):
        assert sys.stdin.read() == ""

    def mutates_members(self, topics, members, answer):
        members[0]["owned"].append(("t", 99))

    def mutates_topics(self, topics, members, answer):
        topics.pop("t")

    def reorders_topics(self, topics, members, answer):
        topics["t"] = topics.pop("t")

    def loops(self, topics, members, answer):
        while True:
            pass

    def loops_in_c(self, topics, members, answer):
        return len(str(7 ** (10**9)))

    def loops_in_re(self, topics, members, answer):
        import re

        re.match(r"(a+)+$", "a" * 64 + "b")

    def catches_everything(self, topics, members, answer):
        import signal

        for number in range(1, 65):
            try:
                signal.signal(number, lambda *_: None)
            except (OSError, ValueError):
                pass
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass

    def recurses(self, topics, members, answer):
        return self.recurses(topics, members, answer)

    def recurses_without_limit(self, topics, members, answer):
        sys.setrecursionlimit(10**9)
        return self._deeper(lambda: None)

    def _deeper(self, inner):
        return sorted([1, 2], key=lambda _: self._deeper(inner))

    def allocates(self, topics, members, answer):
        kept = []
        while True:
            kept.append(bytearray(1 << 20))

    def allocates_and_keeps(self, topics, members, answer):
        self.kept = []
        while True:
            self.kept.append("x" * 1000)

    def allocates_and_hides(self, topics, members, answer):
        kept = []
        while True:
            try:
                kept.append(bytearray(1 << 20))
            except MemoryError:
                pass

    def forks(self, topics, members, answer):
        for _ in range(5):
            if os.fork() == 0:
                self.note(os.getpid())
                sleep_on()
        time.sleep(0.2)

    def forks_and_returns(self, topics, members, answer):
        if os.fork() == 0:
            self.note(os.getpid())

    def daemonises(self, topics, members, answer):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                self.note(os.getpid())
                sleep_on()
            os._exit(0)
        os.wait()
        while not os.path.exists(self.file) or not os.path.getsize(self.file):
            time.sleep(0.01)  # the guard is quick enough to kill it before it has left its number

    def daemonises_and_exits(self, topics, members, answer):
        self.daemonises(topics, members, answer)
        os._exit(0)

    def starts_program(self, topics, members, answer):
        import subprocess

        child = subprocess.Popen(["sleep", "300"], start_new_session=True)
        self.note(child.pid)

    def threads(self, topics, members, answer):
        for _ in range(5):
            threading.Thread(target=sleep_on, daemon=False).start()

    def exits(self, topics, members, answer):
        sys.exit(3)

    def exits_hard(self, topics, members, answer):
        os._exit(3)

    def segfaults(self, topics, members, answer):
        import ctypes

        ctypes.string_at(0)

    def aborts(self, topics, members, answer):
        print("about to abort", flush=True)
        os.abort()

    def kills_itself(self, topics, members, answer):
        os.kill(os.getpid(), 9)

    def interrupts(self, topics, members, answer):
        raise KeyboardInterrupt

    def raises(self, topics, members, answer):
        raise KeyError("c\nd")

    def raises_without_text(self, topics, members, answer):
        class Odd(Exception):
            def __str__(self):
                raise ValueError

        raise Odd

    def refuses(self, topics, members, answer):
        class Declined(ValueError):
            pass

        raise Declined("too few")

    def closes_fds(self, topics, members, answer):
        os.closerange(3, 4096)

    def closes_output(self, topics, members, answer):
        os.close(1)
        os.close(2)

    def scribbles(self, topics, members, answer):
        for fd in range(3, 1024):
            try:
                os.write(fd, b"garbage garbage garbage garbage")
            except OSError:
                pass

    def changes_directory(self, topics, members, answer):
        os.chdir("/")
        os.environ.clear()

    def answers_huge(self, topics, members, answer):
        answer["m" * (80 << 20)] = []


class Answers:
    """Answers with what the configuration names."""

    def configure(self, config):
        self.what = config["what"]

    def assign(self, partitions_per_topic, members):
        return ANSWERS[self.what]()


class Text(str):
    def __str__(self):
        raise RuntimeError


class Number(int):
    def __repr__(self):
        raise RuntimeError


async def later():
    return {}


def lazily():
    yield "a"


ANSWERS = {
    "none": lambda: None,
    "list": lambda: [("a", [])],
    "str": lambda: "a",
    "generator": lazily,
    "coroutine": lambda: later().close(),
    "key": lambda: {1: []},
    "value_none": lambda: {"a": None},
    "value_str": lambda: {"a": "t-0"},
    "value_set": lambda: {"a": {("t", 0)}},
    "value_generator": lambda: {"a": (("t", p) for p in range(1))},
    "pair_str": lambda: {"a": ["t-0"]},
    "pair_short": lambda: {"a": [("t",)]},
    "pair_long": lambda: {"a": [("t", 0, 0)]},
    "pair_none": lambda: {"a": [None]},
    "topic_int": lambda: {"a": [(0, "t")]},
    "partition_str": lambda: {"a": [("t", "0")]},
    "partition_bool": lambda: {"a": [("t", True)]},
    "partition_float": lambda: {"a": [("t", 0.0)]},
    "partition_huge": lambda: {"a": [("t", 10**5000)]},
    "nan": lambda: float("nan"),
    "object": lambda: object(),
    "odd_repr": lambda: {"a": [("t", [Number(1)])]},
    "ok_lists": lambda: {"a": [["t", 0]]},
    "ok_tuples": lambda: {"a": (("t", 0),)},
    "ok_subclasses": lambda: {Text("a"): [(Text("t"), Number(0))]},
    "ok_negative": lambda: {"a": [("t", -1)]},
    "ok_empty": lambda: {},
    "ok_surrogate": lambda: {"\ud800": [("\udfff", 0)]},
}
