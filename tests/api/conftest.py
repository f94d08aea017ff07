"""Commands run in this process, for their documents."""

import json

import pytest

from kassay.cli.main import run as kassay_run


@pytest.fixture
def command(tmp_path):
    """Runs `kassay ARGUMENTS --json FILE` and returns the document, whatever the exit code."""

    def run(*arguments: str):
        path = tmp_path / "result.json"
        kassay_run([*arguments, "--json", str(path)])
        return json.loads(path.read_text(encoding="utf-8"))

    return run
