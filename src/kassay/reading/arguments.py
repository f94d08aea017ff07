"""Arguments as users give them to a function: checked against its annotations, and named in its errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from os import PathLike
from reprlib import repr as shortened
from types import NoneType, UnionType
from typing import Any, Final, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from kassay.model.errors import InputError, TargetError, one_line
from kassay.reading.documents import SECONDS, YEAR_S, wrong

P = ParamSpec("P")
T = TypeVar("T")

_WORDS: Final[Mapping[Any, tuple[str, str]]] = {
    str: ("a text", "texts"),
    bool: ("True or False", "True or False"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    type: ("a class", "classes"),
    PathLike: ("a path", "paths"),
}
_FROM_ONE_ON: Final = ("jobs", "max_states", "steps")
_ARGUMENTS: Final = {
    "add-broker": "add",
    "bootstrap-server": "bootstrap",
    "capacity": "capacities",
    "CLAIM": "claims",
    "from": "start",
    "member-config": "config",
    "NAME": "names",
    "program": "programs",
    "remove-broker": "remove",
    "SCRIPT": "script",
    "strategy": "strategies",
    "switch": "switches",
    "time": "seconds",
}
"""Where the name of an option, or a word for a position, differs from that of the argument."""
_OPTION: Final = re.compile(
    r"(?P<kept>(?:kafka-[\w-]+(?:\.sh)?|kassay [\w-]+)(?: --?[\w-]+| [A-Z]+\b)+|(?<!\w)'[^']*'(?!\w))"
    r"|(?<![\w-])--(?P<option>[a-z][\w-]*)"
    r"|(?P<position>\b(?:CLAIM|NAME|SCRIPT)\b(?=:| and |$))"
    r"|(?:^|(?<=: ))(?P<bare>time|call timeout|[a-z]+-[a-z-]+)(?=:| and )"
    r"|(?<=^exhaustive and )(?P<second>member-config)(?=:)"
)
"""An option in a message; not in a command of Kafka's or kassay's, or in quotes."""


class _MisfitError(Exception):
    """A value is not of a type."""


def guarded(function: Callable[P, T], home: str) -> Callable[P, T]:
    """The function, which raises `InputError` for an argument that its annotation does not allow.

    A text where a list of texts is expected is a list of one. Errors name arguments instead of options.
    `home` is the module in which users find the function.
    """
    signature = inspect.signature(function)
    hints: dict[str, Any] = {}

    @wraps(function)
    def called(*given: P.args, **named: P.kwargs) -> T:
        try:
            bound = signature.bind(*given, **named)
        except TypeError:
            return function(*given, **named)  # Python's own words, with the function's name
        if not hints:
            hints.update(_hints(function, signature))
        for name, value in bound.arguments.items():
            several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            bound.arguments[name] = (
                tuple(_read(name, each, hints[name]) for each in value)
                if several
                else _read(name, value, hints[name])
            )
        try:
            return function(*bound.args, **bound.kwargs)
        except (InputError, TargetError) as error:
            if len(error.args) == 1 and isinstance(error.args[0], str):
                error.args = (_in_arguments(error.args[0], signature.parameters),)
            raise

    called.__module__, called.__annotations__ = home, function.__annotations__
    return called


def _hints(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    """The type of each parameter."""
    names = inspect.unwrap(function).__globals__
    return {name: eval(each.annotation, names) for name, each in signature.parameters.items()}


def _read(name: str, value: object, hint: Any) -> Any:
    """The value as the function expects it; raises `InputError`."""
    try:
        fitted = _fitted(value, hint)
    except _MisfitError:
        kind = "" if value is None else f" ({type(value).__name__})"
        text = one_line(shortened(value))
        raise InputError(f"{name}: found {text}{kind}, expected {_words(hint)}") from None
    if name == "seconds" and fitted is not None and not 0 < fitted <= YEAR_S:
        raise wrong(name, fitted, SECONDS)
    if name in _FROM_ONE_ON and fitted is not None and fitted < 1:
        raise wrong(name, fitted, "a whole number from 1 on")
    return fitted


def _fitted(value: Any, hint: Any) -> Any:
    """The value, if it is of this type: lists as tuples, numbers of other libraries as Python's."""
    origin: Any = get_origin(hint)
    inside = get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, UnionType):
        return _first_fit(value, inside)
    if origin is Literal:
        fits = value in inside
    elif origin is tuple:
        if isinstance(value, tuple | list) and len(value) == len(inside):
            return tuple(_fitted(each, of) for each, of in zip(value, inside, strict=True))
        fits = False
    elif _is_list(hint):
        return _all_fitted(value, inside[0])
    elif origin is Mapping:
        if isinstance(value, Mapping):
            if inside[1] is not Any:
                return {_fitted(key, inside[0]): _fitted(each, inside[1]) for key, each in value.items()}
            return value
        fits = False
    elif hint in (int, float):
        number = Integral if hint is int else Real
        if isinstance(value, number) and not isinstance(value, bool):
            return value if isinstance(value, int | float) else hint(value)
        fits = False
    elif getattr(hint, "_is_protocol", False) and origin is None:
        fits = callable(value)
    else:
        fits = isinstance(value, NoneType if hint is None else origin or hint)
    if not fits:
        raise _MisfitError
    return value


def _is_list(hint: Any) -> bool:
    origin: Any = get_origin(hint)
    return origin in (Sequence, Iterable)


def _first_fit(value: Any, hints: tuple[Any, ...]) -> Any:
    """The value as the first of the types that allows it."""
    for hint in sorted(hints, key=_is_list):
        try:
            return _fitted(value, hint)
        except _MisfitError:
            continue
    raise _MisfitError


def _all_fitted(value: Any, hint: Any) -> tuple[Any, ...]:
    """The values of a list; a text alone is one."""
    if isinstance(value, str):
        return (_fitted(value, hint),)
    if not isinstance(value, Iterable) or isinstance(value, bytes | bytearray | Mapping | type):
        raise _MisfitError
    return tuple(_fitted(each, hint) for each in value)


def _words(hint: Any, *, plural: bool = False) -> str:
    """What is expected, in plain words."""
    origin: Any = get_origin(hint)
    inside = get_args(hint)
    if origin in (Union, UnionType):
        every = dict.fromkeys(_words(each, plural=plural) for each in inside if each is not NoneType)
        *most, last = every
        return f"{', '.join(most)} or {last}" if most else last
    if origin is Literal:
        return " or ".join(map(repr, inside))
    if origin is tuple:
        return f"{len(inside)} {_words(inside[0], plural=True)}"
    if _is_list(hint):
        return f"{'lists' if plural else 'a list'} of {_words(inside[0], plural=True)}"
    if origin is Mapping:
        of = "" if inside[1] is Any else f" of {_words(inside[1], plural=True)}"
        return f"{'dicts' if plural else 'a dict'}{of}"
    if getattr(hint, "_is_protocol", False) and hint is not PathLike and origin is None:
        return "functions" if plural else "a function"
    cls = origin or hint
    known = PathLike if issubclass(cls, PathLike) else cls
    name = cls.__name__
    return _WORDS.get(known, (f"a {name}", f"{name}s"))[plural]


def _in_arguments(message: str, parameters: Mapping[str, Any]) -> str:
    """The message with the names of arguments instead of those of options."""

    def named(match: re.Match[str]) -> str:
        name = next((each for each in match.group("option", "position", "bare", "second") if each), "")
        spelled = re.sub("[- ]", "_", name)
        other = _ARGUMENTS.get(name, spelled)
        return next((each for each in (spelled, other) if each in parameters), match[0])

    return _OPTION.sub(named, message)
