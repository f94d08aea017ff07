"""From a sentence's tree to its value in a scene; words and types are checked before it is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.properties.registry import Scope
from kassay.properties.sentences.grammar import SentenceError, parse
from kassay.properties.sentences.vocabulary import (
    ARITHMETIC,
    COMPARISONS,
    FUNCTIONS,
    Quantity,
    Things,
    Type,
    Vocabulary,
)
from kassay.reading.documents import suggestion

if TYPE_CHECKING:
    from lark import Token, Tree

Bound = Mapping[str, Any]
"""The thing that each variable denotes."""


class Meaning(NamedTuple):
    """The value of a part of a sentence in a scene; `things` names the group of a thing."""

    type: Type
    value: Callable[[Any, Bound], Any]
    things: str = ""


class OuterAll(NamedTuple):
    """The things of an outermost `all`, the variable, and the statement about each of them."""

    variable: str
    things: Things
    says: Callable[[Any, Bound], Any]


@dataclass
class Sentence:
    """A sentence and its column; `read` are the measures that it uses, by the text that names them."""

    text: str
    scope: Scope
    says: Callable[[Any, Bound], Any]
    where: Callable[[Any, Bound], Any] | None
    witness: OuterAll | None
    read: Mapping[str, Callable[[Any, Bound], Any]]
    words: frozenset[str]


NOTHING: Final[Bound] = {}


def sentence(text: str, vocabulary: Vocabulary, first: int = 0) -> Sentence:
    """The sentence from index `first` of the text on; raises `SentenceError`."""
    tree = parse(text, first)
    reader = _Reader(text, vocabulary)
    body, condition = tree.children
    assert not isinstance(body, str) and not isinstance(condition, str)
    says = reader.typed(body, Type.TRUTH, {})
    where = None if condition is None else reader.typed(condition, Type.TRUTH, {})
    return Sentence(
        text=text,
        scope=reader.scope or vocabulary.scope,
        says=says.value,
        where=None if where is None else where.value,
        witness=reader.witness(body),
        read=reader.read,
        words=frozenset(reader.words),
    )


@dataclass
class _Reader:
    """Reads one sentence in the words of one vocabulary."""

    text: str
    vocabulary: Vocabulary
    scope: Scope | None = None
    read: dict[str, Callable[[Any, Bound], Any]] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)

    def wrong(self, column: int, problem: str) -> SentenceError:
        return SentenceError(self.text, column, problem)

    def typed(self, node: Tree[Token], expected: Type, bound: Mapping[str, Things]) -> Meaning:
        """The meaning of the node, which must have this type."""
        meaning = self.meaning(node, bound)
        if meaning.type is not expected:
            hint = ""
            if (meaning.type, expected) == (Type.NUMBERS, Type.NUMBER):
                hint = ", such as max(...) or sum(...) of them"
            raise self.wrong(node.meta.column, f"found {meaning.type}, expected {expected}{hint}")
        return meaning

    def meaning(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        """The meaning of the node."""
        read: Callable[[Tree[Token], Mapping[str, Things]], Meaning] = getattr(self, f"_{node.data}")
        return read(node, bound)

    def witness(self, node: Tree[Token]) -> OuterAll | None:
        """The things of an outermost `all` and its statement; None where the sentence is another."""
        if node.data != "quantified" or _token(node, 0).type != "ALL":
            return None
        variable, things = self._binder(_node(node, 1), {})
        return OuterAll(variable, things, self.typed(_node(node, 2), Type.TRUTH, {variable: things}).value)

    def _number(self, node: Tree[Token], _: Mapping[str, Things]) -> Meaning:
        text = str(node.children[0])
        number = Fraction(text) if "." in text else int(text)
        return Meaning(Type.NUMBER, lambda *_: number)

    def _name(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        name = str(node.children[0])
        if name in bound:
            return Meaning(Type.THING, lambda _, things: things[name], bound[name].name)
        return self._measured(name, node.meta.column, ())

    def _call(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        name = str(node.children[0])
        if name not in FUNCTIONS:
            self._known(name, node.meta.column)
        arguments = [self.meaning(_node(node, i), bound) for i in range(1, len(node.children))]
        if name not in FUNCTIONS:
            for i, argument in enumerate(arguments, start=1):
                if argument.type is not Type.THING:
                    known = ", ".join(things.letter for things in self.vocabulary.things)
                    column = _node(node, i).meta.column
                    raise self.wrong(column, f"found {argument.type}, expected one of the variables {known}")
            return self._measured(name, node.meta.column, tuple(arguments))
        function, call = FUNCTIONS[name], FUNCTIONS[name].call
        first = arguments[0]
        if len(arguments) == 1 and function.takes == "several" and first.type is Type.NUMBERS:
            return Meaning(Type.NUMBER, lambda scene, things: call(first.value(scene, things)))
        if len(arguments) == 1 and function.takes == "several" and first.type is Type.NUMBER:
            raise self.wrong(
                _node(node, 1).meta.column, f"found a number, expected several to take {name} of"
            )
        for i, argument in enumerate(arguments, start=1):
            if argument.type is not Type.NUMBER:
                raise self.wrong(_node(node, i).meta.column, f"found {argument.type}, expected a number")
        if function.takes == "one" and len(arguments) > 1:
            raise self.wrong(_node(node, 2).meta.column, f"found a second number, expected {name}(one)")
        values = [argument.value for argument in arguments]
        return Meaning(Type.NUMBER, lambda scene, things: call([value(scene, things) for value in values]))

    def _known(self, name: str, column: int) -> Sequence[Quantity]:
        """The measures of a name."""
        known = self.vocabulary.by_name.get(name)
        if known is None:
            names = [*self.vocabulary.by_name, *FUNCTIONS]
            near = suggestion(name, names) or f", expected one of {', '.join(sorted(names))}"
            raise self.wrong(column, f"no measure {name!r}{near}")
        return known

    def _measured(self, name: str, column: int, arguments: tuple[Meaning, ...]) -> Meaning:
        """The value of a measure of these things."""
        of = tuple(argument.things for argument in arguments)
        known = self._known(name, column)
        measure = next((each for each in known if each.of == of), None)
        if measure is None and not of and len(known[0].of) == 1:
            return self._each_of(known[0], column)
        if measure is None:
            forms = " or ".join(dict.fromkeys(map(self._form, known)))
            raise self.wrong(column, f"{name} is of other things, expected {forms}")
        self._use(measure, column)
        read = measure.read
        if not arguments:
            if measure.type is Type.NUMBER:
                self.read[name] = lambda scene, _: read(scene)
            return Meaning(measure.type, lambda scene, _: read(scene))
        values = [argument.value for argument in arguments]
        return Meaning(
            measure.type, lambda scene, things: read(scene, *[value(scene, things) for value in values])
        )

    def _each_of(self, measure: Quantity, column: int) -> Meaning:
        """The measure of each of its things."""
        self._use(measure, column)
        each, read = self.vocabulary.things_by_name[measure.of[0]].each, measure.read
        self.read[measure.name] = lambda scene, _: {thing: read(scene, thing) for thing in each(scene)}
        return Meaning(Type.NUMBERS, lambda scene, _: [read(scene, thing) for thing in each(scene)])

    def _form(self, measure: Quantity) -> str:
        letters = [self.vocabulary.things_by_name[of].letter for of in measure.of]
        return f"{measure.name}({', '.join(letters)})" if letters else measure.name

    def _use(self, measure: Quantity, column: int) -> None:
        """Record the scope that the sentence needs."""
        self.words.append(measure.name)
        if measure.scope is None:
            return
        if self.scope not in (None, measure.scope):
            raise self.wrong(column, f"{measure.name} cannot be combined with measures of the {self.scope}")
        self.scope = measure.scope

    def _binder(self, node: Tree[Token], bound: Mapping[str, Things]) -> tuple[str, Things]:
        variable, name = str(node.children[0]), node.children[1]
        vocabulary = self.vocabulary
        if variable in bound:
            raise self.wrong(node.meta.column, f"{variable} stands for something already")
        if variable in vocabulary.by_name or variable in FUNCTIONS:
            raise self.wrong(node.meta.column, f"{variable} is a measure, expected a name for one thing")
        forms = ", ".join(f"{each.letter} in {each.name}" for each in vocabulary.things)
        if name is None:
            if variable not in vocabulary.things_by_letter:
                raise self.wrong(node.meta.column, f"{variable} stands for nothing, expected {forms}")
            return variable, vocabulary.things_by_letter[variable]
        if str(name) not in vocabulary.things_by_name:
            raise self.wrong(_token(node, 1).column or 1, f"no things {str(name)!r}, expected {forms}")
        return variable, vocabulary.things_by_name[str(name)]

    def _inside(self, node: Tree[Token], i: int, bound: Mapping[str, Things]) -> tuple[str, Things, Meaning]:
        """Binder and body, the children `i` and `i + 1`."""
        variable, things = self._binder(_node(node, i), bound)
        return variable, things, self.meaning(_node(node, i + 1), {**bound, variable: things})

    def _quantified(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        variable, things, body = self._inside(node, 1, bound)
        if body.type is not Type.TRUTH:
            raise self.wrong(_node(node, 2).meta.column, f"found {body.type}, expected {Type.TRUTH}")
        each, says = things.each, body.value
        every = all if _token(node, 0).type == "ALL" else any
        return Meaning(
            Type.TRUTH,
            lambda scene, outer: every(says(scene, {**outer, variable: thing}) for thing in each(scene)),
        )

    def _each(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        name = str(node.children[0])
        if name not in FUNCTIONS or FUNCTIONS[name].takes != "several":
            able = ", ".join(name for name, each in FUNCTIONS.items() if each.takes == "several")
            raise self.wrong(node.meta.column, f"{name} takes no things, expected one of {able}")
        variable, things, body = self._inside(node, 1, bound)
        wanted = Type.TRUTH if name == "count" else Type.NUMBER
        if body.type is not wanted:
            raise self.wrong(_node(node, 2).meta.column, f"found {body.type}, expected {wanted}")
        each, value, call = things.each, body.value, FUNCTIONS[name].call

        def values(scene: Any, outer: Bound) -> list[Any]:
            every = (value(scene, {**outer, variable: thing}) for thing in each(scene))
            return [each for each in every if each] if wanted is Type.TRUTH else list(every)

        return Meaning(Type.NUMBER, lambda scene, outer: call(values(scene, outer)))

    def _both(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        left, right = self._sides(node, Type.TRUTH, bound)
        return Meaning(Type.TRUTH, lambda scene, things: left(scene, things) and right(scene, things))

    def _either(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        left, right = self._sides(node, Type.TRUTH, bound)
        return Meaning(Type.TRUTH, lambda scene, things: left(scene, things) or right(scene, things))

    def _negated(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        inner = self.typed(_node(node, 0), Type.TRUTH, bound).value
        return Meaning(Type.TRUTH, lambda scene, things: not inner(scene, things))

    def _negative(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        inner = self.typed(_node(node, 1), Type.NUMBER, bound).value
        return Meaning(Type.NUMBER, lambda scene, things: -inner(scene, things))

    def _arithmetic(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        left = self.typed(_node(node, 0), Type.NUMBER, bound).value
        right = self.typed(_node(node, 2), Type.NUMBER, bound).value
        combine = ARITHMETIC[str(node.children[1])]
        return Meaning(Type.NUMBER, lambda scene, things: combine(left(scene, things), right(scene, things)))

    def _compared(self, node: Tree[Token], bound: Mapping[str, Things]) -> Meaning:
        """A chain, as in 1 <= x <= 3: every comparison in it."""
        values = [
            self.typed(_node(node, i), Type.NUMBER, bound).value for i in range(0, len(node.children), 2)
        ]
        compare = [COMPARISONS[str(node.children[i])] for i in range(1, len(node.children), 2)]

        def holds(scene: Any, things: Bound) -> bool:
            numbers = [value(scene, things) for value in values]
            return all(c(left, right) for c, left, right in zip(compare, numbers, numbers[1:]))

        return Meaning(Type.TRUTH, holds)

    def _sides(
        self, node: Tree[Token], expected: Type, bound: Mapping[str, Things]
    ) -> Sequence[Callable[[Any, Bound], Any]]:
        return [self.typed(_node(node, i), expected, bound).value for i in range(2)]


def _node(node: Tree[Token], i: int) -> Tree[Token]:
    child = node.children[i]
    assert not isinstance(child, str)
    return child


def _token(node: Tree[Token], i: int) -> Token:
    child = node.children[i]
    assert isinstance(child, str)
    return child
