"""The Dockerfile: hadolint passes, and its RUN lines do in a clean environment what they do in an image.

There is no daemon: a fresh environment of Python stands for `python:3.11-slim`, a folder for the root of each
stage, and `env -i` for its variables. So the base image, its users and the image's layers are not tried.
"""

import re
import shutil
import subprocess
import sys

import pytest

from kassay import __version__
from tests.paths import ROOT
from tests.release.conftest import clean, ran
from tests.release.test_wheel import FAULTY

pytestmark = pytest.mark.release

DOCKERFILE = ROOT / "Dockerfile"


def instructions():
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE).replace("\\\n", "")
    return [tuple(line.split(" ", 1)) for line in text.splitlines() if line.strip()]


def test_hadolint_has_nothing_to_say():
    tool = shutil.which("hadolint", path=f"{sys.exec_prefix}/bin")
    ran(tool, "--no-color", "--failure-threshold", "style", DOCKERFILE)
    bad = subprocess.run(
        [tool, "-"],
        input="FROM python\nRUN pip install kassay\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert bad.returncode == 1, "a control"


def test_it_runs_as_no_one_and_starts_kassay():
    last = dict(instructions())
    assert last["USER"] == "65532:65532"
    assert last["ENTRYPOINT"] == '["kassay"]'
    assert last["FROM"] == "python:3.11-slim"


def test_its_run_lines_build_and_install_kassay(tmp_path):
    stages, where, env = {}, None, {}
    for word, rest in instructions():
        if word == "FROM":
            name = rest.partition(" AS ")[2] or "last"
            root = stages[name] = tmp_path / name
            ran(sys.executable, "-m", "venv", root / "python")
            env = clean(PATH=f"{root}/python/bin:/usr/bin:/bin")
        elif word == "WORKDIR":
            where = root / rest.lstrip("/")
            where.mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            copied(rest.split(), stages, where)
        elif word == "RUN":
            ran("/bin/sh", "-c", rest, cwd=where, env=env)
        elif word == "ENV":
            assert rest == "HOME=/tmp"
    kassay = tmp_path / "last" / "python" / "bin" / "kassay"
    assert ran(kassay, "--version", env=env).split()[-1] == __version__
    assert list((tmp_path / "last" / "opt" / "kassay").iterdir()) == [], "the wheel is gone"
    (where / "mine.py").write_text(FAULTY)
    assert ran(kassay, "certify", "mine.py", "--histories", "100", cwd=where, env=env, code=1).startswith(
        "NOT"
    )
    ran(kassay.parent / "python", "-c", "import kafka, cryptography, javaproperties", env=env)


def copied(words, stages, where):
    source = ROOT
    if words[0].startswith("--from="):
        source = stages[words.pop(0).removeprefix("--from=")]
    *names, target = words
    for name in names:
        origin, place = source / name.lstrip("/"), where / target
        if origin.is_dir():
            shutil.copytree(origin, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(origin, place)
