"""Put the Markdown report of `kassay certify` into a comment on the pull request; `action.yml` runs this.

A later run replaces the comment. Without a finding there is none, unless one has to be replaced. Where the
token may not write, as in a pull request from a fork, the summary of the job says so, and the verdict stays.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

CHARACTERS_MAX = 60_000
"""GitHub refuses a comment of more than 65,536."""
PAGE = 100
PAGES_MAX = 30
TIMEOUT_S = 30
FORK = (
    "No comment: the pull request comes from a fork, and its token may only read. The whole report is above."
)


class Refused(Exception):
    """GitHub did not do what it was asked for; the text says why, and what to do."""


def ask(method: str, path: str, document: dict[str, str] | None = None) -> Any:
    """GitHub's answer, parsed; raises `Refused`."""
    request = Request(
        os.environ["GITHUB_API_URL"] + path,
        method=method,
        data=None if document is None else json.dumps(document).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.load(answer)
    except HTTPError as error:
        if error.code in (401, 403, 404):
            raise Refused(
                f"the token may not write comments (HTTP {error.code}): expected `pull-requests: write` "
                "under `permissions` of the job"
            ) from None
        raise Refused(f"GitHub answered with HTTP {error.code}") from None
    except (URLError, TimeoutError, ValueError) as error:
        raise Refused(f"GitHub did not answer: {error}") from None


def own_comment(comments: str, mark: str) -> int | None:
    """The id of the comment that an earlier run wrote."""
    for page in range(1, PAGES_MAX + 1):
        batch = ask("GET", f"{comments}?per_page={PAGE}&page={page}")
        for each in batch:
            if each["user"]["type"] == "Bot" and (each["body"] or "").startswith(mark):
                return int(each["id"])
        if len(batch) < PAGE:
            break
    return None


def text_of(report: str, mark: str, run: str) -> str:
    """The comment: no name in it notifies a person, and it is cut after a line to what GitHub takes."""
    quiet = re.sub(r"@(?=\w)", "@\N{ZERO WIDTH SPACE}", report)
    if len(quiet) > CHARACTERS_MAX:
        quiet = (
            quiet[:CHARACTERS_MAX].rpartition("\n")[0]
            + "\n\n(cut here: the summary of the run has the rest)\n"
        )
    return f"{mark}\n{quiet}\nFrom [this run]({run}).\n"


def note(text: str, kind: str = "notice") -> None:
    """Say it in the summary of the job, and next to it."""
    with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as summary:
        summary.write(f"\n{text}\n")
    print(f"::{kind}::{text}")


def main() -> int:
    """Write the comment or say why there is none; 0 in any case, as the verdict decides."""
    repository = os.environ["GITHUB_REPOSITORY"]
    pull = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))["pull_request"]
    if (pull["head"]["repo"] or {}).get("full_name") != repository:
        note(FORK)
        return 0
    report = Path(os.environ["OUT"], "report.md")
    if not report.is_file():
        return 0
    about = hashlib.sha256(os.environ["TARGETS"].encode()).hexdigest()[:12]
    mark = f"<!-- kassay {os.environ['GITHUB_JOB']} {about} -->"
    run = f"{os.environ['GITHUB_SERVER_URL']}/{repository}/actions/runs/{os.environ['GITHUB_RUN_ID']}"
    body = {"body": text_of(report.read_text(encoding="utf-8"), mark, run)}
    issues = f"/repos/{repository}/issues"
    try:
        known = own_comment(f"{issues}/{pull['number']}/comments", mark)
        if known is not None:
            ask("PATCH", f"{issues}/comments/{known}", body)
        elif os.environ["CODE"] != "0":
            ask("POST", f"{issues}/{pull['number']}/comments", body)
    except Refused as error:
        note(f"No comment: {error}.", "warning")
    return 0


if __name__ == "__main__":
    sys.exit(main())
