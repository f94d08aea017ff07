"""Loads the target class from a file or a module, also one written for former names.

Former names of kassay's modules, so that classes written for them still load.

Loads the target class from a file or a module; runs in the child process.

Standard library only, and light: the plain form imports nothing else of kassay.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from kassay.assignors.plain_answers import (
    ASSIGN,
    CALLED,
    DOCUMENTS,
    FORM_BY_METHOD,
    FULL,
    LEVELLED,
    METHODS,
    PLAIN,
    TAKES,
    document_form,
    parameters,
)
from kassay.model.errors import TargetNotLoadable, described, one_line, place_of

MODULES: Final = {
    "kassay.model.assignor": "kassay.model.groups.assignor",
    "kassay.model.group": "kassay.model.groups.group",
    "kassay.model.int32": "kassay.model.java",
    "kassay.model.metrics": "kassay.model.groups.metrics",
    "kassay.model.partitioner": "kassay.model.partitioners.partitioner",
    "kassay.model.randomness": "kassay.model.java",
}
"""The present name of a module, by its former one."""

PACKAGES: Final = {
    "kassay.model.placement": "kassay.model.placement.request",
}
"""Former modules whose names are packages now: the module that has their content."""


class FormerNames(MetaPathFinder, Loader):
    """Last finder on the path: resolves former module names to the present ones."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  # importlib's signature
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """A spec for a former name, or for a name in a module that is now a package."""
        package, _, name = fullname.rpartition(".")
        if fullname in MODULES or hasattr(_held_by(package), name):
            return ModuleSpec(fullname, self)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Replace the new module by the one that the name resolves to."""
        package, _, name = module.__name__.rpartition(".")
        present = MODULES.get(module.__name__)
        value = importlib.import_module(present) if present else getattr(_held_by(package), name)
        sys.modules[module.__name__] = value


def _held_by(package: str) -> ModuleType | None:
    return importlib.import_module(PACKAGES[package]) if package in PACKAGES else None


FORMER_NAMES: Final = FormerNames()


_EXTRAS: Final = ("replica_racks", "partition_weights", "assignable")
_META: Final = ("kind", "level", "protocol", "claims", "assumes")
"""The keys of META that are read; other keys are reported as unknown."""
_BASE: Final = "kassay.model.groups.assignor"


@dataclass(frozen=True)
class TargetSource:
    """Location of the class: a file or an importable module, and its name, unless it is the only one."""

    file: str | None = None
    module: str | None = None
    class_name: str | None = None

    @property
    def label(self) -> str:
        """The file or module, as the user wrote it."""
        return self.file or self.module or ""


@dataclass(frozen=True)
class Loaded:
    """A class and its description, found without calling it; the class never leaves its process."""

    class_name: str
    name: str
    form: str
    extras: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    user_data: bool = False
    learns: bool = False
    configures: bool = False
    reports_generation: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Loaded:
        """The description from the JSON that a child sent."""
        lists = ("extras", "protocols")
        values: dict[str, Any] = {n: tuple(v) if n in lists else v for n, v in document.items()}
        return cls(**values)


def load(source: TargetSource) -> tuple[type, Loaded]:
    """The class and its description; raises `TargetNotLoadable`, whatever the target's code does."""
    if FORMER_NAMES not in sys.meta_path:
        sys.meta_path.append(FORMER_NAMES)
    module = _from_file(source.file) if source.file else _from_module(source.module or "")
    target = _choose(source, module)
    return target, describe(target, module, source)


