"""What a target spec resolves to, and the one line that says why it does not."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from kassay.engines.processes.load import TargetSource
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.cluster import Cluster
from kassay.model.errors import (
    FailureKind,
    InputError,
    KassayError,
    TargetFailure,
    TargetNotFound,
    TargetNotLoadable,
)
from kassay.model.groups.group import Group, Member
from kassay.model.kinds import RebalanceProtocol
from tests.engines.processes.children import DATA

CLUSTER = Cluster.of({"t": 1})
GROUP = Group((Member("a", ("t",)),))
COOPERATIVE = RebalanceProtocol.COOPERATIVE


def test_a_target_travels() -> None:
    for spec in (f"{DATA}/several.py:First", "roundrobin", "kafka-python:range"):
        target: Target = pickle.loads(pickle.dumps(resolve(spec)))
        with target.open() as host:
            assert set(host.new({}).assign(CLUSTER, GROUP)) == {"a"}


def test_a_failure_travels() -> None:
    failure = TargetFailure(FailureKind.RAISED, "assign raised\n  KeyError", "x.py:3", ("KeyError",))
    again = pickle.loads(pickle.dumps(failure))
    assert vars(again) == vars(failure)
    assert str(again) == "assign raised KeyError"


@pytest.mark.parametrize(
    "spec", ["", "  ", "a\nb", "exec:", "exec: ", "exec:'", "kafka-python:x", "kafka-python:"]
)
def test_a_spec_that_makes_no_sense(spec: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(spec)
    assert "expected" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "spec", ["rang", "nothing", "no/such/file.py", "no.py", "exec:no-such-program", "tests/"]
)
def test_a_target_that_is_not_there(spec: str) -> None:
    with pytest.raises(TargetNotFound) as caught:
        resolve(spec)
    assert "expected" in str(caught.value)


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "my rules, new!@home:50%41" / ("long" * 40)
    folder.mkdir(parents=True)
    file = folder / "a@b,c!.py"
    file.write_text("class Rule:\n    def assign(self, topics, members):\n        return {}\n")
    assert len(str(file)) >= 250
    for spec in (str(file), f"{file}:Rule"):
        assert resolve(spec, in_process=True).name == "Rule"


def test_a_protocol_that_a_target_does_not_speak() -> None:
    for spec in ("range", "kafka-python:cooperative-sticky", f"{DATA}/full_form.py:Mutates"):
        other = COOPERATIVE if resolve(spec).protocol == "eager" else RebalanceProtocol.EAGER
        with pytest.raises(InputError, match="only, got --protocol"):
            resolve(spec, protocol=other)


def test_every_error_has_an_exit_code() -> None:
    assert issubclass(TargetNotFound, KassayError)
    assert issubclass(TargetNotLoadable, KassayError)
    assert not issubclass(TargetNotFound, InputError)
    assert not issubclass(TargetNotLoadable, InputError)
    assert TargetSource(file="x.py").label == "x.py"
