"""Writes `docs/sentences.md`: the claim language, out of its grammar and its vocabularies.

`python docs/writers/sentences.py > docs/sentences.md`; a test holds the page to the code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import CLIENT, SHARE
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS
from kassay.properties.sentences.functions import FUNCTIONS
from kassay.properties.sentences.grammar import DEPTH_MAX, GRAMMAR, LENGTH_MAX
from kassay.properties.sentences.vocabulary import Quantity, Type, Vocabulary
from kassay.properties.sentences.words import VOCABULARIES

_TITLES: Final = {
    CLIENT: "Words for consumer groups",
    SHARE: "Words for share groups",
    PLACER: "Words for replica placement",
    PLANNER: "Words for plans",
    STREAMS: "Words for Streams tasks",
    CONNECT: "Words for Connect",
    PARTITIONER: "Words for partitioners",
}
_NONE: Final = """## What there are no words for

* **Share groups**: `moved` and `single owner` (a partition has several members; `taken_back` says what left
  one), racks, weights and static members (the rule takes no notice), `gap`: the optimum is even, and `even`
  says whether an answer is.
* **Connect**: racks and weights, which it has not. Loads are those once all workers have obeyed. `gap`, since
  the best loads are within one of each other: `max(load) - min(load)` says as much.
* **Partitioners**: `gap`, `best_...` and `rounds`. What is best would depend on records that are yet to come,
  and nothing comes to rest. Time and batch sizes are not modelled, so nothing says how full a batch is.
* **Plans**: bytes, throttles and time, which a plan does not say; `rounds`, as a planner is asked once.
* **Placers**: `moved`, as what is there already stays where it is.
* **Streams tasks**: `gap`: processes with more threads run more, so that what is even is said of threads
  (`active(p) / threads(p)`); the certified optimum is in the claim `balanced-optimal`.
* **The coordinator**: it gives no answer that could be measured; `kassay explore` walks its states.
"""
_HEAD: Final = """# The claim language

A sentence is something that is true or false of what a target answers, and may say under which conditions
it is meant: `max(load) - min(load) <= 1 where equal_subscriptions and no_racks`. `kassay hunt` looks for
the smallest case in which it is false (`docs/hunt.md`); every list of claims takes sentences too:
`--claims`, `META`, a campaign's `claims`, `certify_assignor(claims=[...])`. `NAME = SENTENCE` gives one a
name.

* A name such as `load` that is of members stands, without one, for the numbers of all of them:
  `max(load)`.
* `all t: spread(t) <= 1` goes through all topics, `some m: load(m) == 0` asks for one; `all x in members:
  ...` names the variable. They reach as far to the right as they can.
* `max(m: load(m) - lost(m))`, `sum(...)`, `count(m: load(m) == 0)` go through all of them too.
* Numbers are exact: `1 / 3` is a third. Comparisons chain: `1 <= max(load) <= 3`.
* Where a value is not there (the largest of nothing, a quotient by 0) and where the conditions behind
  `where` do not hold, nothing is judged. A judgement counts only where one of several other well-formed
  answers would break the sentence: a sentence that nothing can break stays `unknown`, as a built-in claim
  does.
* Nothing in a sentence is run: it is read by the grammar below, every word is looked up and every type
  checked before anything is played, and errors name their column.
"""


def page() -> str:
    """The page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    yield "## Functions"
    yield ""
    yield from _table(("function", "is"), ((f"`{name}`", each.meaning) for name, each in FUNCTIONS.items()))
    for kind, title in _TITLES.items():
        yield from _words(title, VOCABULARIES[kind])
    yield from _NONE.splitlines()
    yield ""
    yield "## Grammar"
    yield ""
    yield f"For lark (LALR). A sentence has at most {LENGTH_MAX} characters and is at most {DEPTH_MAX} deep."
    yield ""
    yield "```lark"
    yield GRAMMAR.strip()
    yield "```"


def _words(title: str, words: Vocabulary) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    of = ", ".join(f"`{things.letter} in {things.name}`" for things in words.things)
    yield f"Things to go through: {of}."
    yield ""
    rows = ((f"`{_form(each, words)}`", each.meaning, _about(each)) for each in words.measures)
    yield from _table(("word", "is", "judged on"), rows)


def _form(each: Quantity, words: Vocabulary) -> str:
    letters = [words.things_by_name[of].letter for of in each.of]
    return f"{each.name}({', '.join(letters)})" if letters else each.name


def _about(each: Quantity) -> str:
    if each.type is Type.TRUTH:
        return "a condition"
    return {"rebalance": "a rebalance with all its rounds", "optimum": "an answer beside the optimum"}.get(
        str(each.scope), ""
    )


def _table(columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|" + " --- |" * len(columns)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(page())
