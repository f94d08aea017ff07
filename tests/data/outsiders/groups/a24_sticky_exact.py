"""Right under equal subscriptions: each member keeps its fair share of what it last owned, the members that own most keep one more, and only the rest moves."""
# expect: CERTIFIED
META = {
    "kind": "assignor",
    "protocol": "eager",
    "claims": ["balanced-within-one", "sticky-minimal", "order-independent", "deterministic", "stable"],
    "assumes": ["equal-subscriptions", "no-empty-subscriptions", "no-duplicate-topics", "no-unknown-topics"],
}


def previous_owners(members):
    """Of the partitions that exactly one member reports at the highest generation."""
    best = {}
    for m in members:
        for tp in {tuple(tp) for tp in m["owned"]}:
            generation, owners = best.get(tp, (m["generation"], []))
            if m["generation"] > generation:
                best[tp] = (m["generation"], [m["id"]])
            elif m["generation"] == generation:
                best[tp] = (generation, [*owners, m["id"]])
    return {tp: owners[0] for tp, (_, owners) in best.items() if len(owners) == 1}


class StickyExact:
    def assign(self, partitions_per_topic, members):
        ids = sorted(m["id"] for m in members)
        if not ids:
            return {}
        topics = {t for m in members for t in m["topics"]}
        everything = [(t, p) for t in sorted(partitions_per_topic) if t in topics for p in range(partitions_per_topic[t])]
        owner = previous_owners(members)
        kept = {i: [] for i in ids}
        for tp in everything:
            if tp in owner:
                kept[owner[tp]].append(tp)
        least, extra = divmod(len(everything), len(ids))
        rich = sorted(ids, key=lambda i: (-len(kept[i]), i))
        quota = {i: least + (n < extra) for n, i in enumerate(rich)}
        given = {i: kept[i][: quota[i]] for i in ids}
        placed = {tp for tps in given.values() for tp in tps}
        free = iter([tp for tp in everything if tp not in placed])
        for i in ids:
            given[i].extend(next(free) for _ in range(quota[i] - len(given[i])))
        return given
