"""GitHub, as far as a composite action sees it: files, expressions, steps, and the comments of a pull request."""

import json
import os
import re
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.paths import ROOT
from tests.release.conftest import LIMIT_S

yaml = pytest.importorskip("yaml", reason="the tests of a release have an environment of their own")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = ACTION["runs"]["steps"]
REPOSITORY = "acme/assignors"
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
BASH = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"]
"""How a runner starts `shell: bash`."""


class Comments:
    """The comments of one pull request behind GitHub's API, on a port of its own; `code` refuses every call."""

    def __init__(self, comments=(), code=200):
        self.comments = list(comments)
        self.calls = []
        self.code = code
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer(owner.page(parse_qs(urlsplit(self.path).query)))

            def do_POST(self):
                owner.comments.append({"id": len(owner.comments) + 1, "user": {"type": "Bot"}, **self.body()})
                self.answer(owner.comments[-1])

            def do_PATCH(self):
                (comment,) = [c for c in owner.comments if str(c["id"]) == self.path.rpartition("/")[2]]
                comment |= self.body()
                self.answer(comment)

            def body(self):
                return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

            def answer(self, document):
                owner.calls.append((self.command, urlsplit(self.path).path, self.headers["Authorization"]))
                self.send_response(owner.code)
                self.end_headers()
                self.wfile.write(json.dumps(document if owner.code == 200 else {}).encode())

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def page(self, query):
        size, number = int(query["per_page"][0]), int(query["page"][0])
        return self.comments[size * (number - 1) : size * number]

    def __enter__(self):
        Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Run(NamedTuple):
    """What a run of the action left: the code of its last step, what it printed, the summary, the uploads."""

    code: int
    log: str
    summary: str
    used: list[dict]


class Workflow:
    """A workspace with a pull request (from a fork, or not) or a push, in which the action runs."""

    def __init__(self, folder: Path, api: str, event: str = "pull_request", head: str = REPOSITORY):
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        (self.workspace / ".git").mkdir()
        self.folder = folder
        document = {}
        if event == "pull_request":
            document = {"pull_request": {"number": 7, "head": {"repo": {"full_name": head}}}}
        (folder / "event.json").write_text(json.dumps(document))
        self.github = {"event_name": event, "event": document, "repository": REPOSITORY, "job": "certify"}
        self.github["token"] = "secret"
        self.variables = {
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_API_URL": api,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_JOB": "certify",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": "12",
            "GITHUB_SERVER_URL": "https://github.test",
            "GITHUB_WORKSPACE": str(self.workspace),
        }

    def value(self, expression, inputs, steps):
        """The value of an expression: the operators and functions that the action uses, as in Python."""
        names = {
            "github": _Fields(self.github),
            "inputs": _Fields(inputs),
            "steps": _Fields(steps),
            "hashFiles": lambda path: "1" if (self.workspace / path).is_file() else "",
            "format": lambda text, *parts: text.format(*parts),
        }
        python = re.sub(r"'[^']*'|\b([a-z]+)((?:\.[\w-]+)+)", _subscripts, expression.strip())
        return eval(python.replace("&&", "and").replace("||", "or").replace("\n", " "), {}, names)

    def run(self, inputs, path, leave_out=()):
        """Run the action's steps, each `run` as the shell of a runner does; `path` is the PATH."""
        defaults = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
        given, steps, used, log, code = defaults | inputs, {}, [], "", 0
        summary = self.folder / "summary.md"
        summary.write_text("")
        for number, step in enumerate(STEPS):
            if code or step.get("name") in leave_out:
                continue

            def filled(text):
                return EXPRESSION.sub(lambda found: str(self.value(found[1], given, steps)), str(text))

            condition = step.get("if", "true")
            if condition != "true" and not self.value(EXPRESSION.sub(r"\1", condition), given, steps):
                continue
            if "uses" in step:
                used.append({"uses": step["uses"], **{k: filled(v) for k, v in step["with"].items()}})
                continue
            script, output = self.folder / f"{number}.sh", self.folder / f"{number}.out"
            script.write_text(step["run"])
            output.write_text("")
            done = subprocess.run(
                [*BASH, str(script)],
                cwd=self.workspace,
                env=self.variables
                | {k: filled(v) for k, v in step["env"].items()}
                | {"PATH": path, "HOME": os.environ["HOME"], "LANG": "C.UTF-8"}
                | {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)},
                capture_output=True, text=True, timeout=LIMIT_S, check=False,
            )  # fmt: skip
            code, log = done.returncode, log + done.stdout + done.stderr
            if step.get("id"):
                pairs = [line.split("=", 1) for line in output.read_text().splitlines()]
                steps[step["id"]] = {"outputs": dict(pairs)}
        return Run(code, log, summary.read_text(), used)


class _Fields(dict):
    """A context of expressions: a field that is not there is empty."""

    def __missing__(self, _name):
        return ""


def _subscripts(found):
    if not found[1]:
        return found[0]  # a text
    name, rest = found[1], found[2].strip(".").split(".")
    return name + "".join(f"[{part!r}]" for part in rest)
