"""What is said of a master and of Spark's errors, before and without a session."""

from __future__ import annotations

from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.spark import (
    TRIES,
    SparkFailed,
    first_line,
    infrastructure_errors,
    normalised,
    session,
    translated_errors,
)


@pytest.mark.parametrize(
    ("master", "expected"),
    [
        ("local", f"local[1,{TRIES}]"),
        ("local[3]", f"local[3,{TRIES}]"),
        ("local[*]", f"local[*,{TRIES}]"),
        ("local[2,7]", "local[2,7]"),
        ("spark://a:7077", "spark://a:7077"),
        ("yarn", "yarn"),
    ],
)
def test_a_local_master_tries_again_unless_it_says_how_often(master: str, expected: str) -> None:
    assert normalised(master) == expected
    assert normalised(expected) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("one\ntwo", "one"),
        ("An error occurred while calling o1.x\n: java.lang.A: why\n at b", "java.lang.A: why"),
        ("An error occurred while\n at x\nCaused by: A: first\n at y\nCaused by: B: last\n at z", "B: last"),
        ("An error occurred while calling", "RuntimeError"),
        ("", "RuntimeError"),
        ("x" * 900, "x" * 300),
    ],
)
def test_of_an_error_the_last_cause_is_told_in_a_line(text: str, said: str) -> None:
    assert first_line(RuntimeError(text)) == said


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            OSError(28, "No space left on device"),
            InputError,
            "out: cannot be written (No space left on device)",
        ),
        (
            RuntimeError("x\nCaused by: File too large (y)"),
            InputError,
            "out: cannot be written (File too large)",
        ),
        (RuntimeError("Caused by: A: why"), SparkFailed, "out: Spark gave up: A: why"),
        (
            RuntimeError(
                "An exception was thrown from the Python worker.\nTraceback (most recent call last):\n"
                '  File "worker.py", line 1, in main\n    import pyarrow\n'
                "ModuleNotFoundError: No module named 'pyarrow'\n\n\tat org.apache.spark.A.b(A.scala:1)"
            ),
            SparkFailed,
            "out: Spark gave up: ModuleNotFoundError: No module named 'pyarrow'",
        ),
        (RuntimeError("x: [[kassay]] h: no kassay\n\tat A"), SparkFailed, "out: worker h: no kassay"),
        (InputError("as it was"), InputError, "as it was"),
    ],
)
def test_errors_name_the_place_and_whether_it_can_be_written(
    error: Exception, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind) as translated, translated_errors("out"):
        raise error
    assert (type(translated.value), str(translated.value)) == (kind, said)


def test_what_breaks_while_an_interrupt_is_on_its_way_out_is_that_interrupt():
    def interrupted():
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("the other side is gone")

    with pytest.raises(KeyboardInterrupt), translated_errors("out"):
        interrupted()
    with (
        pytest.raises(SparkFailed, match="out: Spark gave up: the other side is gone"),
        translated_errors("out"),
    ):
        raise RuntimeError("the other side is gone")


def test_what_spark_raises_is_no_fault_of_kassay() -> None:
    java_error = type("Py4JJavaError", (Exception,), {"__module__": "py4j.protocol"})
    refused = r"^Spark gave up: java\.net\.ConnectException: refused$"
    with pytest.raises(SparkFailed, match=refused), infrastructure_errors():
        raise java_error("An error occurred\n at x\nCaused by: java.net.ConnectException: refused\n at y")
    with pytest.raises(ZeroDivisionError), infrastructure_errors():
        raise ZeroDivisionError


@pytest.mark.spark
def test_a_session_that_is_there_is_used_for_its_own_master_alone(spark: Any) -> None:
    for master in (None, "local", "local[7]"):
        with session(master) as used:
            assert used is spark
    with (
        pytest.raises(InputError, match=r"yarn: this process has a Spark session on local\[2,4\]"),
        session("yarn"),
    ):
        pass
    assert spark.range(3).count() == 3
