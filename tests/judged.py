"""Writes `tests/data/judged-targets.json`: the counts of the held targets with today's histories.

`python -m tests.judged > tests/data/judged-targets.json` computes them again; `tests/test_held.py` checks the
file.
"""

import json
import re
import shutil
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path

from kassay.cli.main import run
from tests.paths import HELD

OPTIONS = ("--histories", "60", "--seed", "7", "--out", "out", "--json", "judged.json")


def held():
    """The stored certificates of the held targets."""
    return json.loads((HELD / "certificates-of-targets.json").read_text())


def certify():
    """The exit code and the certificates of the held targets, named by paths relative to here."""
    code = run(["certify", *(certificate["target"] for certificate in held()), *OPTIONS])
    return code, json.loads(Path("judged.json").read_text())


def judged(certificates):
    """All counts of the runs, by target; the same for the same seed on any machine."""
    return {certificate["target"]: _counts(certificate) for certificate in certificates}


def _counts(certificate):
    controls = certificate["controls"]
    return {
        "played": [certificate["histories"], certificate["rebalances"]],
        "controls": [controls["caught"], controls["of"], controls["unknown"]],
        "claims": {
            claim["id"]: [claim["judged"], claim["checked"], claim["across_processes"], claim["failed"]]
            for claim in certificate["claims"]
        },
    }


def text(document):
    """The document as in the file, with one list per line."""

    def in_a_line(row):
        return " ".join(row[0].split()).replace("[ ", "[").replace(" ]", "]")

    return re.sub(r"\[[^\[\]]*\]", in_a_line, json.dumps(document, indent=1)) + "\n"


def main():
    """Certify the held targets in a separate folder."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(sys.stderr):
        shutil.copytree(HELD / "targets", "targets")
        _, certificates = certify()
    sys.stdout.write(text(judged(certificates)))


if __name__ == "__main__":
    main()
