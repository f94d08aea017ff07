"""kassay (Kafka + assay): puts Kafka's assignment rules to the test.

Each file of `kassay.api` is a function of this package: `kassay.certify("my_assignor.py")`.
"""

from importlib import import_module as _import_module

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """The function of this name; it is imported when it is first used, and checks its arguments."""
    if name.startswith("_") or name not in _functions():
        raise AttributeError(f"module 'kassay' has no attribute {name!r}")
    guarded = _import_module("kassay.reading.arguments").guarded
    function: object = guarded(getattr(_import_module(f"kassay.api.{name}"), name), __name__)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return ["__version__", *_functions()]


def _functions() -> list[str]:
    from pkgutil import iter_modules  # a tenth of the time in which a command starts

    return sorted(each.name for each in iter_modules(_import_module("kassay.api").__path__))
