"""Wide cases of a kind: one of every class, and targets that misbehave only where they see a class."""

from collections import Counter
from functools import cache
from itertools import combinations, product
from unicodedata import category, normalize

from kassay.engines.runs.blocks import Job
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.kinds.judging import Subject
from kassay.kinds.wide import WidePlan, widened
from kassay.properties.sources import Seeded
from kassay.properties.wide.names import java_hash

ATTEMPTS = 5
"""How often a case is generated until it shows its class, as in a run."""
PLAIN_CASES = 40
SEEDS = (1, 2, 3, 4)
"""Of the cases that show what all cases of a class have in common."""


@cache
def job_of(spec):
    """A run of the reference."""
    return Job(resolve(spec), RunOptions())


def plain_case(job, seed):
    """Case by the seed, by one of the recipes or by none."""
    aims = ("", *sorted(set(job.driver.aims.values())))
    return job.driver.generate(Seeded(seed), job.profile, aims[seed % len(aims)])


def wide_case(job, plan, seed):
    """A case by the plan, and the classes that it shows."""
    driver = job.driver
    profile = driver.wide_profile(job.profile, plan.dimensions)
    for attempt in range(ATTEMPTS):
        source = Seeded(seed * ATTEMPTS + attempt)
        case = (
            driver.sized(source, profile, plan.sizes) if plan.sizes else driver.generate(source, profile, "")
        )
        case, shown = widened(driver, plan, case, source)
        if len(shown) == len(plan.names) + len(plan.sizes) + len(plan.numbers):
            break
    return case, shown


def range_plans(job):
    """A plan for each class of each range, by range and class."""
    return {
        (each.id, known): WidePlan(numbers=((each, known),))
        for each in job.widths.numbers
        for known in each.classes
    }


def name_plans(job):
    """A plan for each class of names of each space."""
    return {
        (space.id, known.id): WidePlan(names={space.id: known})
        for space, known in ((s, known) for s in job.widths.spaces for known in s.classes)
    }


def size_plans(job, most):
    """A plan for each wide size of up to so many, alone."""
    return {
        (size.id, number): WidePlan(sizes={size.id: number})
        for size in job.widths.sizes
        for number in (*size.small, *size.large)
        if number <= most
    }


def together(job, turn):
    """A plan with all sizes in the middle at once."""
    return WidePlan(
        sizes={
            size.id: size.small[(turn + place) % len(size.small)]
            for place, size in enumerate(job.widths.sizes)
        }
    )


def examined(job, case, new):
    """The case, played with objects that `new` makes."""
    return job.driver.examine(case, Subject(lambda _: new(), job.target.protocol, job.claims))


class Recorder:
    """A reference that keeps every request."""

    def __init__(self, inner, requests):
        self.name, self.inner, self.requests = "recorder", inner, requests

    def assign(self, request):
        """The reference's answer."""
        self.requests.append(request)
        return self.inner.assign(request)


class Tripwire(Recorder):
    """A reference that misbehaves once it has seen a fact: what it then answers, `spoiled` makes."""

    def __init__(self, inner, requests, facts, fact, spoiled):
        super().__init__(inner, requests)
        self.facts, self.fact, self.spoiled = facts, fact, spoiled

    def assign(self, request):
        """The reference's answer, spoiled where the fact holds."""
        answer = super().assign(request)
        return self.spoiled(answer) if self.fact in self.facts(self.requests) else answer


def seen_in(job, case, factory, facts):
    """The facts that a target sees in the case."""
    requests = []
    examined(job, case, lambda: Recorder(factory(), requests))
    return frozenset(facts(requests))


def rarest_fact(job, plan, factory, facts, common):
    """The fact that all of some cases of the class show and plain cases show least, and the share that does."""
    shown = [seen_in(job, wide_case(job, plan, seed)[0], factory, facts) for seed in SEEDS]
    every = frozenset.intersection(*shown)
    number, _, fact = min((common[fact], repr(fact), fact) for fact in every)
    return number / PLAIN_CASES, fact


def plain_facts(job, factory, facts):
    """How many plain cases show each fact."""
    counts = Counter()
    for seed in range(PLAIN_CASES):
        counts.update(seen_in(job, plain_case(job, seed), factory, facts))
    return counts


def leaves(value, path=()):
    """The facts of a document: the value of every field, and the number of items of every list and table."""
    if isinstance(value, dict | list | tuple):
        yield path, "number", len(value)
        items = value.items() if isinstance(value, dict) else (("*", each) for each in value)
        for name, each in items:
            yield from leaves(each, (*path, name if isinstance(value, dict) else "*"))
    else:
        yield path, value


def compared(numbers):
    """The order of each pair of the named numbers, and whether they are one apart."""
    for (one, first), (other, second) in product(numbers.items(), repeat=2):
        if one < other:
            yield one, other, (first > second) - (first < second), min(3, abs(first - second))


def relations(names, space):
    """What names of one space have in common, and what they are made of."""
    texts = sorted(map(str, names))
    for text in texts:
        kinds = {category(character) for character in text}
        yield space, "characters", frozenset(kinds)
        yield from ((space, "has", sign) for sign in set(text) if not sign.isalnum())
        yield space, "length", len(text).bit_length(), len(text) > 200
        yield space, "ends", text[:1].isalnum(), text[-1:].isalnum()
        yield space, "case", text == text.upper(), text == text.lower()
        yield space, "sign", text[:1] in "89abcdef", text[19:20] in "89abcdef"
        yield from ((space, "text", part) for part in (text[:4], text[-4:], text))
    for one, other in combinations(texts[:20], 2):
        yield space, "equal but for case", one.lower() == other.lower()
        yield space, "one begins the other", other.startswith(one)
        yield space, "one is the other and a number", other.startswith(one) and other[len(one) :].isdigit()
        yield space, "one ends the other", other.endswith(one) or one.endswith(other)
        yield space, "same head", next((n for n in (18, 16, 8, 4, 2) if one[:n] == other[:n]), 0)
        yield space, "same tail", next((n for n in (17, 12, 8, 4, 2) if one[-n:] == other[-n:]), 0)
        yield space, "same letters", sorted(one) == sorted(other)
        yield space, "same length", len(one) == len(other)
        yield space, "same hash", java_hash(one) == java_hash(other)
        yield space, "normalised", normalize("NFC", one) == normalize("NFC", other)
        halves = [
            int(each.replace("-", ""), 16) if len(each) == 36 and _is_hex(each) else 0
            for each in (one, other)
        ]
        yield space, "same Java hash", halves[0] > 0 and _folded(halves[0]) == _folded(halves[1])


def _is_hex(name):
    return all(character in "0123456789abcdef-" for character in name)


def _folded(number):
    halves = (number >> 64) ^ (number & (2**64 - 1))
    return (halves >> 32) ^ (halves & (2**32 - 1))
