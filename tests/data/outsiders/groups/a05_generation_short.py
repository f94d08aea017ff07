"""Of two members that report a partition the one with the newer generation keeps it, but generations are compared as 16 bits, so after generation 65535 the stale owner wins."""
# expect: VIOLATED sticky-minimal
META = {
    "kind": "assignor",
    "protocol": "eager",
    "claims": ["balanced-within-one", "sticky-minimal", "order-independent", "deterministic"],
    "assumes": ["equal-subscriptions", "no-empty-subscriptions", "no-duplicate-topics", "no-unknown-topics"],
}


def short(generation):
    return -1 if generation < 0 else generation & 0xFFFF  # our user data has two bytes for it


class StickyShort:
    def assign(self, partitions_per_topic, members):
        ids = sorted(m["id"] for m in members)
        topics = {t for m in members for t in m["topics"]}
        everything = [(t, p) for t in sorted(partitions_per_topic) if t in topics for p in range(partitions_per_topic[t])]
        claims = {}
        for m in members:
            for tp in {tuple(tp) for tp in m["owned"]}:
                claims.setdefault(tp, []).append((short(m["generation"]), m["id"]))
        kept = {i: [] for i in ids}
        for tp in everything:
            best = sorted(claims.get(tp, []), reverse=True)
            if best and (len(best) == 1 or best[0][0] > best[1][0]):
                kept[best[0][1]].append(tp)
        least, extra = divmod(len(everything), len(ids)) if ids else (0, 0)
        rich = sorted(ids, key=lambda i: (-len(kept[i]), i))
        quota = {i: least + (n < extra) for n, i in enumerate(rich)}
        given = {i: kept[i][: quota[i]] for i in ids}
        placed = {tp for tps in given.values() for tp in tps}
        free = [tp for tp in everything if tp not in placed]
        for i in ids:
            while len(given[i]) < quota[i]:
                given[i].append(free.pop(0))
        return given
