"""`kassay watch`: one observation, a server, and a cluster that does not answer."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from tests.cli.runner import ENVIRONMENT, here, one_line
from tests.engines.watch.broker import ManyGroups

pytestmark = pytest.mark.live
parser = pytest.importorskip("prometheus_client.parser")
pytest.importorskip("kafka.protocol.consumer.metadata")
pytest.importorskip("javaproperties")

TOPICS = {"orders": 6}
SKEWED = {"a": {"orders": [0, 1, 2, 3]}, "b": {"orders": [4, 5]}}
SWAPPED = {"a": {"orders": [0, 1, 2, 4]}, "b": {"orders": [3, 5]}}
NOWHERE = "127.0.0.1:1"


def values(text):
    """The value of each metric, of each group where it has groups."""
    return {
        (each.name, *each.labels.values()): each.value
        for family in parser.text_string_to_metric_families(text)
        for each in family.samples
    }


def test_one_observation_on_standard_output(tmp_path):
    with ManyGroups({"billing": SKEWED}, TOPICS) as broker:
        done = here("watch", "--bootstrap-server", broker.bootstrap, "--once", "-", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    found = values(done.stdout)
    assert found["kassay_up",] == 1
    assert found["kassay_group_spread_partitions", "billing"] == 2
    assert found["kassay_group_optimum_distance_partitions", "billing"] == 1
    assert ("kassay_group_needless_moves_total", "billing") not in found


def test_one_observation_in_a_file_for_the_node_exporter(tmp_path):
    with ManyGroups({"billing": SKEWED, "mails": SKEWED}, TOPICS) as broker:
        live = ("--bootstrap-server", broker.bootstrap, "--group", "mails")
        done = here("watch", *live, "--once", "kassay.prom", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    found = values((tmp_path / "kassay.prom").read_text())
    assert found["kassay_group_members", "mails"] == 2 and ("kassay_group_members", "billing") not in found


def test_a_cluster_that_does_not_answer(tmp_path):
    done = here("watch", "--bootstrap-server", NOWHERE, "--once", "-", cwd=tmp_path)
    assert "connection refused" in one_line(done, 2)
    assert values(done.stdout)["kassay_up",] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--bootstrap-server"),
        (["--bootstrap-server", "h:x"], "expected HOST:PORT"),
        (["--bootstrap-server", NOWHERE, "--listen", "9877"], "expected HOST:PORT"),
        (["--bootstrap-server", NOWHERE, "--listen", "localhost:99999"], "expected HOST:PORT"),
        (["--bootstrap-server", NOWHERE, "--once", "."], "--once"),
    ],
)
def test_what_can_never_work_is_refused(arguments, words, tmp_path):
    done = here("watch", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr


def test_an_address_that_is_taken_is_refused(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        done = here("watch", "--bootstrap-server", NOWHERE, "--listen", listen, cwd=tmp_path)
    assert done.returncode == 2 and f"--listen {listen}" in done.stderr


def scraped(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=")
        return values(answer.read().decode())


@pytest.mark.parametrize("is_up", [True, False], ids=["up", "down"])
def test_it_serves_until_a_signal(is_up, tmp_path):
    with ManyGroups({"billing": SKEWED}, TOPICS) as broker:
        if not is_up:
            broker.__exit__()
        command = [sys.executable, "-m", "kassay", "watch", "--bootstrap-server", broker.bootstrap]
        server = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0"],
            cwd=tmp_path,
            env=ENVIRONMENT,
            text=True,
            stderr=subprocess.PIPE,
        )
        try:
            line = server.stderr.readline()
            if not is_up:
                assert "connection refused" in line
                line = server.stderr.readline()
            address = line.rpartition("serving ")[2].strip()
            assert address.startswith("http://127.0.0.1:") and address.endswith("/metrics")
            assert scraped(address)["kassay_up",] == is_up
            broker.__exit__()
        finally:
            server.send_signal(signal.SIGTERM)
            _, rest = server.communicate(timeout=60)
    assert (server.returncode, rest) == (0 if is_up else 2, "")
