"""A custom Streams task assignor that assigns tasks to members, in the form for brokers (KIP-1357).

    kassay certify examples/member_task_assignor.py

docs/exec-protocol.md describes its input and its answer; a program receives the same.
"""

META = {
    "kind": "task-assignor",
    "level": "member",
    "claims": ["standby-disjoint", "stable", "deterministic", "order-independent"],
}


class EvenMembers:
    """Assigns tasks to the member with the fewest, and copies to members of other processes."""

    def assign(self, group):
        process_of = {member["id"]: member["process_id"] for member in group["members"]}
        given = {member_id: {"active": [], "standby": []} for member_id in process_of}

        def load(member_id):
            return len(given[member_id]["active"]) + len(given[member_id]["standby"]), member_id

        copies = min(group["num_standby_replicas"], len(set(process_of.values())) - 1)
        for subtopology in sorted(group["subtopologies"], key=lambda each: each["id"]):
            for partition in range(subtopology["partitions"]):
                task = f"{subtopology['id']}_{partition}"
                member_id = min(process_of, key=load)
                given[member_id]["active"].append(task)
                taken = {process_of[member_id]}
                for _ in range(copies if subtopology["stateful"] else 0):
                    member_id = min((each for each in process_of if process_of[each] not in taken), key=load)
                    given[member_id]["standby"].append(task)
                    taken.add(process_of[member_id])
        return given
