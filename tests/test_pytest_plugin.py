"""The pytest plugin, in a separate pytest."""

import re
import subprocess
import sys

import pytest


def pytest_in(folder, *arguments, cache=False):
    off = () if cache else ("-p", "no:cacheprovider")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *off, *arguments],
        cwd=folder, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip


def collected(folder, *arguments):
    done = pytest_in(folder, "--co", "-q", *arguments, cache=True)
    return re.findall(r"^(\S*(?:::|kassay\[)\S*)$", done.stdout, re.MULTILINE)


def test_the_plugin_adds_a_test_for_a_target(tmp_path):
    (tmp_path / "test_own.py").write_text("def test_own():\n    assert True\n")
    (tmp_path / "first.py").write_text(
        'META = {"claims": ["balanced-within-one"]}\n'
        + "class First:\n    def assign(self, partitions_per_topic, members):\n"
        + "        return {m['id']: [] for m in members}\n"
    )
    done = pytest_in(tmp_path, "--kassay", "range", "--kassay", "first.py", "--kassay-histories", "450")
    assert "2 passed" in done.stdout
    assert "1 failed" in done.stdout
    assert "complete" in done.stdout
    assert "Traceback" not in done.stdout
    assert "def test_complete():" in done.stdout
    assert "kassay/testing.py" not in done.stdout
    (trace,) = (tmp_path / ".kassay" / "traces").iterdir()
    assert f"replay: kassay replay .kassay/traces/{trace.name}" in done.stdout
    missing = pytest_in(tmp_path, "--kassay", "missing.py")
    assert "missing.py: no such file" in missing.stdout


def test_traces_go_where_the_option_says(tmp_path):
    done = pytest_in(
        tmp_path, "--kassay", "ceil-range", "--kassay-histories", "40", "--kassay-out", "kept", "--co", "-q"
    )
    assert "kassay[ceil-range]" in done.stdout


TWO = ("--kassay", "range", "--kassay", "none.py")
OWN = "def test_good(): ...\ndef test_bad():\n    raise AssertionError\n"


def test_targets_are_chosen_like_tests_and_the_last_failed_are_known(tmp_path):
    (tmp_path / "test_own.py").write_text(OWN)
    done = pytest_in(tmp_path, *TWO, "-k", "none or bad or good", cache=True)
    assert "FAILED kassay[none.py] - " in done.stdout
    assert re.search("2 failed, 1 passed, 1 deselected", done.stdout)
    assert collected(tmp_path, *TWO, "--lf") == ["test_own.py::test_bad", "kassay[none.py]"]
    assert collected(tmp_path, *TWO, "-k", "kassay and range") == ["kassay[range]"]
    assert collected(tmp_path, *TWO, "--deselect", "kassay[none.py]", "test_own.py::test_good") == [
        "test_own.py::test_good",
        "kassay[range]",
    ]


@pytest.mark.slow  # 8 s
def test_two_workers_certify_and_the_last_failed_run_again(tmp_path):
    """Targets of the plugin, and those of `certify_assignor`; each failure begins with what is violated."""
    (tmp_path / "payfair.py").write_text(
        "class Pay:\n    def assign(self, partitions_per_topic, members):\n"
        "        given = {m['id']: [] for m in members}\n"
        "        for topic, count in partitions_per_topic.items():\n"
        "            for m in [m for m in members if topic in m['topics']][:1]:\n"
        "                given[m['id']] += [(topic, p) for p in range(count)]\n"
        "        return given\n"
    )
    (tmp_path / "test_pay.py").write_text(
        "from kassay.testing import certify_assignor as certify\n\n"
        "def test_good():\n"
        "    certify('payfair.py', claims=['complete'], histories=60, controls=False, allow_unknown=True)\n\n"
        "def test_bad():\n"
        "    certify('payfair.py', claims=['balanced-within-one'], histories=60, controls=False)\n"
    )
    (tmp_path / "s.toml").write_text('even = "max(load) - min(load) <= 1 where equal_subscriptions"\n')
    options = (
        "--kassay",
        "payfair.py",
        "--kassay-claims-file",
        "s.toml",
        "--kassay-histories",
        "60",
        "-n",
        "2",
    )
    done = pytest_in(tmp_path, *options, cache=True)
    assert "2 failed, 1 passed" in done.stdout, done.stdout
    lines = done.stdout.splitlines()
    assert "payfair.py breaks even = max(load) - min(load) <= 1 where equal_subscriptions" in done.stdout
    (first,) = [line for line in lines if re.match("E +kassay.testing.NotCertifiedError", line)]
    assert first.endswith("payfair.py breaks balanced-within-one (2 members, 2 partitions)")
    again = pytest_in(tmp_path, *options, "--lf", cache=True)
    assert "2 failed" in again.stdout
    assert "passed" not in again.stdout
