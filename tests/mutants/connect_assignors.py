"""Assignors of Kafka Connect in the form of a user's own: two sound ones, and others with one fault each.

They know nothing of kassay: documents in, documents out. `FAULTY` has each with the claim that must catch it.
"""

KINDS = ("connectors", "tasks")
META = {
    "kind": "connect-assignor",
    "claims": [
        "deleted-stops",
        "balanced-within-one",
        "sticky-minimal",
        "revoke-before-assign",
        "delayed-for-loss",
        "lost-returns",
        "backs-off",
        "converges",
        "stable",
        "order-independent",
    ],
}
NOTHING = {"placed": {}, "reported": {}, "lost": {}, "took": False, "until": 0, "generation": -1}


class Careful:
    """Waits for work whose worker left, takes back no more than balance needs, and never twice in a row.

    A piece of work is a text here, its kind before its name; a load is a list of them by worker.
    """

    def assign(self, cluster):
        memory = cluster["memory"] or NOTHING
        configured, running = self.configured(cluster), self.running(cluster, memory)
        holders = {}
        for worker in sorted(running):
            for each in running[worker]:
                holders.setdefault(each, []).append(worker)
        load = {w: self.kept(w, own, configured, holders) for w, own in sorted(running.items())}
        lost = self.lost(cluster, memory, set(running), configured - holders.keys())
        waiting = {each: since for each, since in lost.items() if not self.is_over(cluster, since)}
        surplus, delay = self.surplus(cluster, configured, load), 0
        if waiting:
            delay = self.delay(min(waiting.values()) + cluster["max_delay_ms"] - cluster["now_ms"])
            surplus = self.surplus_while_waiting(surplus)
        elif surplus and self.must_wait(cluster, memory):
            surplus, delay = set(), max(1, memory["until"] - cluster["now_ms"])
        load = {worker: [each for each in own if each not in surplus] for worker, own in load.items()}
        self.deal(sorted(self.free(configured, memory, holders) - waiting.keys()), load)
        return {
            "workers": {w: self.change(load[w], running[w]) for w in self.entries(memory, load)},
            "delay_ms": delay,
            "memory": {
                "placed": {each: worker for worker, own in load.items() for each in own},
                "reported": {each: min(workers) for each, workers in holders.items()},
                "lost": waiting,
                "took": bool(surplus),
                "until": cluster["now_ms"] + delay if delay else 0,
                "generation": cluster["generation"],
            },
        }

    def configured(self, cluster):
        names = {f"connectors {each['name']}" for each in cluster["connectors"]}
        tasks = {f"tasks {each['name']}-{n}" for each in cluster["connectors"] for n in range(each["tasks"])}
        return names | tasks

    def running(self, cluster, memory):
        return {
            worker["id"]: [
                f"{kind} {each}" for kind in KINDS for each in dict.fromkeys(worker["running"][kind])
            ]
            for worker in cluster["workers"]
        }

    def kept(self, worker, own, configured, holders):
        return [each for each in own if each in configured and holders[each][0] == worker]

    def lost(self, cluster, memory, workers, missing):
        arrived = memory["generation"] == cluster["last_completed_generation"]
        placed = memory["placed"] if arrived else memory["reported"]
        gone = {each: cluster["now_ms"] for each, worker in placed.items() if worker not in workers}
        return {each: since for each, since in (gone | memory["lost"]).items() if each in missing}

    def is_over(self, cluster, since):
        return cluster["now_ms"] - since >= cluster["max_delay_ms"]

    def delay(self, milliseconds):
        return milliseconds

    def must_wait(self, cluster, memory):
        return cluster["max_delay_ms"] > 0 and (memory["took"] or cluster["now_ms"] < memory["until"])

    def surplus_while_waiting(self, surplus):
        return set()

    def surplus(self, cluster, configured, load):
        surplus = set()
        for kind in KINDS:
            share, extras = divmod(len(of(kind, configured)), len(load))
            for own in load.values():
                mine = of(kind, own)
                if len(mine) > share:
                    surplus.update(mine[share + (extras > 0) :])
                    extras -= extras > 0
        return surplus

    def free(self, configured, memory, holders):
        return configured - holders.keys()

    def deal(self, free, load):
        for each in free:
            kind = each.split(" ")[0]
            load[min(load, key=lambda worker: (len(of(kind, load[worker])), worker))].append(each)

    def entries(self, memory, load):
        return load

    def change(self, load, running):
        return {
            "assigned": by_kind(each for each in load if each not in running),
            "revoked": by_kind(each for each in running if each not in load),
        }


def of(kind, work):
    """The pieces of that kind, in the order in which they come."""
    return [each for each in work if each.startswith(kind)]


def by_kind(work):
    """The names of the pieces, as an answer has them."""
    listed = list(work)
    return {kind: [each.split(" ", 1)[1] for each in of(kind, listed)] for kind in KINDS}


class FromTheTop(Careful):
    """Sound too: fills a list of places from the highest id down, and takes back what was listed first."""

    def surplus(self, cluster, configured, load):
        surplus = set()
        for kind in KINDS:
            loads = sorted((of(kind, own) for own in load.values()), key=len, reverse=True)
            share, extras = divmod(len(of(kind, configured)), len(load))
            for place, mine in enumerate(loads):
                surplus.update(mine[: max(0, len(mine) - share - (place < extras))])
        return surplus

    def deal(self, free, load):
        for kind in KINDS:
            sizes = {worker: len(of(kind, own)) for worker, own in load.items()}
            room = of(kind, free)
            places = sorted(
                (
                    (level, worker)
                    for worker, size in sizes.items()
                    for level in range(size, size + len(room))
                ),
                key=lambda place: (-place[0], place[1]),
            )
            for each in room:
                load[places.pop()[1]].append(each)


