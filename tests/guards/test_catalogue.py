"""Guards are removed one at a time, out of functions that are held already."""

import ast
import importlib
from types import ModuleType

import pytest

from tests.guards.catalogue import (
    ALWAYS,
    LEFT_OUT,
    NEVER,
    Removing,
    Rewriting,
    Watching,
    compiled,
    guards,
    install,
    modules,
    name_of,
    sites,
)

SOURCE = """
class Door:
    def opens(self, key, late):
        if key is None:
            raise KeyError
        return [room for room in (1, 2, 3) if room != key and not late]

def held(amount):
    if amount > 2:
        amount = 2
    return amount or 1
"""


@pytest.fixture
def module(tmp_path):
    """A module of that source, and its path."""
    path = tmp_path / "doors.py"
    path.write_text(SOURCE)
    made = ModuleType("doors")
    exec(compile(SOURCE, str(path), "exec"), vars(made))
    return made, path


def remove(module, text, how):
    """Take that guard out of the module's functions, wherever they are held."""
    made, path = module
    rewriting = Rewriting("doors")
    rewriting.visit(ast.parse(path.read_text()))
    every = [guard for site in rewriting.sites for guard, _ in site.guards]
    (guard,) = [guard for guard in every if (guard.text, guard.removed) == (text, how)]
    assert install(made, compiled(path, Removing("doors", guard))) == 2


def test_what_refuses_never_does_and_what_is_done_always_is(module):
    door, held = module[0].Door(), module[0].held
    remove(module, "key is None", NEVER)
    assert door.opens(None, False) == [1, 2, 3]
    remove(module, "amount > 2", ALWAYS)
    assert held(1) == 2
    with pytest.raises(KeyError):
        door.opens(None, False)


def test_an_operand_is_left_out_and_a_filter_lets_all_pass(module):
    door, held = module[0].Door(), module[0].held
    remove(module, "not late", LEFT_OUT)
    assert door.opens(1, True) == [2, 3]
    remove(module, "room != key and (not late)", ALWAYS)
    assert door.opens(1, True) == [1, 2, 3]
    remove(module, "1", LEFT_OUT)
    assert held(0) == 0


def test_conditions_tell_what_they_came_to(module):
    made, path = module
    told = []

    def watch(*what):
        told.append(what)
        return what[-1]

    vars(made)[Watching.WATCH] = watch
    install(made, compiled(path, Watching("doors")))
    assert made.held(5) == 2
    assert [value for _, _, value in told] == [True, 2]


def test_no_two_guards_have_one_name_and_each_has_one_place():
    every = list(guards())
    assert len({str(guard) for guard in every}) == len(every) > 1_000


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_every_function_of_a_module_that_has_guards_can_be_changed(path):
    made = importlib.import_module(f"kassay.model.protocols.{name_of(path).removesuffix('.__init__')}")
    functions = {guard.function for site in sites(path) for guard, _ in site.guards}
    assert install(made, compiled(path, Rewriting(name_of(path)))) >= len(functions)
