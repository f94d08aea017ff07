"""The source tree as data for tests: modules, imports, and imports between folders."""

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tests.paths import ROOT

SRC = ROOT / "src" / "kassay"
TESTS = ROOT / "tests"
Graph = Mapping[str, frozenset[str]]


@cache
def modules() -> dict[str, Path]:
    """The package's files by dotted name without `kassay.`; an `__init__` has its folder's name."""

    def name(path: Path) -> str:
        parts = path.relative_to(SRC).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    return {name(path): path for path in sorted(SRC.rglob("*.py"))}


def is_module(name: str) -> bool:
    """Whether the package has such a module."""
    return name.removeprefix("kassay.") in modules()


def outside() -> list[Path]:
    """The files of benchmarks and of docs/writers that import the package."""
    files = sorted(
        path for folder in ("benchmarks", "docs/writers") for path in (ROOT / folder).rglob("*.py")
    )
    return [path for path in files if "from kassay" in path.read_text(encoding="utf-8")]


@cache
def syntax(path: Path) -> ast.Module:
    """The file as a syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def definitions(tree: ast.AST) -> Iterable[tuple[str, int]]:
    """Every name that the tree binds, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.arg(arg=name):
                yield name, node.lineno
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case (
                ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name))
            ):
                yield name, node.lineno
            case ast.ExceptHandler(name=str(name)) | ast.alias(asname=str(name)):
                yield name, node.lineno


def is_for_types_only(node: ast.AST) -> bool:
    """Whether it is `if TYPE_CHECKING:`, which does not run."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def nodes(tree: ast.AST) -> Iterable[ast.AST]:
    """Every node that runs, in no order."""
    waiting = [tree]
    while waiting:
        children = [child for child in ast.iter_child_nodes(waiting.pop()) if not is_for_types_only(child)]
        yield from children
        waiting += children


def imported_by_call(node: ast.AST) -> str | None:
    """The module that a call of `import_module` with a literal imports; None for another node."""
    match node:
        case ast.Call(
            func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return name
    return None


@cache
def imports() -> Graph:
    """What each module imports of the package, at its top, inside functions, or by `import_module("...")`."""
    known = modules()

    def targets(node: ast.AST) -> Iterable[str]:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full.removeprefix("kassay.") in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif (literal := imported_by_call(node)) is not None:
            yield literal

    def used(name: str, path: Path) -> frozenset[str]:
        inside = (each for node in nodes(syntax(path)) for each in targets(node))
        names = {each.removeprefix("kassay.") for each in inside if each.startswith("kassay.")}
        return frozenset(names & known.keys()) - {name}

    return {name: used(name, path) for name, path in known.items()}


@cache
def mentions(name: str) -> frozenset[str]:
    """The names in a module: imports with dots, also for types; attributes as written; keywords with `=`."""
    found: set[str] = set()
    for node in ast.walk(syntax(modules()[name])):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute):
            found |= {ast.unparse(node), f".{node.attr}"}
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(f"{node.arg}=")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(f"{node.func.id}()")
    return frozenset(found)


def keys_and_operands(tree: ast.AST) -> set[str]:
    """The texts that are compared with something, or are the keys of a table."""
    texts: set[str] = set()

    def take(*values: ast.AST | None) -> None:
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                texts.add(value.value)
            elif isinstance(value, ast.Tuple | ast.Set | ast.List):
                take(*value.elts)

    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                take(left, *others)
            case ast.Dict(keys=keys):
                take(*keys)
            case ast.Subscript(slice=index):
                take(index)
            case ast.MatchValue(value=value):
                take(value)
    return texts


def between(graph: Graph, folder: str = "") -> Graph:
    """The graph of a folder's subfolders and files: an edge if one imports anything of the other."""
    inside = f"{folder}." if folder else ""

    def room(name: str) -> str | None:
        return (
            name.removeprefix(inside).partition(".")[0]
            if name.startswith(inside) and name != folder
            else None
        )

    arrows: dict[str, set[str]] = {}
    for name, used in graph.items():
        if here := room(name):
            there = {target for other in used if (target := room(other)) and target != here}
            arrows.setdefault(here, set()).update(there)
    return {name: frozenset(used) for name, used in arrows.items()}


def circles(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one node, by Tarjan's algorithm."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def walk(node: str) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                walk(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            part = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(graph):
        if node not in number:
            walk(node)
    return found


@cache
def folders() -> tuple[str, ...]:
    """Every package below kassay, dotted; the top itself is ""."""
    return tuple(name for name, path in modules().items() if path.name == "__init__.py")


@cache
def files(folder: str) -> tuple[str, ...]:
    """The modules directly in a folder, without `__init__`."""
    inside = (name for name in modules() if name.rpartition(".")[0] == folder)
    return tuple(name for name in inside if name not in folders())


@cache
def tests() -> tuple[Path, ...]:
    """The test files by their paths below `tests`."""
    return tuple(path.relative_to(TESTS) for path in sorted(TESTS.rglob("test_*.py")))


def floors(folder: str) -> int:
    """The layers of a folder, files not counted: the longest chain of imports between its subfolders."""
    rooms = {name.rpartition(".")[2] for name in folders() if name.rpartition(".")[0] == folder}
    arrows = {name: used & rooms for name, used in between(imports(), folder).items() if name in rooms}

    def height(room: str) -> int:
        return 1 + max((height(other) for other in arrows.get(room, ())), default=0)

    return max(map(height, rooms), default=0)


def public_classes() -> dict[str, list[str]]:
    """The modules of each public top-level class, by the name of the class."""
    found: dict[str, list[str]] = {}
    for name, path in modules().items():
        for node in syntax(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(name)
    return found
