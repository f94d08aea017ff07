"""A task assignor that runs each task in any process."""

import random

META = {"kind": "task-assignor", "level": "process", "claims": ("deterministic", "stable")}


class AnyProcess:
    def assign(self, application):
        given = {process["id"]: {"active": [], "standby": []} for process in application["processes"]}
        for task in application["tasks"]:
            given[random.choice(list(given))]["active"].append(task["id"])
        return given
