"""The grammar of sentences, and the parser from a text to its tree; errors carry their column.

The grammar is a document of lark (LALR, without code for each rule), so that the manual prints exactly what
is parsed. Lark is pure Python without dependencies of its own; a handwritten parser would be another source
of faults, and could not be printed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from kassay.model.errors import InputError

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

GRAMMAR: Final = r"""
sentence: truth ["where" truth]

?truth: both | truth "or" both           -> either
?both: denied | both "and" denied
?denied: compared | "not" denied         -> negated
       | (ALL | SOME) binder truth       -> quantified
?compared: sum | sum (COMPARE sum)+
?sum: product | sum (ADD | SUB) product  -> arithmetic
?product: signed | product (MUL | DIV) signed -> arithmetic
?signed: atom | SUB signed               -> negative
?atom: NUMBER                            -> number
     | NAME                              -> name
     | NAME "(" truth ("," truth)* ")"   -> call
     | NAME "(" binder truth ")"         -> each
     | "(" truth ")"
binder: NAME ["in" NAME] ":"

ALL: "all"
SOME: "some"
COMPARE: "<=" | ">=" | "==" | "!=" | "<" | ">"
ADD: "+"
SUB: "-"
MUL: "*"
DIV: "/"
NUMBER: /[0-9]{1,9}(\.[0-9]{1,9})?/
NAME: /[A-Za-z_][A-Za-z0-9_]*/
%import common.WS
%ignore WS
"""

LENGTH_MAX: Final = 400
"""The most characters of a sentence: more than anyone reads, less than Python's recursion bears."""
DEPTH_MAX: Final = 40

_WORDS: Final = {
    "COMMA": "`,`",
    "RPAR": "`)`",
    "LPAR": "`(`",
    "COLON": "`:`",
    "COMPARE": "a comparison such as `<=`",
    "ADD": "an operator",
    "WHERE": "`where`",
    "IN": "`in`",
    "AND": "`and`",
    "$END": "the end",
}


class SentenceError(InputError):
    """An error in a sentence, with the column of its first character."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        shown = text if len(text) <= LENGTH_MAX else text[:LENGTH_MAX] + "..."
        super().__init__(f"claim {shown!r}: column {column}: {problem}")
        self.column = column


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(GRAMMAR, start="sentence", parser="lalr", lexer="basic", propagate_positions=True)


def parse(text: str, first: int = 0) -> Tree[Token]:
    """The tree of the text from index `first` on; raises `SentenceError`."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    if len(text) > LENGTH_MAX:
        raise SentenceError(text, LENGTH_MAX + 1, f"expected at most {LENGTH_MAX} characters")
    # The text before it is replaced by blanks of the same length: columns refer to the whole text.
    try:
        tree = _parser().parse(" " * first + " ".join(text[first:].splitlines()))
    except UnexpectedToken as error:
        if error.token.type == "$END":
            raise SentenceError(text, len(text) + 1, f"found the end, {_expected(error.accepts)}") from None
        problem = f"found {str(error.token)!r}, {_expected(error.accepts)}"
        raise SentenceError(text, error.column, problem) from None
    except UnexpectedCharacters as error:
        raise SentenceError(text, error.column, _meaningless(text[error.column - 1 :])) from None
    except UnexpectedInput as error:  # pragma: no cover
        raise SentenceError(text, 1, str(error)) from None
    _refuse_deep(text, tree)
    return tree


_MEANT: Final = {"=<": "<=", "=>": ">=", "=": "==", "\u2264": "<=", "\u2265": ">=", "\u2260": "!="}
"""Other notations and their forms in this language."""


def _meaningless(rest: str) -> str:
    """The unknown text at the start, and the intended form if that is obvious."""
    meant = next((sign for sign in _MEANT if rest.startswith(sign)), None)
    if meant is None:
        return f"found {rest[0]!r}, which has no meaning here"
    return f"found {meant!r}, expected {_MEANT[meant]} to compare"


def _expected(accepted: set[str]) -> str:
    """The accepted tokens, in words."""
    if "NUMBER" in accepted:
        return "expected a number, a name or `(`"
    if accepted == {"NAME"}:
        return "expected a name"
    words = [words for terminal, words in _WORDS.items() if terminal in accepted]
    *others, last = words or ["something else"]
    return f"expected {', '.join(others)} or {last}" if others else f"expected {last}"


def _refuse_deep(text: str, tree: Tree[Token]) -> None:
    """Raise for a tree that is deeper than recursion might bear."""
    from lark import Tree

    level = [tree]
    for _ in range(DEPTH_MAX):
        level = [child for node in level for child in node.children if isinstance(child, Tree)]
        if not level:
            return
    raise SentenceError(text, level[0].meta.column, f"more than {DEPTH_MAX} deep, expected something flatter")
