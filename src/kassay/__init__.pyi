"""The types of what `__getattr__` imports; `tests/api` compares this with the files of `kassay.api`."""

from kassay.api.prove import prove as prove

__version__: str
