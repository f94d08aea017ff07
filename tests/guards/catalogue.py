"""The guards of the coordinator and of the clients: conditions in their functions and rows of their tables.

A guard is removed by what its condition then always is: what refuses or leaves early never does, what is
done under a condition is always done; of two operands one is left out, of a choice one side. A row is removed
by making its event impossible in its state.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import kassay.model.protocols

ROOM = Path(str(kassay.model.protocols.__file__)).parent
ROOMS = ("coordinator", "clients")
LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Guard(NamedTuple):
    """One condition and how it is removed; of several that read alike in a function `number` is the place."""

    module: str
    function: str
    text: str
    removed: str
    number: int = 1

    def __str__(self) -> str:
        again = f" ({self.number})" if self.number > 1 else ""
        return f"{self.module}.{self.function}: `{self.text}` {self.removed}{again}"


NEVER, ALWAYS, LEFT_OUT = "never", "always", "left out"


class Site(NamedTuple):
    """Where guards stand: one expression. `guards` by which outcome of the expression they matter."""

    guards: tuple[tuple[Guard, frozenset[bool]], ...]


def modules() -> list[Path]:
    """The files of the two rooms."""
    return sorted(path for room in ROOMS for path in (ROOM / room).rglob("*.py"))


def name_of(path: Path) -> str:
    """The module below the protocols: coordinator.consumer.heartbeat."""
    return ".".join(path.relative_to(ROOM).with_suffix("").parts)


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], LEAVES)


class Rewriting(ast.NodeTransformer):
    """Goes through a module's functions and gives each condition, with its guards, to `change`."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.function: list[str] = []
        self.seen: Counter[Guard] = Counter()
        self.sites: list[Site] = []

    def change(self, number: int, expression: ast.expr) -> ast.expr:
        """What stands in the place of the condition."""
        return expression

    def drops(self, number: int) -> bool:
        """Whether an operand is left out."""
        return False

    def _site(self, expression: ast.expr, *ways: tuple[str, frozenset[bool]]) -> int:
        text = ast.unparse(expression)
        guards = []
        for removed, matters in ways:
            guard = Guard(self.module, ".".join(self.function), text, removed)
            self.seen[guard] += 1
            guards.append((guard._replace(number=self.seen[guard]), matters))
        self.sites.append(Site(tuple(guards)))
        return len(self.sites) - 1

    def _scope(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        self.function.append(node.name)
        node.body = [self.visit(statement) for statement in node.body]
        self.function.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._scope(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._scope(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        if self.function:
            never = _leaves(node.body)
            way = (NEVER, frozenset((True,))) if never else (ALWAYS, frozenset((False,)))
            number = self._site(node.test, way)
            self.generic_visit(node)
            node.test = self.change(number, node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        number = self._site(node.test, (NEVER, frozenset((True,))), (ALWAYS, frozenset((False,))))
        self.generic_visit(node)
        node.test = self.change(number, node.test)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        numbers = [self._site(test, (ALWAYS, frozenset((False,)))) for test in node.ifs]
        self.generic_visit(node)
        node.ifs = [self.change(number, test) for number, test in zip(numbers, node.ifs)]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        both = frozenset((True, False))
        numbers = [self._site(value, (LEFT_OUT, both)) for value in node.values]
        self.generic_visit(node)
        node.values = [
            self.change(number, value)
            for number, value in zip(numbers, node.values)
            if not self.drops(number)
        ]
        return node.values[0] if len(node.values) == 1 else node


class Removing(Rewriting):
    """Removes one guard."""

    def __init__(self, module: str, guard: Guard) -> None:
        super().__init__(module)
        self.guard = guard

    def _is(self, number: int) -> bool:
        return any(guard == self.guard for guard, _ in self.sites[number].guards)

    def change(self, number: int, expression: ast.expr) -> ast.expr:
        if self._is(number) and self.guard.removed != LEFT_OUT:
            return ast.Constant(self.guard.removed == ALWAYS)
        return expression

    def drops(self, number: int) -> bool:
        return self._is(number) and self.guard.removed == LEFT_OUT


class Watching(Rewriting):
    """Has each condition told to `WATCH`, by its number."""

    WATCH = "__kassay_watch__"

    def change(self, number: int, expression: ast.expr) -> ast.expr:
        call = ast.Name(self.WATCH, ast.Load())
        return ast.Call(call, [ast.Constant(self.module), ast.Constant(number), expression], [])


@cache
def sites(path: Path) -> tuple[Site, ...]:
    """The conditions of a module in the order of its text."""
    rewriting = Rewriting(name_of(path))
    rewriting.visit(ast.parse(path.read_text(encoding="utf-8")))
    return tuple(rewriting.sites)


def guards() -> Iterator[Guard]:
    """Every guard that is a condition."""
    for path in modules():
        for site in sites(path):
            yield from (guard for guard, _ in site.guards)


def compiled(path: Path, rewriting: Rewriting) -> CodeType:
    """The module's code as rewritten."""
    tree = ast.fix_missing_locations(rewriting.visit(ast.parse(path.read_text(encoding="utf-8"))))
    return compile(tree, str(path), "exec")


def _codes(code: CodeType) -> dict[str, CodeType]:
    """The code of every function by its qualified name."""
    codes: dict[str, CodeType] = {}
    waiting = [code]
    while waiting:
        for constant in waiting.pop().co_consts:
            if isinstance(constant, CodeType):
                codes[constant.co_qualname] = constant
                waiting.append(constant)
    return codes


def _functions(owner: object, module: str) -> Iterator[FunctionType]:
    """The functions defined by a module or one of its classes, out of what decorates them."""
    for value in list(vars(owner).values()):
        value = getattr(value, "__func__", value)
        value = getattr(value, "fget", value)
        value = getattr(value, "_compute", value)
        while hasattr(value, "__wrapped__"):
            value = value.__wrapped__
        if isinstance(value, FunctionType) and value.__module__ == module:
            yield value
        elif isinstance(value, type) and value.__module__ == module:
            yield from _functions(value, module)


def install(module: object, code: CodeType) -> int:
    """Give the functions of an imported module the code of this one, wherever they are held; how many changed."""
    codes, count = _codes(code), 0
    for function in _functions(module, str(vars(module)["__name__"])):
        other = codes.get(function.__qualname__)
        if other is not None and other.co_freevars == function.__code__.co_freevars:
            function.__code__ = other
            count += 1
    return count
