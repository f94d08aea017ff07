"""What kind of violation it is: its words without the names and numbers of its case."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

from kassay.kinds.protocol import Driver
from kassay.properties.registry import Violation, as_text
from kassay.writing.text import storable

_NUMBER: Final = re.compile(r"\d")
_NAMED: Final = re.compile(r"#(?:\s+#)*")
_AROUND: Final = (",;:()[]'\"", ".,;:()[]'\"")
"""What may stand around a name: marks, or the end of a sentence as well; a name may have dots itself."""
_EVENT: Final = "event"


@dataclass(frozen=True)
class Names:
    """The names in a case: members, topics and whatever else it calls by a text."""

    known: frozenset[str]

    @classmethod
    def of(cls, driver: Driver[Any], case: Any) -> Names:
        """The names in this case."""
        texts = {*_texts_in(driver.form.write(case))}
        return cls(frozenset(texts | {text.strip() for text in texts}))

    def without(self, text: str) -> str:
        """The text with `#` for each run of words that are, or have, a name or a number.

        >>> Names(frozenset({"payments", "m1"})).without("raised KeyError: payments, of m1")
        'raised KeyError: # of #'
        """
        if text in self.known:
            return "#"
        words = ("#" if self._names(word) else word for word in text.split())
        return _NAMED.sub("#", " ".join(words))

    def _names(self, word: str) -> bool:
        if _NUMBER.search(word):
            return True
        return any(all(part in self.known for part in word.strip(marks).split(",")) for marks in _AROUND)


def _texts_in(document: object) -> Iterator[str]:
    """The texts in a document, without keys and what happened."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for key, value in document.items():
            if key != _EVENT:
                yield from _texts_in(value)
    elif isinstance(document, Collection):
        for each in document:
            yield from _texts_in(each)


def kind_of(violation: Violation, names: Names) -> str:
    """The violation without its numbers and the names of its case.

    >>> from kassay.properties.registry import Evidence
    >>> evidence = Evidence("t0-1", {"owner": None, "subscribers": ("audit",), "assigned to": "audit"}, "...")
    >>> kind_of(Violation("complete", evidence), Names(frozenset({"audit"})))
    'complete: # (owner #, subscribers #, assigned to #)'
    """
    subject, facts = violation.evidence.subject, violation.evidence.facts
    shown = ", ".join(
        f"{name} {names.without(as_text(value)) if isinstance(value, str) else '#'}"
        for name, value in facts.items()
    )
    return storable(f"{violation.claim}: {names.without(subject)}" + (f" ({shown})" if shown else ""))


def bucket_of(violation: Violation, names: Names) -> str:
    """Three hex digits for the kind: bounds the memory if a target always fails in new words."""
    return blake2b(kind_of(violation, names).encode(), digest_size=2).hexdigest()[:3]
