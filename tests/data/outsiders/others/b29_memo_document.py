"""Right although it remembers answers for the life of the host: an entry is the whole document as JSON, only sixteen are kept, and each caller receives a copy of its own."""
# expect: CERTIFIED
import copy
import json

META = {"kind": "task-assignor", "level": "process",
        "claims": ["standby-disjoint", "balanced-within-one", "standby-count", "stable", "deterministic",
                   "order-independent", "task-errors"]}

ANSWERS = {}


class Remembers:
    def assign(self, application):
        entry = json.dumps(application, sort_keys=True)
        if entry not in ANSWERS:
            if len(ANSWERS) >= 16:
                ANSWERS.clear()
            ANSWERS[entry] = self.fresh(application)
        return copy.deepcopy(ANSWERS[entry])

    def fresh(self, application):
        threads = {process["id"]: process["threads"] for process in application["processes"]}
        given = {who: {"active": [], "standby": []} for who in sorted(threads)}
        tasks = sorted(application["tasks"], key=lambda task: task["id"])
        for task in tasks:
            who = min(given, key=lambda who: ((len(given[who]["active"]) + 1) / threads[who], who))
            given[who]["active"].append(task["id"])
        copies = min(application["num_standby_replicas"], len(threads) - 1)
        for task in (task for task in tasks if task["stateful"]):
            free = [who for who in given if task["id"] not in given[who]["active"]]
            free.sort(key=lambda who: ((len(given[who]["active"]) + len(given[who]["standby"])) / threads[who], who))
            for who in free[:copies]:
                given[who]["standby"].append(task["id"])
        return given