def _from_file(file: str) -> ModuleType:
    path = Path(file)
    try:
        text, folders = path.read_bytes(), _import_folders(path)
    except FileNotFoundError:
        raise TargetNotLoadable(f"{file}: no such file") from None
    except OSError as error:
        raise TargetNotLoadable(f"{file}: cannot be read: {error.strerror or error}") from None
    module = ModuleType(f"kassay_target_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    for folder in folders:
        if folder not in sys.path:
            sys.path.append(folder)  # last, so that no file next to it hides a library
    with _importing(file):
        try:
            # compiled from the text just read: a cached .pyc could have an older text
            code = compile(text, str(path), "exec")
        except ValueError as error:
            raise TargetNotLoadable(f"{file}: not a Python file: {error}") from None
        exec(code, module.__dict__)
    return module


def _import_folders(path: Path) -> tuple[str, ...]:
    """The import folders of a file: its own, and the one above the packages that contain it."""
    folder = top = path.resolve().parent
    while (top / "__init__.py").exists() and top.parent != top:
        top = top.parent
    return str(folder), str(top)


def _from_module(name: str) -> ModuleType:
    with _importing(name):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            missing = error.name or name
            if name == missing or name.startswith(f"{missing}."):
                from kassay.reading.documents import is_file  # for this message only

                if is_file(name):
                    raise TargetNotLoadable(
                        f"{name}: is no Python file, expected path/file.py or an importable module"
                    ) from None
                raise TargetNotLoadable(
                    f"{name}: there is no module {missing!r}, expected an importable module"
                ) from None
            raise


@contextmanager
def _importing(label: str) -> Iterator[None]:
    """Report any exception of the target's own code as the reason why it cannot be loaded."""
    try:
        with redirect_stdout(sys.stderr):  # also affects prints during calls: standard output is the channel
            yield
    except (KeyboardInterrupt, TargetNotLoadable):
        raise
    except SyntaxError as error:
        at = f"{error.filename or label}:{error.lineno}" if error.lineno else label
        text = f"{type(error).__name__}: {one_line(str(error.msg))}"
        raise TargetNotLoadable(f"{at}: {text}, expected Python") from None
    except BaseException as error:
        at = place_of(error, label) or label
        text = f"{described(error)} on import ({at})"
        raise TargetNotLoadable(f"{label}: {text}, expected a module that imports without error") from None


def _choose(source: TargetSource, module: ModuleType) -> type:
    """The named class, or the only one in the module with a method of `METHODS`; earlier methods first."""
    label = source.label
    if source.class_name is not None:
        candidate = getattr(module, source.class_name, None)
        if candidate is None:
            there = ", ".join(sorted(name for name, _ in _candidates(module)))
            raise TargetNotLoadable(
                f"{label}: there is no class {source.class_name!r}" + (f", but {there}" if there else "")
            )
        if not isinstance(candidate, type):
            raise TargetNotLoadable(
                f"{label}: {source.class_name} is no class but a value of type {type(candidate).__name__}"
            )
        if not any(callable(getattr(candidate, method, None)) for method in METHODS):
            raise TargetNotLoadable(
                f"{label}: class {source.class_name} has neither assign nor place, expected {ASSIGN}"
            )
        return candidate
    candidates = dict(_candidates(module, METHODS[:2])) or dict(_candidates(module))
    if not candidates:
        raise TargetNotLoadable(f"{label}: no class with assign or place, expected one with {ASSIGN}")
    if len(candidates) > 1:
        raise TargetNotLoadable(
            f"{label}: several classes have assign or place ({', '.join(sorted(candidates))}), "
            f"expected {label}:NAME with one of them"
        )
    return next(iter(candidates.values()))


def _candidates(module: ModuleType, methods: tuple[str, ...] = METHODS) -> Iterator[tuple[str, type]]:
    """The module's own public classes that may be the target."""
    for name, value in vars(module).items():
        if (
            isinstance(value, type)
            and value.__module__ == module.__name__
            and not name.startswith("_")
            and any(callable(getattr(value, method, None)) for method in methods)
        ):
            yield name, value


def describe(target: type, module: ModuleType, source: TargetSource) -> Loaded:
    """The description of the class; raises `TargetNotLoadable` for a signature that kassay cannot call."""
    meta = vars(target).get("META", getattr(module, "META", {}))
    if not isinstance(meta, dict):
        raise TargetNotLoadable(f"{source.label}: META is a {type(meta).__name__}, expected a dict")
    own_name = getattr(target, "name", None)
    name = own_name if isinstance(own_name, str) and own_name else target.__name__
    method = next(method for method in METHODS if callable(getattr(target, method, None)))
    extras: tuple[str, ...]
    if method == "assign" and _is_odd(meta):
        # The arguments of such a class are unknown; the reader of META reports the problem.
        form, extras = PLAIN, ()
    elif method == "assign" and (document := document_form(meta)) is not None:
        form, extras = document, ()
        _check_document(target, document, source)
    elif method == "assign":
        form, extras = _assign_form(target, source)
    else:
        form, extras = FORM_BY_METHOD[method], ()
        _check_signature(target, method, source)
    return Loaded(
        class_name=target.__name__,
        name=one_line(name),
        form=form,
        extras=extras,
        protocols=_protocols(target) if form == FULL else (),
        user_data=form == FULL and _own(target, "subscription_user_data"),
        learns=form == FULL and _own(target, "on_assignment"),
        configures=callable(getattr(target, "configure", None)) and _own(target, "configure"),
        reports_generation=form == FULL and hasattr(target, "reported_generation"),
        meta={str(key): value if key in _META else None for key, value in meta.items()},
        file=getattr(module, "__file__", None),
    )


def _is_odd(meta: Mapping[object, Any]) -> bool:
    """Whether META has an unknown key or kind, or a level although its kind has none."""
    kind = meta.get("kind")
    known = kind is None or kind in tuple(CALLED)
    levelled = meta.get("level") is None or kind in (None, LEVELLED)
    return not (known and levelled and all(key in _META for key in meta))


def _assign_form(target: type, source: TargetSource) -> tuple[str, tuple[str, ...]]:
    names, _ = parameters(target, "assign")
    based = any(base.__module__ == _BASE for base in target.__mro__)
    if based or names[:2] == ["cluster", "group"] or hasattr(target, "subscription_user_data"):
        _check_signature(target, "assign", source)
        return FULL, ()
    _check_signature(target, "assign", source, _EXTRAS)
    return PLAIN, tuple(name for name in _EXTRAS if name in names)


def _check_signature(target: type, method: str, source: TargetSource, extras: tuple[str, ...] = ()) -> None:
    """Raise `TargetNotLoadable` for a method that kassay cannot call."""
    _check_parameters(target, method, source, TAKES[method], extras)


def _check_document(target: type, form: str, source: TargetSource) -> None:
    """Raise `TargetNotLoadable` for an `assign` that does not accept one document."""
    _check_parameters(target, "assign", source, (1, 1, f"assign(self, {DOCUMENTS[form]}) by its META"))


def _check_parameters(
    target: type,
    method: str,
    source: TargetSource,
    takes: tuple[int, int, str],
    extras: tuple[str, ...] = (),
) -> None:
    """Raise `TargetNotLoadable` for a wrong number of required arguments; `extras` are passed by name."""
    least, most, expected = takes
    names, needed = parameters(target, method)
    if "*" in names:
        return
    plain = [name for name in names if name not in extras]
    foreign = [name for name in plain[most:] if name in needed]
    if len(plain) < least or foreign:
        raise TargetNotLoadable(
            f"{source.label}: {target.__name__}.{method} takes ({', '.join(names)}), expected {expected}"
        )


def _protocols(target: type) -> tuple[str, ...]:
    declared = getattr(target, "protocols", ())
    if not isinstance(declared, list | tuple):
        return ()
    return tuple(str(protocol) for protocol in declared if isinstance(protocol, str))


def _own(target: type, method: str) -> bool:
    """Whether the class defines the method itself, not through kassay's base class."""
    for base in target.__mro__:
        if method in vars(base):
            return base.__module__ != _BASE
    return False
