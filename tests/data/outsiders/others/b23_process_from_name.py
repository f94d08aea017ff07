"""Takes what stands before the last dash of a member's id (`app1-thread-2`) for its process instead of reading `process_id`, so where ids are UUIDs a copy may be on the process of its own active task."""
# expect: VIOLATED standby-disjoint

META = {"kind": "task-assignor", "level": "member",
        "claims": ["standby-disjoint", "stable", "deterministic", "order-independent"]}

class ByName:
    """Assigns tasks to the member with the fewest, and copies to members of other processes."""

    def assign(self, group):
        process_of = {member["id"]: member["id"].rsplit("-", 1)[0] for member in group["members"]}
        given = {who: {"active": [], "standby": []} for who in sorted(process_of)}

        def load(who):
            return len(given[who]["active"]) + len(given[who]["standby"]), who

        copies = min(group["num_standby_replicas"], len({m["process_id"] for m in group["members"]}) - 1)
        for subtopology in sorted(group["subtopologies"], key=lambda each: each["id"]):
            for partition in range(subtopology["partitions"]):
                task = f"{subtopology['id']}_{partition}"
                who = min(given, key=load)
                given[who]["active"].append(task)
                taken = {process_of[who]}
                for _ in range(copies if subtopology["stateful"] else 0):
                    free = [each for each in given if process_of[each] not in taken]
                    if not free:
                        break
                    who = min(free, key=load)
                    given[who]["standby"].append(task)
                    taken.add(process_of[who])
        return given
