"""Writes `docs/sentences.md`: the claim language, from its grammar and its vocabularies.

`python docs/writers/sentences.py > docs/sentences.md`; a test compares the page with the code.
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
from kassay.properties.sentences.grammar import DEPTH_MAX, GRAMMAR, LENGTH_MAX
from kassay.properties.sentences.vocabulary import FUNCTIONS, Quantity, Type, Vocabulary
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
_NONE: Final = """## What the language cannot express

* **Share groups**: `moved` and `single owner` (a partition has several members; `taken_back` is what left
  one); racks, weights and static members (the rule ignores them); `gap` (the optimum is even, and `even`
  says whether an answer is).
* **Connect**: racks and weights, which it does not have. Loads are those once all workers have obeyed. `gap`:
  the best loads are within one of each other, so `max(load) - min(load)` says the same.
* **Partitioners**: `gap`, `best_...` and `rounds`. The best answer would depend on future records, and there
  is no stable state. Time and batch sizes are not modelled, so there is no word for how full a batch is.
* **Plans**: bytes, throttles and time, which a plan does not contain; `rounds`, because a planner is called
  once.
* **Placers**: `moved`, because existing replicas stay where they are.
* **Streams tasks**: `gap`: processes with more threads run more, so compare threads
  (`active(p) / threads(p)`); the claim `balanced-optimal` has the certified optimum.
* **The coordinator**: it has no answer to measure; `kassay explore` explores its states.
"""
_HEAD: Final = """# The claim language

A sentence is true or false for a target's answer, and may state its conditions: `max(load) - min(load) <= 1
where equal_subscriptions and no_racks`. `kassay hunt` searches for the smallest case in which it is false
(`docs/hunt.md`). Every list of claims accepts sentences too: `--claims`, `META`, a campaign's `claims`,
`certify_assignor(claims=[...])`. `NAME = SENTENCE` gives a sentence a name.

* A word about members, such as `load`, stands for the numbers of all members if you name none:
  `max(load)`.
* `all t: spread(t) <= 1` ranges over all topics, `some m: load(m) == 0` requires one member; `all x in
  members: ...` names the variable. Both extend as far to the right as possible.
* `max(m: load(m) - lost(m))`, `sum(...)` and `count(m: load(m) == 0)` range over all of them too.
* Numbers are exact: `1 / 3` is a third. Comparisons chain: `1 <= max(load) <= 3`.
* If a value does not exist (the largest of nothing, a quotient by 0), or the conditions after `where` do not
  hold, the sentence is not checked. A check counts only if some other well-formed answer would break the
  sentence: like a built-in claim, a sentence that nothing can break stays `unknown`.
* Nothing in a sentence is executed. kassay parses it by the grammar below, looks up every word and checks
  every type before it plays anything, and reports an error with its column.
"""


def page() -> str:
    """The page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    yield "## Functions"
    yield ""
    yield from _table(
        ("function", "meaning"), ((f"`{name}`", each.meaning) for name, each in FUNCTIONS.items())
    )
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
    yield f"Ranges: {of}."
    yield ""
    rows = ((f"`{_form(each, words)}`", each.meaning, _about(each)) for each in words.measures)
    yield from _table(("word", "meaning", "checked on"), rows)


def _form(each: Quantity, words: Vocabulary) -> str:
    letters = [words.things_by_name[of].letter for of in each.of]
    return f"{each.name}({', '.join(letters)})" if letters else each.name


def _about(each: Quantity) -> str:
    if each.type is Type.TRUTH:
        return "a condition"
    return {"rebalance": "a rebalance with all its rounds", "optimum": "an answer and the optimum"}.get(
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