class StartsWhatWasDeleted(Careful):
    """What ran before and runs nowhere is started again, configured or not."""

    def free(self, configured, memory, holders):
        return (configured | memory["placed"].keys()) - holders.keys()


class KeepsShrunkTasks(Careful):
    """A task is configured as long as its connector is, whatever the number of tasks has become."""

    def kept(self, worker, own, configured, holders):
        names = {each.split(" ", 1)[1] for each in of("connectors", configured)}
        here = [each for each in own if each.split(" ", 1)[1].rsplit("-", 1)[0] in names]
        return [each for each in own if (each in configured or each in here) and holders[each][0] == worker]


class CountsAllAlike(Careful):
    """Connectors and tasks are dealt out by the number of both."""

    def surplus(self, cluster, configured, load):
        share, extras = divmod(len(configured), len(load))
        surplus = set()
        for own in load.values():
            if len(own) > share:
                surplus.update(own[share + (extras > 0) :])
                extras -= extras > 0
        return surplus

    def deal(self, free, load):
        for each in free:
            load[min(load, key=lambda worker: (len(load[worker]), worker))].append(each)


class BelievesItsMemory(Careful):
    """Work that was given to a worker that is still there counts as running, whatever the worker says."""

    def free(self, configured, memory, holders):
        self.there = memory["placed"]
        return configured - holders.keys() - memory["placed"].keys()


class LeavesTwins(Careful):
    """What two workers run goes on running on both."""

    def kept(self, worker, own, configured, holders):
        return [each for each in own if each in configured]


class StartsAfreshWhenNew(Careful):
    """A new leader deals everything out as if nothing ran."""

    def free(self, configured, memory, holders):
        return configured if memory is NOTHING else configured - holders.keys()


class TellsMicroseconds(Careful):
    """The delay is told in the wrong unit."""

    def delay(self, milliseconds):
        return 1_000 * milliseconds


class WaitsForNewWork(Careful):
    """Whatever runs nowhere waits for a worker that may come back with it."""

    def lost(self, cluster, memory, workers, missing):
        return dict.fromkeys(missing, cluster["now_ms"]) | super().lost(cluster, memory, workers, missing)


class MovesWhileItWaits(Careful):
    """Work is taken back for balance while other work waits for its worker."""

    def surplus_while_waiting(self, surplus):
        return surplus


class WaitsFromTheLastLoss(Careful):
    """Whenever more is lost, all that is lost waits anew."""

    def lost(self, cluster, memory, workers, missing):
        lost = super().lost(cluster, memory, workers, missing)
        return dict.fromkeys(lost, max(lost.values(), default=0))


class AllowsNoExtra(Careful):
    """Whoever has more than the share rounded down gives the rest back, where balance is off."""

    def surplus(self, cluster, configured, load):
        if not super().surplus(cluster, configured, load):
            return set()
        shares = {kind: len(of(kind, configured)) // len(load) for kind in KINDS}
        return {each for own in load.values() for kind in KINDS for each in of(kind, own)[shares[kind] :]}


class TurnsWithGenerations(Careful):
    """Who may keep one more than the others changes with every generation."""

    def surplus(self, cluster, configured, load):
        surplus, ids = set(), sorted(load)
        turn = cluster["generation"] % len(ids)
        for kind in KINDS:
            share, extras = divmod(len(of(kind, configured)), len(ids))
            for place, worker in enumerate(ids[turn:] + ids[:turn]):
                surplus.update(of(kind, load[worker])[share + (place < extras) :])
        return surplus


class AnswersWhoLeft(Careful):
    """Workers that have left get an answer as well."""

    def entries(self, memory, load):
        return sorted({*load, *memory["placed"].values()} if memory["lost"] else load)

    def change(self, load, running):
        return super().change(load, running)


class FavoursTheFirstListed(Careful):
    """Of equally loaded workers the one that is listed first gets the next."""

    def assign(self, cluster):
        self.listed = [worker["id"] for worker in cluster["workers"]]
        return super().assign(cluster)

    def deal(self, free, load):
        for each in free:
            kind = each.split(" ")[0]
            load[min(self.listed, key=lambda worker: len(of(kind, load[worker])))].append(each)


SOUND = (Careful, FromTheTop)
FAULTY = {
    StartsWhatWasDeleted: "exists",
    KeepsShrunkTasks: "deleted-stops",
    CountsAllAlike: "balanced-within-one",
    BelievesItsMemory: "complete",
    LeavesTwins: "single-owner",
    StartsAfreshWhenNew: "revoke-before-assign",
    TellsMicroseconds: "delayed-for-loss",
    WaitsForNewWork: "delayed-for-loss",
    MovesWhileItWaits: "backs-off",
    WaitsFromTheLastLoss: "delayed-for-loss",
    AllowsNoExtra: "sticky-minimal",
    TurnsWithGenerations: "stable",
    AnswersWhoLeft: "total",
    FavoursTheFirstListed: "order-independent",
}
