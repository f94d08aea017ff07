"""Plain assignors with what `META` may say: one for the clients' side, one for the server's."""


class FirstTakesAll:
    """Gives the first reader of a topic all of it, and forgets the last partition."""

    META = {
        "kind": "assignor",
        "protocol": "cooperative",
        "claims": ["balanced-within-one", "deterministic"],
        "assumes": ["equal-subscriptions"],
    }

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            if readers:
                given[readers[0]] += [(topic, number) for number in range(count - (count > 3))]
        return given


class GivesTwice:
    """Deals in turn, and gives the first partition of each topic to everyone who reads it."""

    META = {"kind": "server-assignor", "claims": ["balanced-within-one"]}

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            for number in range(count if readers else 0):
                for reader in readers if number == 0 else readers[number % len(readers) :][:1]:
                    given[reader].append((topic, number))
        return given
