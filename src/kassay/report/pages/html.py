"""One HTML page that opens offline: verdicts first, then what could make a pass meaningless, then why.

Everything is in the page, its style and its few lines of script included; it asks for nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kassay import __version__
from kassay.certify.runs.certificate import Certificate, ClaimResult, Counterexample
from kassay.model.verdict import Verdict
from kassay.report import facts
from kassay.writing.html import Markup, joined, page, table, tag, void

_STYLE: Final = """
:root { --ink:#1b1f24; --dim:#5d6672; --line:#d9dee4; --ok:#1a7f37; --bad:#b42318; --unk:#9a6700;
  --paper:#fff; --tile:#eef2f6; --kept:#dcefe1; --gone:#fbe0dd; --new:#dbe9fb }
@media (prefers-color-scheme: dark) { :root { --ink:#e6e9ed; --dim:#9aa4b0; --line:#333b45; --ok:#4cc26b;
  --bad:#ff8177; --unk:#e0b040; --paper:#14181d; --tile:#242b33; --kept:#1d3a27; --gone:#4a2320;
  --new:#1d3150 } }
* { box-sizing:border-box } body { margin:0 auto; max-width:70rem; padding:1.5rem; color:var(--ink);
  background:var(--paper); font:15px/1.5 system-ui,sans-serif }
h1 { font-size:1.3rem } h2 { font-size:1.15rem; margin:2.5rem 0 .3rem; border-top:1px solid var(--line);
  padding-top:1.2rem } h3 { font-size:1rem; margin:1.5rem 0 .2rem }
table { border-collapse:collapse; width:100%; margin:.6rem 0 } th { text-align:left; color:var(--dim);
  font-weight:500 } td,th { padding:.25rem .6rem .25rem 0; vertical-align:top;
  border-bottom:1px solid var(--line) }
code,pre,.tile { font-family:ui-monospace,monospace; font-size:.9em }
.holds,.certified { color:var(--ok) } .violated,.not-certified { color:var(--bad); font-weight:600 }
.unknown,.known { color:var(--unk) } .dim { color:var(--dim) }
.tile { display:inline-block; background:var(--tile); border-radius:3px; padding:0 .35em;
  margin:0 .15em .15em 0 }
.tile.kept { background:var(--kept) } .tile.gone { background:var(--gone); text-decoration:line-through }
.tile.new { background:var(--new) } .tile.bad { outline:2px solid var(--bad) }
.round { display:none } .round.on { display:block } input[type=range] { width:100%; max-width:30rem }
.copy { cursor:pointer; border:1px solid var(--line); background:none; color:inherit; border-radius:3px;
  padding:0 .5em; font:inherit; font-size:.85em }
ul.seen { columns:3; padding-left:1.1rem } @media (max-width:45rem) { ul.seen { columns:1 } }
"""
_SCRIPT: Final = """
for (const box of document.querySelectorAll('.story')) {
  const rounds = box.querySelectorAll('.round'), bar = box.querySelector('input');
  const show = () => rounds.forEach((r, i) => r.classList.toggle('on', i === Number(bar.value)));
  if (bar) { bar.addEventListener('input', show); } else { rounds.forEach(r => r.classList.add('on')); }
}
for (const button of document.querySelectorAll('.copy')) {
  button.addEventListener('click', () => {
    const text = button.dataset.text;
    const done = () => { button.textContent = 'copied'; };
    if (navigator.clipboard) { navigator.clipboard.writeText(text).then(done, () => {}); }
  });
}
"""


def render(certificates: Sequence[Certificate]) -> str:
    """The whole page."""
    return page(
        "kassay report",
        _STYLE,
        tag("h1", f"kassay {__version__}: certificates"),
        _overview(certificates),
        *(_certificate(certificate, number) for number, certificate in enumerate(certificates, start=1)),
        script=_SCRIPT,
    )


def _overview(certificates: Sequence[Certificate]) -> Markup:
    rows = [
        (
            tag("a", tag("code", c.target), href=f"#target-{number}"),
            _word(c.verdict),
            ", ".join(f"{sum(r.verdict is v for r in c.claims)} {v}" for v in Verdict),
            f"{c.histories:,} histories, {c.rebalances:,} rebalances",
        )
        for number, c in enumerate(certificates, start=1)
    ]
    return table(("target", "verdict", "claims", "played"), rows)


def _word(verdict: str) -> Markup:
    return tag("span", verdict, class_=verdict)


def _certificate(certificate: Certificate, number: int) -> Markup:
    rows = [
        (
            joined((tag("code", r.id), void("br"), tag("span", r.sentence, class_="dim"))),
            _word(mark),
            reason,
        )
        for r, mark, reason in facts.judged(certificate.claims)
    ]
    assume = f" Assuming {', '.join(certificate.assume)}." if certificate.assume else ""
    return tag(
        "section",
        tag("h2", tag("code", certificate.target), ": ", _word(certificate.verdict), id=f"target-{number}"),
        tag("p", f"{facts.played(certificate)}.{assume}", class_="dim"),
        *(tag("p", doubt) for doubt in _doubts(certificate)),
        table(("claim", "verdict", "why"), rows),
        *(_counterexample(r, r.counterexample) for r in certificate.claims if r.counterexample is not None),
        _reached(certificate),
    )


def _doubts(certificate: Certificate) -> list[str]:
    """What could make a pass meaningless, before any result."""
    doubts = []
    if facts.interrupted(certificate):
        doubts.append(f"The run was {facts.interrupted(certificate)}.")
    if facts.unreached(certificate):
        doubts.append(f"Situations never reached: {facts.unreached(certificate)}.")
    if facts.controls(certificate):
        doubts.append(f"{facts.controls(certificate)}.")
    return [*doubts, *certificate.notes]


def _reached(certificate: Certificate) -> Markup:
    items = (tag("li", f"{name} {count:,}") for name, count in certificate.reached.items())
    return tag("details", tag("summary", "Situations reached"), tag("ul", *items, class_="seen"))


def _counterexample(result: ClaimResult, example: Counterexample) -> Markup:
    replay = []
    if command := facts.replay_command(example):
        button = tag("button", "copy", class_="copy", data_text=command)
        replay.append(tag("p", tag("code", command), " ", button))
    return joined(
        (
            tag("h3", result.id),
            tag("p", f"{result.sentence} Smallest found: {facts.size(example)}."),
            tag("ul", *(tag("li", text, class_="violated") for text in example.trace.violations[:6])),
            story(example.trace.narration),
            _conditions(example),
            *replay,
        )
    )


def _conditions(example: Counterexample) -> Markup:
    items = (tag("li", condition) for condition in facts.conditions(example.trace.to_json()))
    return tag("details", tag("summary", "Conditions"), tag("ul", *items))


def story(steps: Sequence[Mapping[str, Any]]) -> Markup:
    """The rounds of a trace, one at a time under a slider, members as lanes and partitions as tiles."""
    rounds = facts.rounds_of(steps)
    if not rounds:
        return Markup()
    last = len(rounds) - 1
    slider = void("input", type="range", min=0, max=last, value=last, aria_label="round")
    slides = (
        tag("div", _round(each, number, len(rounds)), class_="round on" if number == last else "round")
        for number, each in enumerate(rounds)
    )
    return tag("div", *([slider] if last else []), *slides, class_="story")


def _round(round_: facts.RoundFacts, index: int, of: int) -> Markup:
    owners = Counter(tp for member in round_.members for tp in member.given or ())
    rows = [_row(member, owners) for member in round_.members]
    topics = ", ".join(f"{name} ({count})" for name, count in round_.topics.items()) or "none"
    head = f"round {index + 1} of {of}, generation {round_.generation}, topics: {topics}"
    if round_.withheld:
        head += f"; not to be given out: {round_.withheld}"
    failure = [tag("p", round_.failure, class_="violated")] if round_.failure else []
    return joined((tag("p", head, class_="dim"), table((*facts.STORY_COLUMNS, "load"), rows), *failure))


def _row(member: facts.MemberFacts, owners: Counter[tuple[str, int]]) -> tuple[str, ...]:
    given = member.given or ()
    kept = [_tile(tp, "kept" if tp in given else "gone") for tp in sorted(set(member.claims))]
    new = [_tile(tp, _look(tp, member, owners)) for tp in given]
    extras = [" ", tag("span", member.extras, class_="dim")] if member.extras else []
    return (
        joined((tag("code", member.member_id), *extras)),
        " ".join(member.topics) or "-",
        joined((joined(kept, " ") or "-", f" @{member.generation}" if member.claims else "")),
        joined(new, " ") or "-" if member.answered else "no answer",
        str(len(given)),
    )


def _look(tp: tuple[str, int], member: facts.MemberFacts, owners: Counter[tuple[str, int]]) -> str:
    """How a partition that is given is drawn: kept or new, and bad where it has two owners."""
    return ("kept" if tp in member.claims else "new") + (" bad" if owners[tp] > 1 else "")


def _tile(tp: tuple[str, int], kind: str) -> Markup:
    return tag("span", f"{tp[0]}-{tp[1]}", class_=f"tile {kind}")
