"""The child process of a target: sets its limits, loads the class and answers calls.

Exceptions of the target's code are caught here and sent as answers. The guard and the parent handle whatever
ends the process or keeps it from answering.
"""

from __future__ import annotations

import fcntl
import gc
import marshal
import os
import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from time import process_time
from typing import Any, Final, NoReturn

from kassay.assignors.plain_answers import (
    CHECKS,
    DOCUMENTS,
    FULL,
    PLACER,
    Malformed,
    changed,
    check_assignment,
    check_placement,
    check_user_data,
    difference,
    integer,
)
from kassay.engines.processes.arrangement import Arrangement, reload_of
from kassay.engines.processes.load import Loaded, TargetSource, load
from kassay.engines.processes.returned import EarlierAnswer
from kassay.engines.processes.wire import CHANNEL_LOST, HEADER, MESSAGE_MAX, frame, to_json
from kassay.model.errors import FailureKind, TargetNotLoadable, failed

_CHANNEL_FD: Final = 200
_LOADING_MIB: Final = 1024
"""Memory for libraries, on top of the limit, while the target is loaded."""
_RESERVE: Final = 1024 * 1024
LOAD_MAX_S: Final = 2.0
RELOAD_MAX_S: Final = 0.05
"""A target is loaded again in other surroundings if that takes at most so many seconds of processor time.

The first time includes the libraries that it imports, which stay; beyond `LOAD_MAX_S` it is not tried again.
"""
ARRANGED: Final = 0
"""The number that stands for no object, in a call that concerns the whole process."""
_PLACED: Final = ("num_partitions", "replication_factor", "brokers")
_FAILED: Final = b"[1,"
"""The start of a reply that reports a failure."""
_INPUTS: Final = ("partitions_per_topic", "members", "replica_racks", "partition_weights", "assignable")


def settle(channel: tuple[int, ...], output: int) -> tuple[int, ...]:
    """Move the channel to safe descriptors and close everything else of the guard's."""
    kept = tuple(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _CHANNEL_FD) for fd in channel)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, _CHANNEL_FD)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return kept


def execute(argv: list[str], environment: Mapping[str, str], channel: tuple[int, ...]) -> NoReturn:
    """Execute the program, with the channel as standard input and output, in the extended environment."""
    os.dup2(channel[0], 0)
    os.dup2(channel[1], 1)
    try:
        os.execvpe(argv[0], argv, {**os.environ, **environment})
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
        os._exit(126)


def serve(channel: tuple[int, ...], order: Mapping[str, Any]) -> NoReturn:
    """Load the target, send its description, and answer calls until the process ends."""
    nonce, output = bytes.fromhex(order["nonce"]), channel[1]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # not replaced yet
    sys.path[:] = order["path"]
    limit_memory(order["memory_mib"] + _LOADING_MIB)
    source = TargetSource(**order["source"])
    arrangement, lacks = _arranged(order)
    started = process_time()
    try:
        target, loaded = load(source)
    except TargetNotLoadable as error:
        write(output, frame(nonce, 0, to_json({"error": str(error)}).encode()))
        os._exit(0)
    try:
        seconds = process_time() - started
        once = _loads_once(source, seconds) if arrangement is not None else "its surroundings stay"
        greeting = to_json({"loaded": asdict(loaded), "once": once, "lacks": lacks}).encode()
    except (TypeError, ValueError) as error:
        greeting = to_json({"error": f"META cannot be read: {error}"}).encode()
    gc.collect()
    limit_memory(order["memory_mib"])
    write(output, frame(nonce, 0, greeting))
    try:
        Server(channel, nonce, target, loaded, source=source, arrangement=arrangement).run()
    finally:
        os._exit(CHANNEL_LOST)


def _arranged(order: Mapping[str, Any]) -> tuple[Arrangement | None, str]:
    """The surroundings of the order, taken on, and why the clock is not shifted; None if it has none."""
    if "surroundings" not in order:
        return None, ""
    arrangement = Arrangement(renames=order["renamed"])
    lacks = arrangement.apply({**order["surroundings"], "environment": dict(os.environ)})
    arrangement.record()
    return arrangement, lacks


