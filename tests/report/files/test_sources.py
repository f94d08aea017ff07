"""Where the source of a target stands."""

import pytest

from kassay.report.files.sarif import repository, source_of

SOURCE = '''"""Rules."""
import functools

def helper():
    return 1

class First:
    pass

@functools.cache
class Second:
    def assign(self): ...
'''


@pytest.fixture(autouse=True)
def clone(tmp_path, monkeypatch):
    """A clone of a repository, somewhere below whose root the command runs."""
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    here = tmp_path / "clone" / "service"
    (here / "src" / "rules").mkdir(parents=True)
    (here / "my rules.py").write_text(SOURCE)
    (here / "src" / "rules" / "lag.py").write_text(SOURCE)
    (here / "broken.py").write_text("class (")
    (here / "odd.py").write_bytes(b"\xff\0")
    (here / "warns.py").write_text("x = '\\d'\nclass Late: ...\n")
    (here / "rule.mjs").write_text("")
    (tmp_path / "outside.py").write_text(SOURCE)
    monkeypatch.chdir(here)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "uri", "line"),
    [
        ("my rules.py", "service/my%20rules.py", 7),
        ("my rules.py:Second", "service/my%20rules.py", 11),
        ("./my rules.py:helper", "service/my%20rules.py", 4),
        ("my rules.py:Gone", "service/my%20rules.py", 1),
        ("rules.lag:Second", "service/src/rules/lag.py", 11),
        ("rules.lag", "service/src/rules/lag.py", 7),
        ("broken.py:First", "service/broken.py", 1),
        ("odd.py", "service/odd.py", 1),
        ("warns.py", "service/warns.py", 2),
        ("gone.py", "service/gone.py", 1),
        ("exec:node rule.mjs --fast", "service/rule.mjs", 1),
        ("exec:./rule.mjs", "service/rule.mjs", 1),
    ],
)
def test_a_file_stands_under_the_root_of_its_repository_with_the_line_of_its_class(target, uri, line):
    assert source_of(target) == (uri, True, line)


def test_a_file_outside_stands_as_it_is(clone):
    assert source_of(str(clone / "outside.py")) == ((clone / "outside.py").as_uri(), False, 7)
    assert source_of(str(clone / "clone" / "service" / "rule.py")).uri == "service/rule.py"


@pytest.mark.parametrize(
    "target",
    ["range", "kafka-python:sticky", "exec:node", "exec:node 'half", "jar:a.jar!b.C", "no.such.module", ""],
)
def test_a_target_without_a_file_has_no_source(target):
    assert source_of(target) is None


def test_where_git_is_not_the_folder_itself_is_the_root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert repository() == tmp_path
