"""Tries all orders of the workers to stop as little as possible, which takes factorial time: a cluster of 12 workers never gets an answer."""
# expect: VIOLATED terminates
from collections import Counter
from itertools import permutations

META = {"kind": "connect-assignor",
        "claims": ["deleted-stops", "balanced-within-one", "revoke-before-assign", "stable", "deterministic"]}

def share(work, running):
    runs = Counter(x for some in running.values() for x in some)
    least, more = divmod(len(work), len(running))
    kept = {who: [x for x in sorted(some) if x in work and runs[x] == 1] for who, some in running.items()}

    def stopped(order):
        return sum(max(0, len(kept[who]) - least - (place < more)) for place, who in enumerate(order))

    best = min(permutations(sorted(kept)), key=stopped)
    room = {who: least + (place < more) for place, who in enumerate(best)}
    kept = {who: kept[who][:room[who]] for who in kept}
    new = {who: [] for who in kept}
    for x in sorted(work):
        if not runs[x]:
            new[max(best, key=lambda who: room[who] - len(kept[who]) - len(new[who]))].append(x)
    return new, {who: [x for x in running[who] if x not in kept[who]] for who in kept}


class FewestStops:
    def assign(self, cluster):
        configured = {"connectors": {c["name"] for c in cluster["connectors"]},
                      "tasks": {f"{c['name']}-{n}" for c in cluster["connectors"] for n in range(c["tasks"])}}
        workers = {worker["id"]: worker["running"] for worker in cluster["workers"]}
        answer = {who: {"assigned": {}, "revoked": {}} for who in workers}
        for kind, work in configured.items():
            new, gone = share(work, {who: workers[who][kind] for who in workers})
            for who in workers:
                answer[who]["assigned"][kind] = new[who]
                answer[who]["revoked"][kind] = gone[who]
        return {"workers": answer, "delay_ms": 0, "memory": None}
