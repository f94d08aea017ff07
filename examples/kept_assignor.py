"""A sticky assignor: members keep what they own of the topics that they read; free partitions fill up."""

META = {"kind": "assignor", "protocol": "eager", "claims": ["order-independent"]}


class KeptAssignor:
    """Each kept partition stays where it is; each free one goes to the reader with the fewest."""

    def assign(self, partitions_per_topic, members):
        readers = {m["id"]: set(m["topics"]) for m in members}
        wanted = {topic for topics in readers.values() for topic in topics}
        free = {(t, p) for t, count in partitions_per_topic.items() if t in wanted for p in range(count)}
        given = {member_id: [] for member_id in readers}
        for member in sorted(members, key=lambda m: (-m["generation"], m["id"])):
            for tp in map(tuple, member["owned"]):
                if tp in free and tp[0] in member["topics"]:
                    given[member["id"]].append(tp)
                    free.remove(tp)
        for tp in sorted(free):
            able = [member_id for member_id, topics in readers.items() if tp[0] in topics]
            given[min(able, key=lambda member_id: (len(given[member_id]), member_id))].append(tp)
        return given
