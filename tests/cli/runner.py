"""Running the command line in a process of its own, as a user would, or in this one, which starts at once."""

import contextlib
import io
import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema

from kassay.cli.main import run

ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")} | {"NO_COLOR": "1"}
"""Without the width that pytest-xdist gives its workers: no terminal, as in a pipe."""


def kassay(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The finished command; fails the test where it left a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "kassay", *map(str, arguments)],
        cwd=cwd,
        env={**ENVIRONMENT, **(env or {})},
        capture_output=True,
        text=True,
        timeout=600,  # a command that hangs; a busy machine is no finding
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    return done


def here(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command finished in this process: for what is refused before anything begins."""
    typed = [*map(str, arguments)]
    stdout, stderr = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, ENVIRONMENT, clear=True),
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        code = run(typed)
    return subprocess.CompletedProcess(typed, code, stdout.getvalue(), stderr.getvalue())


def one_line(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line on standard error with which the command ended with that code."""
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("kassay: ")
    return lines[0]


def valid(document: Any, schema: str) -> Any:
    """The document, which must be valid under the committed schema."""
    text = files("kassay.report").joinpath("schemas", f"{schema}.json").read_text()
    jsonschema.validate(document, json.loads(text))
    return document
