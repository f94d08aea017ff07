"""One HTML page that opens offline: verdicts first, then what could make a pass meaningless, then why.

Everything is in the page, its style and its few lines of script included; it asks for nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from kassay import __version__
from kassay.certify.runs.certificate import Certificate, ClaimResult
from kassay.model.verdict import Verdict
from kassay.report import facts

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
    body = "\n".join(_certificate(certificate) for certificate in certificates)
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8"><title>kassay report</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>\n<h1>kassay {escape(__version__)}: certificates</h1>\n"
        f"{_overview(certificates)}\n{body}\n<script>{_SCRIPT}</script></body></html>\n"
    )


def _overview(certificates: Sequence[Certificate]) -> str:
    rows = [
        (
            f'<a href="#{_anchor(c)}"><code>{escape(c.target)}</code></a>',
            f'<span class="{c.verdict}">{c.verdict}</span>',
            ", ".join(f"{sum(r.verdict is v for r in c.claims)} {v}" for v in Verdict),
            f"{c.histories:,} histories, {c.rebalances:,} rebalances",
        )
        for c in certificates
    ]
    return table(("target", "verdict", "claims", "played"), rows)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _certificate(certificate: Certificate) -> str:
    rows = [
        (
            f"<code>{escape(r.id)}</code><br><span class=dim>{escape(r.sentence)}</span>",
            f'<span class="{facts.mark(r)}">{facts.mark(r)}</span>',
            escape(facts.reason(r)),
        )
        for r in certificate.claims
    ]
    assume = f" Assuming {', '.join(certificate.assume)}." if certificate.assume else ""
    return (
        f'<section><h2 id="{_anchor(certificate)}"><code>{escape(certificate.target)}</code>: '
        f'<span class="{certificate.verdict}">{certificate.verdict}</span></h2>'
        f"<p class=dim>{escape(facts.played(certificate))}.{escape(assume)}</p>{_doubts(certificate)}"
        f"{table(('claim', 'verdict', 'why'), rows)}"
        + "".join(_counterexample(r) for r in certificate.claims if r.counterexample is not None)
        + _reached(certificate)
        + "</section>"
    )


def _anchor(certificate: Certificate) -> str:
    return "target-" + "".join(c if c.isalnum() else "-" for c in certificate.target)


def _doubts(certificate: Certificate) -> str:
    """What could make a pass meaningless, before any result."""
    doubts = []
    if facts.unreached(certificate):
        doubts.append(f"Situations never reached: {facts.unreached(certificate)}.")
    if facts.controls(certificate):
        doubts.append(f"{facts.controls(certificate)}.")
    doubts += certificate.notes
    return "".join(f"<p>{escape(text)}</p>" for text in doubts)


def _reached(certificate: Certificate) -> str:
    items = "".join(f"<li>{escape(name)} {count:,}</li>" for name, count in certificate.reached.items())
    return f"<details><summary>Situations reached</summary><ul class=seen>{items}</ul></details>"


def _counterexample(result: ClaimResult) -> str:
    example = result.counterexample
    if example is None:
        return ""
    violations = "".join(f"<li class=violated>{escape(text)}</li>" for text in example.trace.violations[:6])
    replay = ""
    if command := escape(facts.replay_command(example), quote=True):
        replay = f'<p><code>{command}</code> <button class=copy data-text="{command}">copy</button></p>'
    return (
        f"<h3>{escape(result.id)}</h3><p>{escape(result.sentence)} Smallest found: {facts.size(example)}.</p>"
        f"<ul>{violations}</ul>{story(example.trace.narration)}{replay}"
    )


def story(steps: Sequence[Mapping[str, Any]]) -> str:
    """The rounds of a trace, one at a time under a slider, members as lanes and partitions as tiles."""
    rounds = facts.rounds_of(steps)
    if not rounds:
        return ""
    slides = "".join(
        f'<div class="round{" on" if i == len(rounds) - 1 else ""}">{_round(r, i, len(rounds))}</div>'
        for i, r in enumerate(rounds)
    )
    slider = ""
    if len(rounds) > 1:
        last = len(rounds) - 1
        slider = f'<input type=range min=0 max={last} value={last} aria-label="round">'
    return f"<div class=story>{slider}{slides}</div>"


def _round(round_: facts.RoundFacts, index: int, of: int) -> str:
    owners = Counter(tp for member in round_.members for tp in member.given or ())
    rows = []
    for member in round_.members:
        given = member.given or ()
        kept = (_tile(tp, "kept" if tp in given else "gone") for tp in sorted(set(member.claims)))
        new = (_tile(tp, _look(tp, member, owners)) for tp in given)
        extras = f" <span class=dim>{escape(member.extras)}</span>" if member.extras else ""
        rows.append(
            (
                f"<code>{escape(member.member_id)}</code>{extras}",
                escape(" ".join(member.topics)) or "-",
                (" ".join(kept) or "-") + (f" @{member.generation}" if member.claims else ""),
                (" ".join(new) or "-") if member.answered else "no answer",
                str(len(given)),
            )
        )
    said = f"<p class=violated>{escape(round_.failure)}</p>" if round_.failure else ""
    topics = ", ".join(f"{name} ({count})" for name, count in round_.topics.items()) or "none"
    return (
        f"<p class=dim>round {index + 1} of {of}, generation {round_.generation}, "
        f"topics: {escape(topics)}</p>" + table((*facts.STORY_COLUMNS, "load"), rows) + said
    )


def _look(tp: tuple[str, int], member: facts.MemberFacts, owners: Counter[tuple[str, int]]) -> str:
    """How a partition that is given is drawn: kept or new, and bad where it has two owners."""
    return ("kept" if tp in member.claims else "new") + (" bad" if owners[tp] > 1 else "")


def _tile(tp: tuple[str, int], kind: str) -> str:
    return f'<span class="tile {kind}">{escape(tp[0])}-{tp[1]}</span>'
