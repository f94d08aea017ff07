"""Collects what runs, connectors and tasks, in one set of names, so while a connector that is called `sink-1` runs, a lost task 1 of the connector `sink` is taken for running and never started again."""
# expect: VIOLATED complete
from collections import Counter

META = {"kind": "connect-assignor",
        "claims": ["deleted-stops", "balanced-within-one", "revoke-before-assign", "stable", "deterministic"]}

def share(work, running, runs, everywhere):
    """What each worker starts and stops; what runs twice stops everywhere and returns in the next round."""
    least, more = divmod(len(work), len(running))
    kept = {who: [x for x in sorted(some) if x in work and runs[x] == 1] for who, some in running.items()}
    rich = sorted(kept, key=lambda who: (-len(kept[who]), who))
    room = {who: least + (place < more) for place, who in enumerate(rich)}
    kept = {who: kept[who][:room[who]] for who in kept}
    new = {who: [] for who in kept}
    for x in sorted(work):
        if x not in everywhere:
            who = max(sorted(kept), key=lambda who: room[who] - len(kept[who]) - len(new[who]))
            new[who].append(x)
    return new, {who: [x for x in running[who] if x not in kept[who]] for who in kept}


class OneTable:
    def assign(self, cluster):
        configured = {"connectors": {c["name"] for c in cluster["connectors"]},
                      "tasks": {f"{c['name']}-{n}" for c in cluster["connectors"] for n in range(c["tasks"])}}
        workers = {worker["id"]: worker["running"] for worker in cluster["workers"]}
        answer = {who: {"assigned": {}, "revoked": {}} for who in workers}
        everywhere = {x for some in workers.values() for kind in some for x in some[kind]}
        for kind, work in configured.items():
            runs = Counter(x for some in workers.values() for x in some[kind])
            new, gone = share(work, {who: workers[who][kind] for who in workers}, runs, everywhere)
            for who in workers:
                answer[who]["assigned"][kind] = new[who]
                answer[who]["revoked"][kind] = gone[who]
        return {"workers": answer, "delay_ms": 0, "memory": None}
