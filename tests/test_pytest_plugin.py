"""The pytest plugin, in a separate pytest."""

import subprocess
import sys


def pytest_in(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


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
