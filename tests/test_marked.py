"""A file is skipped only if it cannot have a test of the requested marker; the package is not rewritten."""

from importlib.machinery import SourceFileLoader

import pytest

import kassay.model.kinds
from tests import marked
from tests.marked import asked, may_have, unforeseen


@pytest.mark.parametrize(
    ("expression", "marker"),
    [
        ("live", "live"),
        ("java and not deep", "java"),
        ("slow and not exhaustive and not spark", "slow"),
        ("", None),
        ("deep", None),
        ("not slow and not spark", None),
        ("slow or spark", None),
        ("slow and spark", None),
        ("slow and not (java or node)", None),
    ],
)
def test_one_marker_is_asked_for_or_none(expression, marker):
    assert asked(expression) == marker


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("@pytest.mark.slow\ndef test_this(): ...", True),
        ("marks=[getattr(pytest.mark, need)]", True),
        ("# slow, and marked by somebody else", False),
    ],
)
def test_a_file_with_a_marker_that_it_does_not_name_is_told(tmp_path, text, may):
    file = tmp_path / "test_this.py"
    file.write_text(text)
    assert may_have(file, "slow") is may
    told = unforeseen([(file, ["slow", "parametrize"]), (file, [])])
    assert told == ([] if may else [f"{file}: has tests marked slow, and names pytest.mark.slow nowhere"])


def test_the_package_is_imported_as_it_is():
    assert type(kassay.model.kinds.__loader__) is SourceFileLoader, "see pytest_configure in conftest.py"


def test_a_skipped_test_fails_where_nothing_may_be_skipped() -> None:
    place = ("test_it.py", 1, "test_it")
    skipped = pytest.TestReport(
        "test_it", place, {}, "skipped", ("test_it.py", 1, "Skipped: no Chromium"), "call"
    )
    failed = marked.unskipped(skipped)
    assert failed.failed
    assert failed.longrepr == "Skipped: no Chromium (KASSAY_NO_SKIPS is set)"
    passed = pytest.TestReport("test_it", place, {}, "passed", None, "call")
    assert marked.unskipped(passed).passed
