"""From a file to the one class in it, or why there is none."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from kassay.assignors.plain_answers import FULL, MEMBERS, PLACER, PLAIN, PROCESSES, WORKERS
from kassay.engines.processes.load import Loaded, TargetSource, load
from kassay.engines.targets.resolve import resolve
from kassay.model.errors import TargetNotLoadable
from tests.engines.processes.children import DATA, children

both_ways = pytest.mark.parametrize("in_process", [False, True])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "raises_on_import.py",
            "{}: ZeroDivisionError: division by zero on import (raises_on_import.py:4), "
            "expected a module that imports without error",
        ),
        (
            "exits_on_import.py",
            "{}: SystemExit: 4 on import (exits_on_import.py:7), expected a module that imports",
        ),
        ("no_assign.py", "{}: no class with assign or place, expected one with assign"),
        ("no_assign.py:NoAssign", "{}: class NoAssign has neither assign nor place, expected assign"),
        ("no_assign.py:VALUE", "{}: VALUE is no class but a value of type int"),
        ("no_assign.py:Gone", "{}: there is no class 'Gone'"),
        ("several.py:Gone", "{}: there is no class 'Gone', but First, Second"),
        ("several.py", "{}: several classes have assign or place (First, Second), expected {}:NAME"),
        ("odd_meta.py:NoDict", "{}: META is a list, expected a dict"),
        ("odd_meta.py:OddKind", "{}: META: kind: found 'consumer', expected 'assignor' or "),
        ("odd_meta.py:OtherKind", "{}: META kind is 'placer', but OtherKind has no place"),
        (
            "odd_meta.py:OddProtocol",
            "{}: META: protocol: found 'eagre', expected 'eager' or 'cooperative' (did you mean eager?)",
        ),
        ("odd_meta.py:OddClaims", "{}: META: claims: found 'deterministic', expected a list"),
        ("odd_meta.py:NoSuchClaim", "{}: META: claims[1]: unknown claim 'topic-evne': expected one of "),
        ("odd_meta.py:OtherClaim", "{}: META: claims[0]: unknown claim 'topic-even': it is a claim of kind "),
        (
            "odd_meta.py:OutOfRange",
            "{}: META: claims[0]: weighted-spread:nan: expected weighted-spread:VALUE ",
        ),
        (
            "odd_meta.py:NoSuchAssumption",
            "{}: META: assumes: unknown assumption 'no-rack': expected one of ",
        ),
        (
            "odd_meta.py:NoSuchKey",
            "{}: META: clams: unknown field, expected one of assumes, claims, kind, level, protocol (did you mean claims?)",
        ),
        ("odd_meta.py:TooFew", "{}: TooFew.assign takes (partitions_per_topic), expected assign(self, "),
        (
            "odd_meta.py:TooMany",
            "{}: TooMany.assign takes (partitions_per_topic, members, brokers), expected ",
        ),
        ("tasks.py:TakesTwo", "{}: TakesTwo.assign takes (one, two), expected assign(self, application) by "),
        (
            "odd_meta.py:OddKey",
            "{}: META: knd: unknown field, expected one of assumes, claims, kind, level, protocol (did you mean kind?)",
        ),
        ("odd_meta.py:OddKindOfOne", "{}: META: kind: found 'task-asignor', expected 'assignor' or "),
        (
            "odd_meta.py:LevelOfGroups",
            "{}: META: level: only a task-assignor has one, but kind is 'assignor'",
        ),
        ("odd_meta.py:NoKind", "{}: NoKind.assign takes (document), expected assign(self, "),
        ("odd_meta.py:SpeaksForNothing", "{}: META: protocol: found 'cooperative', but kind streams speaks"),
        ("tasks.py:OddLevel", "{}: META: level: found 'thread', expected 'process' or 'member'"),
        (
            "tasks.py:LevelOfAnother",
            "{}: META: level: only a task-assignor has one, but kind is 'connect-assignor'",
        ),
        ("tasks.py:PlacesTasks", "{}: META kind is 'task-assignor', but PlacesTasks has no assign"),
        (
            "tasks.py:ClaimOfAnother",
            "{}: META: claims[0]: unknown claim 'topic-even': it is a claim of kind ",
        ),
        (
            "tasks.py:SaysNothing",
            "{}: SaysNothing.assign takes (application), expected assign(self, partitions_per_topic, members) or "
            "assign(self, cluster, group), or one argument and a META of kind task-assignor or connect-assignor",
        ),
        ("full_form.py:SpeaksNothing", "{}: the protocol is 'lazy', expected eager or cooperative"),
    ],
)
@both_ways
def test_a_target_that_does_not_load(spec: str, message: str, in_process: bool) -> None:
    with pytest.raises(TargetNotLoadable) as caught:
        resolve(f"{DATA}/{spec}", in_process=in_process)
    file = f"{DATA}/{spec.partition(':')[0]}"
    assert str(caught.value).startswith(message.replace("{}", file))
    assert "\n" not in str(caught.value)
    assert not children()


@both_ways
def test_what_is_not_python(tmp_path: Path, in_process: bool) -> None:
    file = tmp_path / "broken.py"
    file.write_text("class Broken\n    pass\n")
    with pytest.raises(TargetNotLoadable, match=r"broken\.py:1: SyntaxError: expected ':'"):
        resolve(str(file), in_process=in_process)
    file.write_bytes(b"\x00\x01")
    with pytest.raises(TargetNotLoadable, match=r"broken\.py"):
        resolve(str(file), in_process=in_process)
    file.write_bytes(b"x = '\xff'")
    with pytest.raises(TargetNotLoadable, match=r"broken\.py"):
        resolve(str(file), in_process=in_process)


@pytest.mark.parametrize(
    ("file", "name", "form", "extras"),
    [
        ("extras.py", "Both", PLAIN, ("replica_racks", "partition_weights")),
        ("extras.py", "Racks", PLAIN, ("replica_racks",)),
        ("full_form.py", "Remembers", FULL, ()),
        ("placers.py", "InTurn", PLACER, ()),
        ("tasks.py", "ByProcess", PROCESSES, ()),
        ("tasks.py", "ByMember", MEMBERS, ()),
        ("workers.py", "Waits", WORKERS, ()),
    ],
)
def test_a_class_is_described_and_the_description_survives_the_channel(
    file: str, name: str, form: str, extras: tuple[str, ...]
) -> None:
    target, loaded = load(TargetSource(file=f"{DATA}/{file}", class_name=name))
    assert (target.__name__, loaded.class_name, loaded.form, loaded.extras) == (name, name, form, extras)
    assert (loaded.user_data, loaded.learns) == (form == FULL, form == FULL)
    assert Loaded.of(json.loads(json.dumps(asdict(loaded)))) == loaded


def test_of_a_file_and_a_module_the_label_is_what_was_written() -> None:
    assert TargetSource(file="a.py", class_name="A").label == "a.py"
    assert TargetSource(module="a.b").label == "a.b"


def test_what_a_target_prints_when_it_is_imported_is_kept_out_of_our_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "noisy.py"
    path.write_text("print('on import')\nclass Noisy:\n    def assign(self, p, m):\n        return {}\n")
    load(TargetSource(file=str(path)))
    assert capsys.readouterr() == ("", "on import\n")


def test_a_file_in_packages_imports_from_above_them(tmp_path, monkeypatch):
    """As it does under pytest, wherever the command is called."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    inner = tmp_path / "outermost_of_mine" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").write_text("")
    (inner.parent / "base.py").write_text(
        "class Base:\n    def assign(self, partitions_per_topic, members):\n        return {}\n"
    )
    mine = inner / "mine.py"
    mine.write_text("from outermost_of_mine.base import Base\n\nclass Mine(Base):\n    pass\n")
    _, loaded = load(TargetSource(file=str(mine), class_name="Mine"))
    assert loaded.class_name == "Mine"
    assert sys.path[-2:] == [str(inner), str(tmp_path)]
