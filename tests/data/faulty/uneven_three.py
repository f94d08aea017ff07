"""Gives the last of three members or more one partition too few and the first one too many."""


class UnevenThree:
    META = {"claims": ["balanced-within-one"]}  # noqa: RUF012

    def assign(self, partitions_per_topic, members):
        given = {member["id"]: [] for member in members}
        taken = dict.fromkeys(sorted(given), 0)
        for topic, count in sorted(partitions_per_topic.items()):
            readers = sorted(member["id"] for member in members if topic in member["topics"])
            for number in range(count if readers else 0):
                reader = min(readers, key=lambda member_id: (taken[member_id], member_id))
                given[reader].append((topic, number))
                taken[reader] += 1
        first, last = min(given, default=""), max(given, default="")
        if len(given) >= 3 and given[last] and given[last][-1][0] in self._topics(first, members):
            given[first].append(given[last].pop())
        return given

    def _topics(self, member_id, members):
        return next(member["topics"] for member in members if member["id"] == member_id)
