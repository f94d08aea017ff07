"""Every function of the root says what is wrong with an argument: as `InputError`, by the argument's name."""

import inspect
import json
import pickle
from functools import wraps
from pathlib import Path

import pytest

import kassay
from kassay.model.errors import InputError
from kassay.reading.arguments import guarded
from tests.api.test_root import FUNCTIONS
from tests.cli.runner import here
from tests.paths import DOCS, ROOT

CLUSTER = ROOT / "examples/cluster"
GROUPS, TOPICS, SHARED = (str(CLUSTER / f"{name}.txt") for name in ("groups", "topics", "share-groups"))
PARAMETERS = [
    (function, parameter)
    for function in FUNCTIONS
    for parameter in inspect.signature(getattr(kassay, function)).parameters.values()
]


def called(function, parameter, value):
    """Call the function with the value, and a text for each parameter that must be given."""
    positions, named = [], {}
    for each in inspect.signature(getattr(kassay, function)).parameters.values():
        given = value if each.name == parameter.name else "range"
        if each.kind is each.VAR_POSITIONAL and each.name == parameter.name:
            positions.append(given)
        elif each.kind is not each.VAR_POSITIONAL and (
            each.default is each.empty or each.name == parameter.name
        ):
            named[each.name] = given
    return getattr(kassay, function)(*positions, **named)


@pytest.mark.parametrize(
    ("function", "parameter"), PARAMETERS, ids=[f"{function}-{each.name}" for function, each in PARAMETERS]
)
def test_a_value_of_no_type_is_refused_by_name(function, parameter):
    with pytest.raises(
        InputError, match=rf"^{parameter.name}: found <object .*\(object\), expected [A-Za-z\d]"
    ):
        called(function, parameter, object())


@pytest.mark.parametrize(
    ("function", "given", "named", "said"),
    [
        ("certify", ["range"], {"histories": "10"}, "histories: found '10' (str), expected a whole number"),
        ("certify", ["range"], {"histories": 10.5}, "histories: found 10.5 (float), expected a whole number"),
        (
            "certify",
            ["range"],
            {"claims": [1]},
            "claims: found [1] (list), expected a text or a list of texts",
        ),
        (
            "certify",
            ["range"],
            {"config": "a=b"},
            "config: found 'a=b' (str), expected a dict of texts or lists of texts",
        ),
        (
            "certify",
            ["range"],
            {"exhaustive": (1, 2, 3)},
            "exhaustive: found (1, 2, 3) (tuple), expected 2 whole numbers",
        ),
        (
            "certify",
            ["range"],
            {"exhaustive": "2x3"},
            "exhaustive: found '2x3' (str), expected 2 whole numbers",
        ),
        ("certify", ["range"], {"seed": "x"}, "seed: found 'x' (str), expected a whole number"),
        ("certify", ["range"], {"seed": None}, "seed: found None, expected a whole number"),
        ("certify", ["range"], {"seed": 1.5}, "seed: found 1.5 (float), expected a whole number"),
        ("certify", ["range"], {"seed": True}, "seed: found True (bool), expected a whole number"),
        ("certify", ["range"], {"controls": 1}, "controls: found 1 (int), expected True or False"),
        ("what_if", [GROUPS], {"events": ["x"]}, "events: found ['x'] (list), expected a text"),
        ("what_if", [GROUPS], {"to": 5}, "to: found 5 (int), expected a text or a list of texts"),
        (
            "what_if",
            [GROUPS],
            {"capacities": "app-1=2"},
            "capacities: found 'app-1=2' (str), expected a dict of numbers",
        ),
        (
            "check",
            [None],
            {},
            "certificate: found None, expected a text, a path, a dict or a list of dicts",
        ),
        ("optimum", [None], {}, "instance: found None, expected a text, a path, a dict or a list of dicts"),
        ("campaign", ["t.toml"], {"config": "x"}, "config: found 'x' (str), expected a dict of texts"),
        ("explore", ["zookeeper"], {"members": "2"}, "members: found '2' (str), expected a whole number"),
        ("explain", [5], {}, "what: found 5 (int), expected a text or a path"),
        ("place", [TOPICS], {"drain": 3}, "drain: found 3 (int), expected a list of whole numbers"),
        ("lint", ["a", 5], {}, "files: found 5 (int), expected a text or a path"),
    ],
)
def test_the_error_says_what_was_found_and_expected(function, given, named, said):
    with pytest.raises(InputError) as raised:
        getattr(kassay, function)(*given, **named)
    assert str(raised.value) == said


