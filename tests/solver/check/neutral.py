"""The checkers with one of their checks taken out, loaded beside the genuine ones.

A check is a `require(...)`, or an `if` that does nothing but raise.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from kassay.model.errors import InputError
from tests import house

PACKAGE = "kassay.solver.check"
Change = Callable[[ast.stmt, str], list[ast.stmt]]


@cache
def _modules() -> dict[str, str]:
    """The checkers' modules by dotted name, with their files."""
    found = {f"kassay.{name}": str(path) for name, path in house.modules().items()}
    return {name: path for name, path in found.items() if name == PACKAGE or name.startswith(f"{PACKAGE}.")}


def _is_check(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return isinstance(node.value.func, ast.Name) and node.value.func.id in ("require", "_require")
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and len(node.body) == 1
        and isinstance(node.body[0], ast.Raise)
    )


class _Changed(ast.NodeTransformer):
    """A module whose checks are changed; each is named by its module, function, condition and number."""

    def __init__(self, module: str, change: Change) -> None:
        self.module, self.change = module.removeprefix(f"{PACKAGE}."), change
        self.inside: list[str] = []
        self.names: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.inside.append(node.name)
        self.generic_visit(node)
        self.inside.pop()
        return node

    def visit(self, node: ast.AST) -> Any:
        if not _is_check(node):
            return super().visit(node)
        condition = node.value.args[0] if isinstance(node, ast.Expr) else node.test  # type: ignore[attr-defined]
        name = f"{self.module}.{'.'.join(self.inside)}: {ast.unparse(condition)}"
        number = self.names.count(name)
        self.names.append(name)
        assert isinstance(node, ast.stmt)
        return self.change(node, name if not number else f"{name} ({number + 1})")


@cache
def checks() -> tuple[str, ...]:
    """The names of all checks."""
    found: list[str] = []

    def note(node: ast.stmt, name: str) -> list[ast.stmt]:
        found.append(name)
        return [node]

    for module, path in _modules().items():
        _changed(module, path, note)
    return tuple(found)


def _changed(module: str, path: str, change: Change) -> ast.Module:
    tree = _Changed(module, change).visit(ast.parse(Path(path).read_text(encoding="utf-8")))
    assert isinstance(tree, ast.Module)
    return tree


def _compiled(module: str, change: Change) -> CodeType:
    path = _modules()[module]
    return compile(ast.fix_missing_locations(_changed(module, path, change)), path, "exec")


@cache
def _genuine(module: str) -> CodeType:
    return _compiled(module, lambda node, _: [node])


def _loaded(code: Callable[[str], CodeType], **names: object) -> ModuleType:
    """The module `check` with everything that it imports of its package, made of this code."""
    modules = _modules()
    kept = {name: sys.modules.pop(name) for name in modules if name in sys.modules}

    class Finder:
        """Makes the package's modules."""

        @staticmethod
        def find_spec(name: str, _path: object = None, _target: object = None) -> Any:
            if name not in modules:
                return None
            folder = modules[name].endswith("__init__.py")
            spec = ModuleSpec(name, Finder, is_package=folder)  # type: ignore[arg-type]
            if folder:
                spec.submodule_search_locations = [modules[name].removesuffix("/__init__.py")]
            return spec

        @staticmethod
        def create_module(_: Any) -> None:
            return None

        @staticmethod
        def exec_module(module: ModuleType) -> None:
            vars(module).update(names)
            exec(code(module.__name__), vars(module))

    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
    try:
        check = __import__(f"{PACKAGE}.check", fromlist=["check"])
        check._kinds()
        assert isinstance(check, ModuleType)
        vars(check)["LOADED"] = {name: sys.modules[name] for name in modules if name in sys.modules}
        return check
    finally:
        sys.meta_path.remove(Finder)  # type: ignore[arg-type]
        for name in modules:
            sys.modules.pop(name, None)
        sys.modules.update(kept)
        for name, module in kept.items():
            package, _, last = name.rpartition(".")
            if package in sys.modules:
                setattr(sys.modules[package], last, module)


@cache
def without(check: str) -> ModuleType:
    """The checkers without that check."""

    def leave_out(node: ast.stmt, name: str) -> list[ast.stmt]:
        return [ast.Pass()] if name == check else [node]

    inside = [name for name in _modules() if check.startswith(name.removeprefix(f"{PACKAGE}.") + ".")]
    module = max(inside, key=len)
    return _loaded(lambda name: _compiled(name, leave_out) if name == module else _genuine(name))


def reporting() -> tuple[ModuleType, list[str]]:
    """The checkers that report which check refuses, and the list that they report it to."""
    fired: list[str] = []

    def report(node: ast.stmt, name: str) -> list[ast.stmt]:
        said = ast.parse(f"FIRED.append({name!r})").body[0]
        if isinstance(node, ast.If):
            node.body.insert(0, said)
            return [node]
        assert isinstance(node, ast.Expr)
        assert isinstance(node.value, ast.Call)
        return [ast.If(ast.UnaryOp(ast.Not(), node.value.args[0]), [said], []), node]

    return _loaded(lambda name: _compiled(name, report), FIRED=fired), fired


def module(checker: ModuleType, name: str) -> ModuleType:
    """Another module of the checkers that were loaded with this one."""
    loaded = vars(checker)["LOADED"]
    assert isinstance(loaded, dict)
    found = loaded[f"{PACKAGE}.{name}"]
    assert isinstance(found, ModuleType)
    return found


def refuses(checker: ModuleType, document: Any) -> bool:
    """Whether these checkers refuse a document; to accept it, if only on a word, or to break is not to."""
    try:
        return not checker.check_certificate(document).outcome.value.startswith("accepted")
    except InputError:
        return True
    except Exception:
        return False
