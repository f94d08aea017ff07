"""The wheel and the sdist: what is in them, what an index makes of them, and that they work."""

import email
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from html.parser import HTMLParser

import pytest

from kassay import __version__
from tests.paths import ROOT
from tests.release.conftest import clean, ran

pytestmark = pytest.mark.release

WHEEL_MAX = 3_000_000
SDIST_MAX = 12_000_000
"""Bytes; the sdist has the tests with their recorded vectors."""
FAULTY = """
class First:
    META = {"claims": ["balanced-within-one"]}

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic, count in partitions_per_topic.items():
            for member in [each for each in members if topic in each["topics"]][:1]:
                given[member["id"]] += [(topic, p) for p in range(count)]
        return given
"""


def in_wheel(built):
    with zipfile.ZipFile(built.wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def metadata(built):
    with zipfile.ZipFile(built.wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def test_the_wheel_has_the_package_and_nothing_else(built):
    names = in_wheel(built)
    ours = {name for name in names if name.startswith("kassay/")}
    assert {name.split("/")[0] for name in names - ours} == {f"kassay-{__version__}.dist-info"}
    tracked = subprocess.run(
        ["git", "ls-files", "src/kassay"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert ours == {line.removeprefix("src/") for line in tracked.splitlines()}
    assert "kassay/py.typed" in ours
    assert not [name for name in names if re.search(r"(^|/)tests?/|\.pyc$|\.jar$", name)]


def test_the_sdist_has_what_its_wheel_needs_and_the_tests(built):
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "tests/conftest.py"} <= names
    assert {f"src/{name}" for name in in_wheel(built) if name.startswith("kassay/")} <= names
    assert [name for name in names if name.endswith((".pyc", ".jar"))] == ["examples/java/failover.jar"]


def test_both_are_small(built):
    assert built.wheel.stat().st_size <= WHEEL_MAX
    assert built.sdist.stat().st_size <= SDIST_MAX


def test_an_index_takes_them(built):
    assert "PASSED" in ran(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *built)
    told = metadata(built)
    assert (told["Name"], told["Version"]) == ("kassay", __version__)
    assert told["License-Expression"] == "Apache-2.0"
    assert told["Requires-Python"] == ">=3.11"
    assert {"Typing :: Typed", "Framework :: Pytest"} <= set(told.get_all("Classifier"))
    assert all(re.search("<", need) for need in told.get_all("Requires-Dist")), "each has an upper bound"


def test_the_readme_reads_well_on_an_index(built):
    from readme_renderer import markdown

    page = markdown.render(metadata(built).get_payload())
    assert page, "it is rendered"
    links = []
    reader = HTMLParser()
    reader.handle_starttag = lambda _, attributes: links.extend(v for k, v in attributes if k == "href")
    reader.feed(page)
    assert [each for each in links if not each.startswith(("#", "https://"))] == [], "a link leads nowhere"
    assert "<!--" not in page
    assert "docs/tutorials/python.md" in page


def test_the_environment_has_what_it_needs(fresh):
    ran(fresh / "pip", "check")
    assert ran(fresh / "kassay", "--version").split()[-1] == __version__
    where = ran(fresh / "python", "-c", "import kassay.testing; print(kassay.__file__)")
    assert where.startswith(str(fresh.parent))


def test_a_file_is_certified_or_not_and_the_trace_replays(fresh, tmp_path):
    ran(fresh / "kassay", "init", cwd=tmp_path)
    reports = "html,junit,sarif,markdown,badge"
    sound = ran(
        *(fresh / "kassay", "certify", "my_assignor.py", "--histories", "500", "--report", reports),
        cwd=tmp_path,
    )
    assert sound.startswith("CERTIFIED  my_assignor.py")
    assert json.loads((tmp_path / ".kassay" / "badge.json").read_text())["message"] == "certified"
    (tmp_path / "faulty.py").write_text(FAULTY)
    broken = ran(fresh / "kassay", "certify", "faulty.py", "--histories", "300", cwd=tmp_path, code=1)
    assert broken.startswith("NOT CERTIFIED  faulty.py: 1 claim violated")
    (trace,) = (tmp_path / ".kassay" / "traces").iterdir()
    ran(fresh / "kassay", "replay", trace, cwd=tmp_path, code=1)


def test_the_sdist_installs_to_the_same_files(built, fresh, tmp_path):
    ran(fresh / "pip", "install", "--quiet", "--no-deps", "--target", tmp_path, built.sdist)
    files = {
        path.relative_to(tmp_path).as_posix()
        for path in (tmp_path / "kassay").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert files == {name for name in in_wheel(built) if name.startswith("kassay/")}
    env = clean(PYTHONPATH=str(tmp_path))
    assert ran(fresh / "python", "-m", "kassay", "--version", env=env).split()[-1] == __version__


def test_the_check_of_other_pythons_names_every_extra(built):
    (named,) = re.findall(r"whl\)\[(.*?)\]", (ROOT / "RELEASING.md").read_text())
    assert {*named.split(","), "spark"} == set(metadata(built).get_all("Provides-Extra"))
