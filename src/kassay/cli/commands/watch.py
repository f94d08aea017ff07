"""Export Prometheus metrics of a live cluster's groups."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import click

from kassay.cli.clusters import cluster_options, given_cluster
from kassay.cli.options import complain, paste, say, written_file
from kassay.model.errors import InputError
from kassay.reading.documents import shown

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from kassay.engines.watch.watcher import Watched, Watcher

PLACE = 345
EXIT_SILENT: Final = 2
"""The exit code if the cluster did not answer last."""


@click.command("watch", epilog="Example: kassay watch client.properties --bootstrap-server kafka:9092")
@cluster_options
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:9877",
    show_default=True,
    help="Serve /metrics at this address.",
)
@click.option(
    "--once",
    metavar="FILE",
    callback=written_file,
    help="Write the metrics once; `-` for standard output.",
)
def command(**chosen: Any) -> int:
    """Export the balance, distance to the optimum, moves and useful member counts of the cluster's groups.

    FILE is client.properties. Each scrape observes the cluster by requests that only read; while it does not
    answer, kassay_up is 0. Ends on Ctrl-C or SIGTERM. Exit codes: 0 the cluster answered last, 2 it did not,
    or the address is not free.
    """
    from kassay.engines.watch.watcher import Watcher

    if chosen["bootstrap"] is None:
        raise InputError("expected --bootstrap-server with the cluster to watch")
    cluster = given_cluster(chosen)
    cluster.require_no_outputs("groups")
    connect = cluster.connector()
    if chosen["once"] is not None:
        with closing(Watcher(connect, chosen["group"], budget_s=None)) as watcher:
            return _written(watcher.observe(), chosen["once"])
    host, port = _address(chosen["listen"])
    with closing(Watcher(connect, chosen["group"])) as watcher:
        return _served(watcher, host, port)


def _written(watched: Watched, path: str) -> int:
    """Write the metrics of one observation; raises the `InputError` for which the cluster does not answer."""
    from kassay.report.files.metrics import metrics_text
    from kassay.writing.files import write_text

    text = metrics_text(watched)
    if path == "-":
        paste(text)
    else:
        write_text(text, path)
    if watched.failure is not None:
        raise watched.failure
    return 0


def _served(watcher: Watcher, host: str, port: int) -> int:
    """Serve until a signal; the exit code. Raises `InputError` for settings that can never work."""
    from kassay.reading.live.failures import ConnectFailure
    from kassay.report.files.metrics import registry_of

    failures: list[str | None] = [None]

    def observe() -> Watched:
        """An observation; what changed about the cluster's answer goes to standard error."""
        watched = watcher.observe()
        failure = None if watched.failure is None else str(watched.failure)
        if failure != failures[-1]:
            complain(failure or "the cluster answers again")
            failures[:] = [failure]
        return watched

    registry = registry_of(observe)
    first = observe().failure
    if first is not None and not isinstance(first, ConnectFailure):
        raise first
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with _server(registry, host, port) as address:
        say(f"kassay: serving http://{address}/metrics", err=True)
        with suppress(KeyboardInterrupt):
            stop.wait()
    return 0 if failures[-1] is None else EXIT_SILENT


@contextmanager
def _server(registry: CollectorRegistry, host: str, port: int) -> Iterator[str]:
    """A server of the metrics within the context: its address; raises `InputError`."""
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise InputError(f"--listen {host}:{port}: {error.strerror or error}") from None
    try:
        yield f"{host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _address(text: str) -> tuple[str, int]:
    """Host and port; raises `InputError`."""
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise InputError(f"--listen {shown(text)}: expected HOST:PORT")
    return host.strip("[]"), int(port)
