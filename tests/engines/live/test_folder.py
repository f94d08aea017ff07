"""The folder of a run: what it notes, and that only what matches is ended."""

import json
import os
import subprocess
import sys

from kassay.engines.live.folder import RunFolder, clean, noted, start_time

SLEEPER = [sys.executable, "-c", "import sys; sys.stdin.read()"]


def left_behind(base, run, pid, started):
    """The folder of a run whose kassay is gone."""
    folder = base / run
    folder.mkdir(parents=True)
    lines = [
        {"pid": 2**22 + 1, "started": 5, "program": "kassay"},
        {"pid": pid, "started": started, "program": "x"},
    ]
    (folder / "processes.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines) + '{"pid"')
    return folder


def test_a_process_that_was_left_is_ended_and_the_folder_removed(tmp_path):
    with subprocess.Popen(SLEEPER, stdin=subprocess.PIPE) as process:
        folder = left_behind(tmp_path, "abc", process.pid, start_time(process.pid))
        done = clean(tmp_path)
        assert (done.folders, done.processes, done.busy) == (1, 1, ())
        assert process.wait(10) == -9 and not folder.exists()


def test_another_process_with_that_id_is_left_alone(tmp_path):
    with subprocess.Popen(SLEEPER, stdin=subprocess.PIPE) as process:
        left_behind(tmp_path, "abc", process.pid, start_time(process.pid) + 1)
        assert clean(tmp_path).processes == 0
        assert process.poll() is None


def test_a_run_that_goes_on_is_left_alone(tmp_path):
    folder = RunFolder(tmp_path)
    folder.write("1.toml", "x")
    assert clean(tmp_path).busy == (folder.run,)
    assert [each.pid for each in noted(folder.path)] == [os.getpid()]
    assert (folder.path / "1.toml").read_text() == "x"


def test_nothing_is_left_when_the_last_run_is_removed(tmp_path):
    base = tmp_path / ".kassay" / "live"
    folder = RunFolder(base)
    (folder.path / "processes.jsonl").write_text("")
    assert (tmp_path / ".kassay" / ".gitignore").exists()
    assert clean(base).folders == 1 and [*tmp_path.iterdir()] == []
    RunFolder(base)
    (tmp_path / ".kassay" / "mine").write_text("x")
    (next(base.iterdir()) / "processes.jsonl").write_text("")
    assert clean(base).folders == 1 and [*tmp_path.rglob("mine")] != []


def test_other_files_are_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    assert clean(tmp_path).folders == 0 and (tmp_path / "mine").exists()
    assert noted(tmp_path / "mine") == []