def _loads_once(source: TargetSource, seconds: float) -> str:
    """Why the target, loaded in these seconds, is not loaded again; "" if it is.

    A module that registers what it has may refuse.
    """
    slow = f"loading it takes more than {RELOAD_MAX_S * 1000:.0f} ms"
    if seconds > LOAD_MAX_S:
        return slow
    before, started = dict(sys.modules), process_time()
    try:
        reload_of(source.module)
        load(source)
    except TargetNotLoadable as error:
        sys.modules.update(before)
        return f"it cannot be loaded twice: {error}"
    return slow if process_time() - started > RELOAD_MAX_S else ""


def limit_memory(mib: int) -> None:
    """Let the address space grow by at most this much from now on; no effect without such a system limit."""
    with suppress(OSError, ValueError):
        now = int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + mib * 1024 * 1024, resource.RLIM_INFINITY))


def write(fd: int, data: bytes) -> None:
    """Write all data, or end this process."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError:
        os._exit(CHANNEL_LOST)


class Server:
    """The target's objects by number, and the calls to them."""

    def __init__(
        self,
        channel: tuple[int, ...],
        nonce: bytes,
        target: type,
        loaded: Loaded,
        *,
        source: TargetSource,
        arrangement: Arrangement | None,
    ) -> None:
        self.input, self.output = channel
        self.nonce = nonce
        self.target = target
        self.loaded = loaded
        self.source = source
        self.arrangement = arrangement
        self.returned = EarlierAnswer()
        self.objects: dict[int, Any] = {ARRANGED: None}
        self.broken: dict[int, list[Any]] = {}
        self.reserve = bytearray(_RESERVE)
        self.buffer = b""
        self.members: tuple[str, ...] = ()
        self.said: list[bytes | None] = []
        forms = {FULL: self.assign_full, PLACER: self.place, **dict.fromkeys(CHECKS, self.assign_document)}
        assign = forms.get(loaded.form, self.assign_plain)
        self.calls: dict[str, Callable[[Any, bytes], list[Any]]] = {
            "assign": assign,
            "place": self.place,
            "partition": self.partition,
            "close": self.close,
            "subscription_user_data": self.user_data,
            "on_assignment": self.learn,
            "reported_generation": self.generation,
            "arrange": self.arrange,
        }

    def run(self) -> None:
        """Serve until the parent is gone."""
        pid = os.getpid()
        while True:
            sequence, payload = self.read()
            calls, needed, self.members = marshal.loads(payload)
            self.said.clear()
            for done, (news, drops, method, number, body) in enumerate(calls, start=1):
                if self.arrangement is not None:
                    self.arrangement.restart_clock()
                for new, config in news:
                    self.make(new, config)
                for gone in drops:
                    self.objects.pop(gone, None)
                    self.broken.pop(gone, None)
                reply = self.answer(method, number, body)
                if os.getpid() != pid:
                    os._exit(0)  # a process that the target forked returned from the call as well
                write(self.output, frame(self.nonce, sequence + done - 1, reply))
                if done <= needed and reply.startswith(_FAILED):
                    break

    def read(self) -> tuple[int, bytes]:
        """The next request."""
        size, sequence = HEADER.size, 0
        wanted = -1
        while wanted < 0 or len(self.buffer) < wanted:
            try:
                data = os.read(self.input, 262144)
            except OSError:
                os._exit(CHANNEL_LOST)
            if not data:
                os._exit(0)
            self.buffer += data
            if wanted < 0 and len(self.buffer) >= size:
                _, sequence, length = HEADER.unpack_from(self.buffer)
                wanted = size + length
        payload, self.buffer = self.buffer[size:wanted], self.buffer[wanted:]
        return sequence, payload

    def make(self, number: int, config: dict[str, str]) -> None:
        """Create an object, or keep the reason of the failure for its first call."""
        call = self.loaded.class_name
        try:
            instance = self.target()
            call = "configure"
            if hasattr(instance, "configure"):
                instance.configure(config)
            self.objects[number] = instance
        except BaseException as error:  # the target's own code may raise anything
            self.broken[number] = self.failure(error, call)

    def answer(self, method: str, number: int, body: bytes) -> bytes:
        """The reply to one call, whatever the target does; uses the reserve if memory is exhausted."""
        try:
            if number in self.broken:
                reply = self.broken[number]
            else:
                reply = self.calls[method](self.objects[number], body)
            data = to_json(reply).encode()
            self.returned.finish()
            if len(data) > MESSAGE_MAX:
                size, most = len(data) >> 20, MESSAGE_MAX >> 20
                raise Malformed(f"answer of {size} MiB, expected at most {most} MiB")
            return data
        except Malformed as malformed:
            return to_json([1, FailureKind.MALFORMED, str(malformed), method, []]).encode()
        except BaseException as error:
            if isinstance(error, MemoryError):
                self.reserve = bytearray()
            return to_json(self.failure(error, method)).encode()

    def failure(self, error: BaseException, call: str) -> list[Any]:
        """The reply for an exception."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(BaseException):
                stream.flush()
        failure = failed(error, call, self.loaded.file)
        return [1, failure.kind, failure.message, failure.where, failure.raised]

    def arrange(self, _target: Any, body: bytes) -> list[Any]:
        """Take on other surroundings; answers with the variables read before and what the clock lacks.

        With `reload`, the target is loaded again: whatever it reads on import, it reads in these.
        """
        if self.arrangement is None:
            raise Malformed("the process was not started to change its surroundings")
        wanted = marshal.loads(body)
        reads = list(self.arrangement.reads)
        lacks = self.arrangement.apply(wanted)
        self.objects, self.broken = {ARRANGED: None}, {}
        if wanted["reload"]:
            reload_of(self.source.module)
            self.target, _ = load(self.source)
        return [0, [reads, lacks], None]

    def assign_plain(self, target: Any, body: bytes) -> list[Any]:
        """One call of the plain form, with fresh values."""
        arguments = marshal.loads(body)
        counts, members, *optional = arguments
        values = dict(zip(_INPUTS[2:], optional))
        extras = {name: values[name] for name in self.loaded.extras}
        answer = target.assign(counts, members, **extras)
        checked = check_assignment(answer)
        mutated = changed(_INPUTS, marshal.loads(body), arguments)
        return [0, checked, self.returned.take(answer, tuple(arguments)) or mutated]

    def assign_full(self, target: Any, body: bytes) -> list[Any]:
        """One call of the full form, with values built for it."""
        from kassay.engines.processes import values

        given = dict(zip(self.members, self.said))
        cluster, group = values.decode(marshal.loads(body), given)
        answer = target.assign(cluster, group)
        assignment, user_data = values.check_answer(answer)
        mutated = values.changed(values.decode(marshal.loads(body), given), (cluster, group))
        mutated = self.returned.take(answer, ()) or mutated
        return [0, [assignment, {member_id: data.hex() for member_id, data in user_data.items()}], mutated]

    def assign_document(self, target: Any, body: bytes) -> list[Any]:
        """One call of a task assignor or a Connect assignor, with a fresh document."""
        form, document = self.loaded.form, marshal.loads(body)
        answer = target.assign(document)
        checked = CHECKS[form](answer)
        mutated = changed((DOCUMENTS[form],), (marshal.loads(body),), (document,))
        return [0, checked, self.returned.take(answer, (document,)) or mutated]

    def place(self, target: Any, body: bytes) -> list[Any]:
        """One call of a placer."""
        arguments = marshal.loads(body)
        before = marshal.loads(body)
        by_name = {name: arguments[name] for name in arguments if name not in _PLACED}
        answer = target.place(*(arguments[name] for name in _PLACED), **by_name)
        checked = check_placement(answer)
        mutated = changed(before, before.values(), arguments.values())
        return [0, checked, self.returned.take(answer, (arguments,)) or mutated]

    def partition(self, target: Any, body: bytes) -> list[Any]:
        """One call of a partitioner, of whose arguments the list of available partitions can be changed."""
        arguments = marshal.loads(body)
        available = list(arguments[-1])
        checked = integer("partition has the answer", target.partition(*arguments))
        return [0, checked, difference(available, arguments[-1], "available")]

    def close(self, target: Any, _body: bytes) -> list[Any]:
        """Close the object if it has such a method."""
        if hasattr(target, "close"):
            target.close()
        return [0, None, None]

    def user_data(self, target: Any, body: bytes) -> list[Any]:
        """The user data that the object adds to its subscription."""
        data = check_user_data(target.subscription_user_data(marshal.loads(body)))
        self.said.append(data)
        return [0, None if data is None else data.hex(), None]

    def generation(self, target: Any, _body: bytes) -> list[Any]:
        """The generation that the object would report in its subscription."""
        reported = target.reported_generation
        return [0, None if reported is None else integer("reported_generation", reported), None]

    def learn(self, target: Any, body: bytes) -> list[Any]:
        """Pass the object its member's assignment."""
        from kassay.engines.processes import values

        target.on_assignment(*values.decode_learned(marshal.loads(body)))
        return [0, None, None]
