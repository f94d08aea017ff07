# ruff: noqa
"""Full-form targets: one that uses everything, and some that do it wrong."""

from kassay.model.kinds import RebalanceProtocol
from kassay.model.groups.assignor import AssignorBase
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Assignment


class Remembers(AssignorBase):
    """Sends its last generation, and gives everything to the first member with user data to all."""

    name = "remembers"
    protocols = (RebalanceProtocol.COOPERATIVE, RebalanceProtocol.EAGER)

    def __init__(self):
        self.generation = None
        self.prefix = ""

    def configure(self, config):
        self.prefix = config.get("prefix", "")

    def subscription_user_data(self, topics):
        return f"{self.prefix}{self.generation}{','.join(topics)}".encode()

    def on_assignment(self, assignment, user_data, metadata):
        self.generation = metadata.generation
        self.prefix += (user_data or b"").decode() + "".join(map(str, assignment))

    def assign(self, cluster, group):
        first = group.members[0].member_id
        given = {m.member_id: () for m in group.members}
        given[first] = tuple(tp for topic in cluster.topics for tp in topic.tps())
        return Assignment(given, {m.member_id: m.user_data or b"none" for m in group.members})


class Bare:
    """Told by its parameters; answers with a plain dict."""

    def assign(self, cluster, group):
        return {m.member_id: [TopicPartition(t, 0) for t in cluster.counts] for m in group.members}


class Mutates(AssignorBase):
    name = "mutates"

    def assign(self, cluster, group):
        cluster.counts.clear()
        return Assignment({m.member_id: () for m in group.members})


class AnswersStrings(AssignorBase):
    name = "answers-strings"

    def assign(self, cluster, group):
        return Assignment({m.member_id: "t-0" for m in group.members})


class AnswersNone(AssignorBase):
    name = "answers-none"

    def assign(self, cluster, group):
        return None


class OddUserData(AssignorBase):
    name = "odd-user-data"

    def subscription_user_data(self, topics):
        return "text"

    def assign(self, cluster, group):
        return Assignment({}, {"a": "text"})

    def on_assignment(self, assignment, user_data, metadata):
        raise LookupError("forgot")


class SpeaksNothing(AssignorBase):
    name = "speaks-nothing"
    protocols = ("lazy",)

    def assign(self, cluster, group):
        return Assignment({})
