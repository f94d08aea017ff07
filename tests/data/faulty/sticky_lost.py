"""Sticky until the third generation, and then deals everything out afresh."""


class StickyLost:
    META = {"claims": ["sticky-minimal"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        latest = max((member["generation"] for member in members), default=-1)
        claims = {}
        for member in members if latest < 3 else ():
            for tp in map(tuple, member["owned"] if member["generation"] == latest else ()):
                claims.setdefault(tp, []).append(member["id"])
        readers = {
            topic: sorted(member["id"] for member in members if topic in member["topics"])
            for topic in partitions_per_topic
        }
        total = sum(count for topic, count in partitions_per_topic.items() if readers[topic])
        room = -(-total // len(given)) if given else 0
        free = []
        for topic, count in sorted(partitions_per_topic.items()):
            for number in range(count):
                owners = claims.get((topic, number), ())
                own = len(owners) == 1 and owners[0] in readers[topic] and len(given[owners[0]]) < room
                if own:
                    given[owners[0]].append((topic, number))
                else:
                    free.append((topic, number))
        for topic, number in free:
            if readers[topic]:
                least = min(readers[topic], key=lambda member_id: (len(given[member_id]), member_id))
                given[least].append((topic, number))
        return given
