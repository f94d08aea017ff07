"""Share assignors in the form of a user's own: two sound ones, and others with one fault each.

They know nothing of kassay: dicts and lists in and out. `FAULTY` has each with the claim that must catch it.
"""

EVEN = ("shared-evenly", "balanced-within-one", "stable", "order-independent")
META = {"kind": "share-assignor", "claims": [*EVEN, "fewest-taken-back"]}
OF_EVEN = {"kind": "share-assignor", "claims": list(EVEN)}


class Keeping:
    """Shares everything evenly, and keeps as many copies as that lets it."""

    def assign(self, partitions_per_topic, members, assignable):
        given = {member["id"]: [] for member in members}
        owned = {member["id"]: set(member["owned"]) for member in members}
        for tps, readers in self.parts(partitions_per_topic, members, assignable):
            held = {reader: [tp for tp in tps if tp in owned[reader]] for reader in readers}
            for reader, own in self.share(tps, readers, held).items():
                given[reader] += own
        return given

    def parts(self, partitions_per_topic, members, assignable):
        """What is shared by itself, with its readers: all topics where all read the same, else each."""
        targets, readers = {}, {}
        for member in members:
            for topic in set(member["topics"]):
                readers.setdefault(topic, []).append(member["id"])
        for topic in sorted(readers):
            tps = [(topic, p) for p in range(partitions_per_topic.get(topic, 0))]
            targets[topic] = [tp for tp in tps if assignable is None or tp in assignable]
        if len({frozenset(member["topics"]) for member in members}) == 1:
            parts = [([tp for tps in targets.values() for tp in tps], [member["id"] for member in members])]
        else:
            parts = [(targets[topic], readers[topic]) for topic in targets]
        return [(tps, sorted(ids)) for tps, ids in parts if tps]

    def share(self, tps, readers, held):
        """Who gets what of a part."""
        copies = -(-len(readers) // len(tps))
        least, longer = divmod(copies * len(tps), len(readers))
        sharing = {tp: [] for tp in tps}
        counts = dict.fromkeys(readers, 0)
        for reader in readers:
            while counts[reader] < least and self.keep(reader, held, sharing, copies, set()):
                counts[reader] += 1
        for reader in readers:
            if longer and counts[reader] == least and self.keep(reader, held, sharing, copies, set()):
                counts[reader] += 1
                longer -= 1
        wanted = {reader: max(least, counts[reader]) for reader in readers}
        for reader in readers:
            if longer and wanted[reader] == least:
                wanted[reader] += 1
                longer -= 1
        return self.complete(tps, readers, copies, wanted, sharing)

    def keep(self, reader, held, sharing, copies, tried):
        """Whether the reader can keep one partition more, if need be in place of others that keep another."""
        for tp in held[reader]:
            if tp in tried or reader in sharing[tp]:
                continue
            tried.add(tp)
            if len(sharing[tp]) < copies:
                sharing[tp].append(reader)
                return True
            for other in list(sharing[tp]):
                if self.keep(other, held, sharing, copies, tried):
                    sharing[tp].remove(other)
                    sharing[tp].append(reader)
                    return True
        return False

    def complete(self, tps, readers, copies, wanted, sharing):
        """The kept copies and all others."""
        given = {reader: [tp for tp in tps if reader in sharing[tp]] for reader in readers}
        lacking = [tp for tp in tps for _ in range(copies - len(sharing[tp]))]
        takers = [reader for reader in readers for _ in range(wanted[reader] - len(given[reader]))]
        for reader, tp in zip(takers, lacking, strict=True):
            given[reader].append(tp)
        return self.once_each(given)

    def once_each(self, given):
        """What was given twice to somebody goes to one with a single partition that lacks it."""
        for own in given.values():
            if len(set(own)) < len(own):
                other = next(each for each in given.values() if len(each) == 1 and each[0] != own[-1])
                other.append(own.pop())
        return given


class Afresh(Keeping):
    """Deals everything out in turn, whoever had it; it says nothing of what is taken back."""

    META = OF_EVEN

    def share(self, tps, readers, held):
        copies = -(-len(readers) // len(tps))
        given = {reader: [] for reader in readers}
        for turn in range(copies * len(tps)):
            given[readers[turn % len(readers)]].append(tps[turn % len(tps)])
        return given


class DealsAfresh(Afresh):
    """It says that it keeps what it can."""

    META = META


class KeepsAsTheyCome(Keeping):
    """Nobody makes room for another."""

    def keep(self, reader, held, sharing, copies, tried):
        for tp in held[reader]:
            if reader not in sharing[tp] and len(sharing[tp]) < copies:
                sharing[tp].append(reader)
                return True
        return False


class FirstServed(Keeping):
    """The first member gets one partition more, from the last."""

    def once_each(self, given):
        given = super().once_each(given)
        first, *_, last = *given, *given
        moved = [tp for tp in given[last] if tp not in given[first]]
        if moved and len(given[first]) >= len(given[last]):
            given[last].remove(moved[0])
            given[first].append(moved[0])
        return given


class Lopsided(Afresh):
    """One copy of the first partition is one of the last instead."""

    def share(self, tps, readers, held):
        given = super().share(tps, readers, held)
        for own in given.values():
            if len(tps) > 1 and len(readers) > len(tps) and tps[0] in own and tps[-1] not in own:
                own[own.index(tps[0])] = tps[-1]
                break
        return given


class SkipsLast(Keeping):
    """The last of three partitions or more is forgotten."""

    def parts(self, *asked):
        return [(tps[:-1] if len(tps) > 2 else tps, readers) for tps, readers in super().parts(*asked)]


class ForgetsWithheld(Keeping):
    """What may not be given out yet counts like the rest."""

    def parts(self, partitions_per_topic, members, assignable):
        return super().parts(partitions_per_topic, members, None)


class KeepsUnread(Keeping):
    """What nobody reads any more stays where it is."""

    def assign(self, partitions_per_topic, members, assignable):
        given = super().assign(partitions_per_topic, members, assignable)
        read = {topic for member in members for topic in member["topics"]}
        for member in members:
            given[member["id"]] += [tp for tp in member["owned"] if tp[0] not in read]
        return given


class TwiceToOne(Keeping):
    """Nobody looks whether a member got a partition twice."""

    def once_each(self, given):
        return given


class Restless(Afresh):
    """Begins its circle one further on each time."""

    def share(self, tps, readers, held):
        had = held[readers[0]]
        start = readers.index(readers[0]) + (tps.index(had[0]) + 1 if had else 0)
        turned = tps[start % len(tps) :] + tps[: start % len(tps)]
        return super().share(turned, readers, held)


class ByListing(Afresh):
    """Goes round the members as they are listed."""

    def assign(self, partitions_per_topic, members, assignable):
        self.listed = [member["id"] for member in members]
        return super().assign(partitions_per_topic, members, assignable)

    def share(self, tps, readers, held):
        return super().share(tps, sorted(readers, key=self.listed.index), held)


class Chokes(Keeping):
    """Divides by the number of partitions where there are none."""

    def parts(self, partitions_per_topic, members, assignable):
        for topic in {topic for member in members for topic in member["topics"]}:
            len(members) / partitions_per_topic.get(topic, 0)
        return super().parts(partitions_per_topic, members, assignable)


class Ghost(Keeping):
    """A topic that is not there has a partition."""

    def parts(self, partitions_per_topic, members, assignable):
        topics = {topic for member in members for topic in member["topics"]}
        return super().parts({**dict.fromkeys(topics, 1), **partitions_per_topic}, members, assignable)


SOUND = (Keeping, Afresh)
FAULTY = {
    DealsAfresh: "fewest-taken-back",
    KeepsAsTheyCome: "fewest-taken-back",
    FirstServed: "balanced-within-one",
    ForgetsWithheld: "balanced-within-one",
    Lopsided: "shared-evenly",
    SkipsLast: "complete",
    KeepsUnread: "subscribed",
    TwiceToOne: "single-owner",
    Restless: "stable",
    ByListing: "order-independent",
    Chokes: "total",
    Ghost: "exists",
}
