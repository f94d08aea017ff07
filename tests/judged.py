"""Writes `tests/data/judged-targets.json`: what the held targets are counted at with the histories of today.

`python -m tests.judged > tests/data/judged-targets.json` judges them anew; `tests/test_held.py` holds the file
to it.
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
    """The certificates of the held targets as they were."""
    return json.loads((HELD / "certificates-of-targets.json").read_text())


def certify():
    """The exit code and the certificates of the held targets, which are named by their paths from here."""
    code = run(["certify", *(certificate["target"] for certificate in held()), *OPTIONS])
    return code, json.loads(Path("judged.json").read_text())


def judged(certificates):
    """Everything that the runs count, by target; the same for the same seed, whatever the machine."""
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
    """The document as it stands in the file, a list in a line."""

    def in_a_line(row):
        return " ".join(row[0].split()).replace("[ ", "[").replace(" ]", "]")

    return re.sub(r"\[[^\[\]]*\]", in_a_line, json.dumps(document, indent=1)) + "\n"


def main():
    """Judge the held targets in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(sys.stderr):
        shutil.copytree(HELD / "targets", "targets")
        _, certificates = certify()
    sys.stdout.write(text(judged(certificates)))


if __name__ == "__main__":
    main()
