"""What counts as an answer; the wrong forms one by one are in `tests/engines/targets/test_resolve.py`.

Which document a target is given, by what it says of itself.

Answers of task assignors and Connect assignors: what is one, and what is said of what is none.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.plain_answers import (
    CHECKS,
    DEPTH_MAX,
    DOCUMENTS,
    MEMBERS,
    PROCESSES,
    WORKERS,
    Malformed,
    check_assignment,
    check_placement,
    difference,
    document_form,
    parameters,
    shown,
)

answers = st.dictionaries(
    st.text(), st.lists(st.tuples(st.text(), st.integers(-(2**31), 2**31 - 1)), max_size=5), max_size=5
)
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=10,
)


@pytest.mark.slow
@given(answers)
def test_an_answer_comes_back_as_it_was(answer: dict[str, list[tuple[str, int]]]) -> None:
    assert check_assignment(answer) == answer


@given(answers)
def test_an_answer_survives_json(answer: dict[str, list[tuple[str, int]]]) -> None:
    assert check_assignment(json.loads(json.dumps(check_assignment(answer)))) == answer


@given(junk | st.dictionaries(st.text(), junk))
def test_anything_else_is_told_on_one_line(answer: Any) -> None:
    for check in (check_assignment, check_placement):
        try:
            checked: Any = check(answer)
        except Malformed as malformed:
            assert "expected" in str(malformed)
            assert "\n" not in str(malformed)
        else:
            assert check(checked) == checked


@given(junk)
def test_any_value_can_be_shown(value: Any) -> None:
    assert 0 < len(shown(value)) < 100


@pytest.mark.slow
@given(st.dictionaries(st.text(), junk), st.dictionaries(st.text(), junk))
def test_a_difference_is_found_wherever_there_is_one(before: Any, after: Any) -> None:
    found = difference(before, after, "input")
    if before != after:
        assert found is not None
        assert found.startswith("input") or found == "the keys of input are in another order"


def test_the_difference_names_the_place() -> None:
    before = [{"id": "a", "owned": [("t", 0)]}, {"id": "b", "owned": []}]
    after = [{"id": "a", "owned": [("t", 0)]}, {"id": "b", "owned": [("t", 1)]}]
    assert difference(before, after, "members") == (
        "members[1]['owned'] was [] (list) and is [('t', 1)] (list)"
    )
    assert (
        difference({"a": 1, "b": 2}, {"b": 2, "a": 1}, "topics") == "the keys of topics are in another order"
    )
    assert difference([1], [1], "x") is None


@pytest.mark.parametrize(
    ("meta", "form"),
    [
        ({}, None),
        ({"kind": "assignor"}, None),
        ({"kind": "assignor", "level": "member"}, None),
        ({"kind": "placer"}, None),
        ({"kind": "task-assignor"}, PROCESSES),
        ({"kind": "task-assignor", "level": "process"}, PROCESSES),
        ({"kind": "task-assignor", "level": "member"}, MEMBERS),
        ({"level": "process"}, PROCESSES),
        ({"level": "member"}, MEMBERS),
        ({"level": ["odd"]}, PROCESSES),
        ({"kind": "connect-assignor"}, WORKERS),
    ],
)
def test_a_kind_and_a_level_say_which_document_is_given(meta, form):
    assert document_form(meta) == form
    assert form is None or form in DOCUMENTS


class Methods:
    def bound(self, one, two=2, *, three, four=4):
        pass

    @staticmethod
    def static(one):
        pass

    def anything(self, *arguments, **by_name):
        pass


def test_of_a_method_it_is_known_what_it_takes_and_what_it_needs():
    assert parameters(Methods, "bound") == (["one", "two", "three", "four"], {"one", "three"})
    assert parameters(Methods, "static") == (["one"], {"one"})
    assert parameters(Methods, "anything") == (["*"], set())


SCHEMA = json.loads(files("kassay.report").joinpath("schemas", "exec-documents-1.json").read_text())
NONE = {"connectors": [], "tasks": []}


def is_valid(form, answer):
    schema = {"$ref": f"#/$defs/{DOCUMENTS[form]}_answer", "$defs": SCHEMA["$defs"]}
    return jsonschema.Draft202012Validator(schema).is_valid(answer)


@pytest.mark.parametrize(
    ("form", "answer", "checked"),
    [
        (PROCESSES, {}, {}),
        (PROCESSES, {"p": {}}, {"p": {"active": [], "standby": [], "followup_ms": None}}),
        (
            PROCESSES,
            {"p": {"active": ["0_0", "10_999999999"], "standby": ["1_1"], "followup_ms": 0}},
            {"p": {"active": ["0_0", "10_999999999"], "standby": ["1_1"], "followup_ms": 0}},
        ),
        (MEMBERS, {"m": {"warmup": []}}, {"m": {"active": [], "standby": []}}),
        (MEMBERS, {"m": {"active": ["0_0", "0_0"]}}, {"m": {"active": ["0_0", "0_0"], "standby": []}}),
        (WORKERS, {"workers": {}}, {"workers": {}, "delay_ms": 0, "memory": None}),
        (
            WORKERS,
            {
                "workers": {"w": {"assigned": {"tasks": ["a-b-3"]}}},
                "delay_ms": 5,
                "memory": {"k": [1.5, None]},
            },
            {
                "workers": {"w": {"assigned": {"connectors": [], "tasks": ["a-b-3"]}, "revoked": NONE}},
                "delay_ms": 5,
                "memory": {"k": [1.5, None]},
            },
        ),
        (
            WORKERS,
            {"workers": {"w": {"revoked": {"connectors": ["\n"], "tasks": ["-0", "\n-1"]}}}},
            {
                "workers": {
                    "w": {"assigned": NONE, "revoked": {"connectors": ["\n"], "tasks": ["-0", "\n-1"]}}
                },
                "delay_ms": 0,
                "memory": None,
            },
        ),
    ],
)
def test_an_answer_is_completed_and_the_schema_allows_it(form, answer, checked):
    assert CHECKS[form](answer) == checked
    assert is_valid(form, answer)
    assert is_valid(form, checked)


TASK = "expected a task id (str) as in '0_3'"
LISTED = "expected a list of task ids"
KEYS = "expected active, standby or followup_ms"


@pytest.mark.parametrize(
    ("form", "answer", "said"),
    [
        (PROCESSES, None, "answer is None, expected a dict of process id to {'active': "),
        (PROCESSES, [], "answer is [] (list), expected a dict of process id to {'active': "),
        (PROCESSES, {"p": []}, "answer['p'] is [] (list), expected a dict with the keys active, standby "),
        (PROCESSES, {"p": {"actve": []}}, f"answer['p'] has the key 'actve' (str), {KEYS}"),
        (PROCESSES, {"p": {"warmup": []}}, f"answer['p'] has the key 'warmup' (str), {KEYS}"),
        (PROCESSES, {"p": {"active": "0_0"}}, f"answer['p']['active'] is '0_0' (str), {LISTED}"),
        (PROCESSES, {"p": {"active": {"0_0": 1}}}, "answer['p']['active'] is {'0_0': 1} (dict), expected a"),
        (PROCESSES, {"p": {"active": [0]}}, f"answer['p']['active'][0] is 0 (int), {TASK}"),
        (PROCESSES, {"p": {"active": [["0", 0]]}}, "answer['p']['active'][0] is ['0', 0] (list), expected a"),
        (PROCESSES, {"p": {"standby": ["0_0", "0-0"]}}, f"answer['p']['standby'][1] is '0-0' (str), {TASK}"),
        (PROCESSES, {"p": {"standby": ["00_0"]}}, f"answer['p']['standby'][0] is '00_0' (str), {TASK}"),
        (PROCESSES, {"p": {"standby": ["0_-1"]}}, f"answer['p']['standby'][0] is '0_-1' (str), {TASK}"),
        (PROCESSES, {"p": {"standby": ["0_0\n"]}}, f"answer['p']['standby'][0] is '0_0\\n' (str), {TASK}"),
        (PROCESSES, {"p": {"standby": ["0_٣"]}}, f"answer['p']['standby'][0] is '0_٣' (str), {TASK}"),
        (
            PROCESSES,
            {"p": {"standby": ["0_1000000000"]}},
            "answer['p']['standby'][0] is '0_1000000000' (str)",
        ),
        (
            PROCESSES,
            {"p": {"followup_ms": -1}},
            "answer['p']['followup_ms'] is -1 (int), expected ms (int) from 0 to 2^40 or None",
        ),
        (PROCESSES, {"p": {"followup_ms": True}}, "answer['p']['followup_ms'] is True (bool), expected ms "),
        (PROCESSES, {"p": {"followup_ms": 0.5}}, "answer['p']['followup_ms'] is 0.5 (float), expected ms "),
        (PROCESSES, {"p": {"followup_ms": 2**41}}, "answer['p']['followup_ms'] is 2199023255552 (int), "),
        (MEMBERS, "no", "answer is 'no' (str), expected a dict of member id to {'active': [...], "),
        (
            MEMBERS,
            {"m": {"followup_ms": 1}},
            "answer['m'] has the key 'followup_ms' (str), expected active, ",
        ),
        (MEMBERS, {"m": {"warmup": ["0_0"]}}, "answer['m']['warmup'] has tasks, expected none: Kafka 4.4 "),
        (MEMBERS, {"m": {"active": ["sub_0"]}}, f"answer['m']['active'][0] is 'sub_0' (str), {TASK}"),
        (WORKERS, {}, "answer has no 'workers', expected a dict of worker id to what it starts and stops"),
        (WORKERS, {"w": {}}, "answer has the key 'w' (str), expected workers, delay_ms or memory"),
        (WORKERS, {"workers": []}, "answer['workers'] is [] (list), expected a dict of worker id to {'as"),
        (
            WORKERS,
            {"workers": {"w": None}},
            "answer['workers']['w'] is None, expected a dict with the keys as",
        ),
        (
            WORKERS,
            {"workers": {"w": {"assigned": ["c"]}}},
            "answer['workers']['w']['assigned'] is ['c'] (list), expected a dict with the keys connectors or ",
        ),
        (
            WORKERS,
            {"workers": {"w": {"revoked": {"tasks": ["c"]}}}},
            "answer['workers']['w']['revoked']['tasks'][0] is 'c' (str), expected a task id (str) as in 'to-s3-0'",
        ),
        (
            WORKERS,
            {"workers": {"w": {"revoked": {"connectors": [None]}}}},
            "answer['workers']['w']['revoked']['connectors'][0] is None, expected a connector name (str)",
        ),
        (
            WORKERS,
            {"workers": {}, "delay_ms": "5"},
            "answer['delay_ms'] is '5' (str), expected ms (int) from ",
        ),
        (WORKERS, {"workers": {}, "delay_ms": None}, "answer['delay_ms'] is None, expected ms (int) from 0"),
    ],
)
def test_what_is_no_answer_is_told_by_field_and_the_schema_refuses_it_too(form, answer, said):
    with pytest.raises(Malformed) as caught:
        CHECKS[form](answer)
    assert str(caught.value).startswith(said)
    assert not is_valid(form, answer)


def nested(depth):
    value = None
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ({1}, "answer['memory'] is {1} (set), expected what JSON can hold"),
        ({"a": [b""]}, "answer['memory']['a'][0] is b'' (bytes), expected what JSON can hold"),
        ({1: 2}, "answer['memory'] has the key 1 (int), expected a text (str)"),
        (float("nan"), "answer['memory'] is nan (float), expected what JSON can hold"),
        (float("inf"), "answer['memory'] is inf (float), expected what JSON can hold"),
        (2**63, "answer['memory'] is 9223372036854775808 (int), expected what JSON can hold"),
        (nested(DEPTH_MAX + 1), f"answer['memory']{'[0]' * DEPTH_MAX} is nested deeper than {DEPTH_MAX}"),
        (object(), "answer['memory'] is an object, expected what JSON can hold"),
    ],
)
def test_a_memory_that_json_cannot_hold_is_refused(memory, said):
    with pytest.raises(Malformed) as caught:
        CHECKS[WORKERS]({"workers": {}, "memory": memory})
    assert str(caught.value).startswith(said)


class Text(str):
    __slots__ = ()


def test_what_comes_back_is_made_of_built_in_types():
    checked = CHECKS[WORKERS]({"workers": {Text("w"): {}}, "memory": (Text("a"), 1, nested(DEPTH_MAX - 1))})
    assert checked["memory"] == ["a", 1, nested(DEPTH_MAX - 1)]
    (worker,) = checked["workers"]
    assert type(worker) is type(checked["memory"][0]) is str


@pytest.mark.parametrize("key", [1, None, (), b"p"])
@pytest.mark.parametrize("form", [PROCESSES, MEMBERS])
def test_keys_are_texts(form, key):
    with pytest.raises(Malformed, match=r"answer has the key .*, expected a (process|member) id \(str\)"):
        CHECKS[form]({key: {}})
