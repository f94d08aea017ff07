"""The value of `sasl.jaas.config`: login modules with their options, cut as Java cuts it.

    org.apache.kafka.common.security.scram.ScramLoginModule required username="app" password='p\\'w';

Words are letters, digits, `-`, `_`, `$`, `.` and everything from U+00A0 on; another character needs quotes.
A quoted text ends at its quote or at the end of the line; `\\` takes the next character, except for `\\n`
and the like and up to three octal digits. `//` and `/* */` are comments, and so is a single `/` up to the
end of the line (of the next one, if the line ends after it).

Source: Kafka `JaasConfig`, 3.9 to 4.4, and `java.io.StreamTokenizer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kassay.model.errors import InputError

_FLAGS: Final = ("required", "requisite", "sufficient", "optional")
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\r\n]*|/(?:.[^\r\n]*)?", re.DOTALL)
_BLANK: Final = re.compile(r"[\x00-\x20]+")
_WORD: Final = re.compile(r"[A-Za-z_$\u00a0-\U0010ffff][A-Za-z0-9_$.\-\u00a0-\U0010ffff]*")
_ESCAPES: Final = {"a": "\x07", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\x0b"}
_OCTAL: Final = re.compile(r"[0-3][0-7]{0,2}|[4-7][0-7]?")


class _Token(NamedTuple):
    """A word or quoted text has a text; any other character and a number have none."""

    sign: str
    text: str | None


@dataclass(frozen=True)
class LoginModule:
    """A login module: the name of its class, and its options, which may be secret and are never shown."""

    name: str
    options: dict[str, str] = field(repr=False)

    @property
    def short_name(self) -> str:
        """The name of the class without its package."""
        return self.name.rpartition(".")[2]


def read_jaas(text: str, where: str) -> LoginModule:
    """The one login module of the text; raises `InputError`, in which no option is quoted."""
    tokens = list(_tokens(text))
    modules: list[LoginModule] = []
    while tokens:
        modules.append(_module(tokens, where))
    if len(modules) != 1:
        raise InputError(
            f"{where}: found {len(modules)} login modules, expected one, as Kafka's clients do: "
            "LoginModule required NAME=VALUE ...;"
        )
    return modules[0]


def _module(tokens: list[_Token], where: str) -> LoginModule:
    """The first module of the tokens, which are taken away."""
    name = tokens.pop(0).text
    flag = tokens.pop(0).text if tokens else None
    if name is None or flag is None or flag.lower() not in _FLAGS:
        raise InputError(f"{where}: expected the class of a login module and a flag, such as `required`")
    options: dict[str, str] = {}
    while tokens and tokens[0].sign != ";":
        key = tokens.pop(0).text
        if len(tokens) < 2 or tokens[0].sign != "=" or tokens[1].text is None:
            raise InputError(
                f"{where}: no value after {key or 'an option'!r} that Java would read, expected "
                'NAME="VALUE" (without quotes a value is letters, digits, . _ $ - and begins with a letter)'
            )
        options[str(key)] = str(tokens[1].text)
        del tokens[:2]
    if not tokens:
        raise InputError(f"{where}: the login module does not end, expected a `;` after its last option")
    del tokens[0]
    return LoginModule(name, options)


def _tokens(text: str) -> Iterator[_Token]:
    """The tokens of the text, without blanks and comments."""
    at = 0
    while at < len(text):
        if skipped := _BLANK.match(text, at) or _COMMENT.match(text, at):
            at = skipped.end()
        elif word := _WORD.match(text, at):
            yield _Token("", word[0])
            at = word.end()
        elif text[at] in "\"'":
            content, at = _quoted(text, at)
            yield _Token("", content)
        elif text[at] in "0123456789.-":
            at, token = _number(text, at)
            yield token
        else:
            yield _Token(text[at], None)
            at += 1


def _number(text: str, at: int) -> tuple[int, _Token]:
    """The end of what Java takes for a number, which is never a value, and its token."""
    end = at + (text[at] == "-")
    has_point = False
    while end < len(text) and (text[end] in "0123456789" or (text[end] == "." and not has_point)):
        has_point |= text[end] == "."
        end += 1
    return max(end, at + 1), _Token("0", None)


def _quoted(text: str, at: int) -> tuple[str, int]:
    """The content of the quoted text that begins there, and where it ends."""
    quote, content, at = text[at], [], at + 1
    while at < len(text) and text[at] not in (quote, "\n", "\r"):
        if text[at] == "\\" and at + 1 < len(text):
            octal = _OCTAL.match(text, at + 1)
            content.append(chr(int(octal[0], 8)) if octal else _ESCAPES.get(text[at + 1], text[at + 1]))
            at = octal.end() if octal else at + 2
        else:
            content.append(text[at])
            at += 1
    return "".join(content), at + (at < len(text) and text[at] == quote)
