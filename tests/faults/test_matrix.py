"""What is read of the slowest tests, and which of them are run for a fault."""

import pytest

from tests.faults.catalogue import Fault
from tests.faults.forks import default_tests
from tests.faults.matrix import belongs, candidates, name_in_junit, slowest, still_noticed

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.a.test_b" name="test_c[x::y]" time="3"/>
<testcase classname="tests.a.test_b" name="test_d" time="2"/>
<testcase classname="tests.a.test_b.TestE" name="test_f" time="4"/>
<testcase classname="tests.a.test_b" name="test_gone" time="9"/>
</testsuite></testsuites>"""
TESTS = ("tests/a/test_b.py::test_c[x::y]", "tests/a/test_b.py::test_d", "tests/a/test_b.py::TestE::test_f")


def test_the_default_tests_are_those_of_tox():
    assert default_tests().startswith("not slow and not ")


def test_the_slowest_are_those_that_are_there_with_their_seconds(tmp_path):
    (tmp_path / "junit.xml").write_text(JUNIT)
    assert [name_in_junit(test)[0] for test in TESTS] == ["tests.a.test_b"] * 2 + ["tests.a.test_b.TestE"]
    assert slowest(tmp_path / "junit.xml", 2, TESTS) == {TESTS[2]: 4.0, TESTS[0]: 3.0}


@pytest.mark.parametrize(
    ("entry", "those"),
    [
        ("tests/a/test_b.py::test_c", TESTS[:1]),
        ("tests/a/test_b.py::test_", ()),
        ("tests/a/test_b.py", TESTS),
        ("tests/a/", TESTS),
        (TESTS[1], TESTS[1:2]),
    ],
)
def test_an_entry_names_files_folders_functions_and_cases(entry, those):
    assert tuple(test for test in TESTS if belongs(test, entry)) == those


def test_an_entry_without_a_slow_test_has_those_of_the_folder_of_its_file():
    fault = Fault("f", "area", "a/b.py", "old", "new", ("tests/a/test_b.py::test_d",))
    assert candidates(fault, TESTS) == [TESTS[1]]
    assert candidates(fault, TESTS[:1]) == [*TESTS[:1]]
    assert candidates(fault, ["tests/c/test_b.py::test_d"]) == []


@pytest.mark.parametrize(
    ("row", "still"),
    [
        (["a", {}], True),
        (["b", {}], False),
        ([None, {"a": True, "b": True}], True),
        ([None, {"a": False, "b": True}], False),
        ([None, {"b": False}], True),
    ],
)
def test_a_fault_is_run_again_where_what_noticed_it_is_no_default_test(row, still):
    assert still_noticed(row, {"a"}) is still