NONE = "found none, expected at least one"


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        ("check", [[]], f"certificates: {NONE}"),
        ("optimum", [[]], f"instances: {NONE}"),
        ("gap", ["range", []], f"instances: {NONE}"),
        ("gap", [[]], f"targets: {NONE}"),
        ("lint", [], f"files: {NONE}"),
        ("vectors", [], f"paths: {NONE}"),
        ("fleet", [], "expected a PATH with snapshots of consumer groups"),
    ],
)
def test_none_at_all_is_an_error(function, given, said):
    with pytest.raises(InputError) as raised:
        getattr(kassay, function)(*given)
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("function", "given", "named", "said"),
    [
        ("audit", [CLUSTER / "offsets-12.txt"], {"since": "x"}, "since 'x': not a time"),
        ("campaign", ["t.toml"], {"format": "x"}, "t.toml: no such file"),
        ("conform", [], {"runtime": "x"}, "runtime x: expected"),
        ("conform", [], {"steps": 0}, "steps: found 0, expected a whole number from 1 on"),
        ("explore", ["kip848"], {"jobs": 0}, "jobs: found 0, expected a whole number from 1 on"),
        ("explore", ["kip848"], {"topics": ()}, "topics: found none"),
        ("interop", [], {}, "libraries: expected at least two"),
        ("interop", ["java", "librdkafka"], {"protocol": "x"}, "protocol: found 'x'"),
        ("interop", ["java", "librdkafka"], {"histories": 0}, "histories: found 0"),
        ("live", [], {"clients": "java:range", "histories": 0}, "histories: found 0"),
        ("prove", [], {"seconds": -1}, "seconds: found -1, expected seconds, more than 0"),
        ("audit", [], {}, "--offsets-decoder, or bootstrap"),
        ("certify", ["range"], {"histories": 1, "seconds": 1}, "seconds and histories: expected one"),
        ("certify", ["range"], {"seconds": -1}, "seconds: found -1"),
        ("certify", ["range"], {"call_timeout": 0}, "call_timeout: found 0"),
        (
            "certify",
            ["range"],
            {"config": {"a": ["b"]}, "exhaustive": [2, 2]},
            "exhaustive and config: expected one",
        ),
        ("explain", ["range"], {"against": "9.9"}, "against: unknown release '9.9'"),
        ("explore", ["kip848"], {"switches": "x"}, "switches: unknown switch 'x'"),
        ("explore", ["kip848"], {"config": {"x": "1"}}, "config: unknown property 'x'"),
        ("gap", ["range"], {"histories": 5}, "histories: only with rank"),
        ("gap", ["range"], {"seed": 5}, "seed: only with rank"),
        ("gap", ["range"], {"order": "x"}, "order: found 'x'"),
        ("hunt", ["complete"], {"on": "range", "worst": "gap"}, "claims and worst: expected one"),
        ("hunt", [], {"on": "range"}, "claims: expected at least one"),
        ("interop", ["java", "librdkafka"], {"strategies": "x"}, "strategies x: none of java"),
        ("lint", ["a"], {"release": "x"}, "release: found 'x'"),
        ("live", [], {}, "expected one of clients, such as java:range*2,librdkafka:range, and a script"),
        ("live", [], {"clients": "x"}, "clients 'x': expected"),
        ("live", [], {"clients": "java:range", "programs": {"X": "x"}}, "programs X: expected a new"),
        ("live", [], {"clients": "java:range", "upgrade_to": "3"}, "upgrade_to: found '3'"),
        ("optimum", ["small"], {"tolerance": "x"}, "tolerance: found 'x'"),
        ("place", [TOPICS], {"judge": True, "drain": [1]}, "judge: checks today's placement"),
        (
            "play",
            ["x"],
            {"genuine": True, "bootstrap_server": "b"},
            "genuine: expected without bootstrap_server",
        ),
        ("prove", ["x"], {}, "names: found 'x'"),
        ("scale", [], {}, "kafka-consumer-groups.sh --describe --group G, or bootstrap"),
        ("scale", [SHARED], {"start": "range"}, "start: says nothing of a share or Streams group"),
        ("what_if", [], {}, "kafka-consumer-groups.sh --describe --group G, or bootstrap"),
        ("what_if", [], {"bootstrap": "b", "to": "range"}, "bootstrap: expected group with the name"),
        ("what_if", [GROUPS, TOPICS], {"events": "x"}, "events: column 1: found 'x'"),
        ("what_if", [GROUPS, TOPICS], {"capacities": {"x": 1}}, "capacities: found 'x'"),
    ],
)
def test_examples_of_errors_name_arguments_instead_of_options(function, given, named, said):
    with pytest.raises(InputError) as raised:
        getattr(kassay, function)(*given, **named)
    assert said in str(raised.value)


