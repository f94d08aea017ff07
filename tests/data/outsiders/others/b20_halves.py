"""Right although it is recursive and returns early: it halves the idle work, so 5,000 tasks take 13 levels, and without connectors it stops all that runs."""
# expect: CERTIFIED
from collections import Counter

META = {"kind": "connect-assignor",
        "claims": ["deleted-stops", "balanced-within-one", "revoke-before-assign", "stable", "deterministic"]}

def deal(idle, room, new):
    """Gives the idle work to the workers with the most room: the halves one after the other."""
    if len(idle) > 1:
        middle = len(idle) // 2
        deal(idle[:middle], room, new)
        deal(idle[middle:], room, new)
    elif idle:
        who = max(sorted(room), key=lambda each: room[each])
        new[who].append(idle[0])
        room[who] -= 1


class Halves:
    def assign(self, cluster):
        configured = {"connectors": {c["name"] for c in cluster["connectors"]},
                      "tasks": {f"{c['name']}-{n}" for c in cluster["connectors"] for n in range(c["tasks"])}}
        workers = {worker["id"]: worker["running"] for worker in cluster["workers"]}
        answer = {who: {"assigned": {}, "revoked": {}} for who in workers}
        if not cluster["connectors"]:
            stop = {who: {"assigned": {"connectors": [], "tasks": []},
                          "revoked": {kind: list(some[kind]) for kind in ("connectors", "tasks")}}
                    for who, some in workers.items()}
            return {"workers": stop, "delay_ms": 0, "memory": None}
        for kind, work in configured.items():
            runs = Counter(x for some in workers.values() for x in some[kind])
            least, more = divmod(len(work), len(workers))
            kept = {who: [x for x in sorted(workers[who][kind]) if x in work and runs[x] == 1] for who in workers}
            rich = sorted(workers, key=lambda who: (-len(kept[who]), who))
            room = {who: least + (place < more) for place, who in enumerate(rich)}
            kept = {who: kept[who][:room[who]] for who in workers}
            new = {who: [] for who in workers}
            deal([x for x in sorted(work) if not runs[x]], {w: room[w] - len(kept[w]) for w in workers}, new)
            for who in workers:
                answer[who]["assigned"][kind] = new[who]
                answer[who]["revoked"][kind] = [x for x in workers[who][kind] if x not in kept[who]]
        return {"workers": answer, "delay_ms": 0, "memory": None}