WITHOUT_ARGUMENT = {
    *("json", "out", "verbose", "quiet", "progress", "report"),  # of what is shown and written
    *("baseline", "baseline-update", "as", "yes", "clean", "migrate", "config"),
    *("group", "from", "to", "library"),
}
"""Options of commands that some of their functions have no argument for."""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_errors_name_the_argument_of_each_option(function):
    root = getattr(kassay, function)
    parameters = inspect.signature(root).parameters
    command = {"campaign": "campaign run", "what_if": "what-if"}.get(function, function)
    options = json.loads((DOCS / "cli.json").read_text(encoding="utf-8"))["commands"][command]["options"]
    needed = {
        each.name: "range"
        for each in parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_POSITIONAL
    }

    def said(message):
        @wraps(inspect.unwrap(root))
        def fails(*_given, **_named):
            raise InputError(message)

        with pytest.raises(InputError) as raised:
            guarded(fails, "kassay")(**needed)
        return str(raised.value)

    for option in options:
        words = said(f"{option}: found 5")
        if words == f"{option}: found 5":
            assert option.removeprefix("--") in WITHOUT_ARGUMENT
        else:
            assert words.removesuffix(": found 5") in parameters


@pytest.mark.parametrize(
    ("function", "given", "named"),
    [
        (
            "certify",
            ["range"],
            {"assume": "no-racks", "claims": "complete", "histories": 2, "controls": False},
        ),
        ("diff", ["range", "range"], {"assume": "no-racks", "histories": 2}),
    ],
)
def test_a_text_is_a_list_of_one(function, given, named):
    alone = getattr(kassay, function)(*given, **named).rows()
    listed = getattr(kassay, function)(*given, **{**named, "assume": ["no-racks"]}).rows()
    assert alone == listed


def test_a_text_is_one_candidate_of_a_fleet(tmp_path):
    with pytest.raises(InputError, match="placement:striped: of kind placer"):
        kassay.fleet(CLUSTER / "groups.txt", to="placement:striped", out=tmp_path / "out")


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_a_blank_text_is_an_empty_input(blank):
    with pytest.raises(
        InputError, match=r"^input 2: found an empty file, expected kafka-consumer-groups\.sh"
    ):
        kassay.what_if(TOPICS, blank)
    with pytest.raises(InputError, match=r"^input 1: is an empty file, expected the output"):
        kassay.place(blank)


def test_commands_keep_the_names_of_their_options(tmp_path):
    done = here("what-if", GROUPS, TOPICS, "--capacity", "x=1", cwd=tmp_path)
    assert done.returncode == 2 and "--capacity" in done.stderr


def test_a_function_keeps_its_name_and_its_signature():
    from kassay.api.certify import certify

    assert inspect.signature(kassay.certify) == inspect.signature(certify)
    assert pickle.loads(pickle.dumps(kassay.certify)) is kassay.certify
    with pytest.raises(TypeError, match=r"certify\(\) got an unexpected keyword argument 'history'"):
        kassay.certify("range", history=1)
    assert Path(inspect.getsourcefile(inspect.unwrap(kassay.certify))).name == "certify.py"
