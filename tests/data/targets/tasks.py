# ruff: noqa
"""Task assignors of both levels: a sound one each, and faulty ones by the claim that they break."""


def even(application):
    threads = {p["id"]: p["threads"] for p in application["processes"]}
    given = {p: {"active": [], "standby": []} for p in threads}

    def load(process):
        return (sum(len(given[process][role]) for role in ("active", "standby")) / threads[process], process)

    tasks = sorted(application["tasks"], key=lambda task: task["id"])
    for task in tasks:
        given[min(threads, key=load)]["active"].append(task["id"])
    for task in tasks:
        others = [p for p in threads if task["id"] not in given[p]["active"]]
        copies = application["num_standby_replicas"] if task["stateful"] else 0
        for taker in sorted(others, key=load)[:copies]:
            given[taker]["standby"].append(task["id"])
    return given


class ByProcess:
    META = {"level": "process", "claims": ["standby-disjoint", "balanced-within-one", "deterministic"]}

    def configure(self, config):
        self.fault = config.get("fault")

    def assign(self, application):
        given = even(application)
        first = min(given)
        if self.fault == "probes for ever":
            given[first]["followup_ms"] = 0
        elif self.fault == "leaves a task out":
            next((g for g in given.values() if g["active"]), {"active": [0]})["active"].pop()
        elif self.fault == "runs a task twice":
            given[first]["active"] += given[max(given)]["active"]
        elif self.fault == "copies beside the active task":
            given[first]["standby"] += given[first]["active"]
        elif self.fault == "invents a process":
            given["nobody"] = {}
        elif self.fault == "changes its input":
            application["processes"].reverse()
            application["processes"][0]["lags"]["9_9"] = 1
        elif self.fault == "answers by number":
            given[first]["active"] = [0]
        elif self.fault == "gives up":
            raise LookupError("no task left")
        return given


class ByMember:
    META = {"kind": "task-assignor", "level": "member", "claims": ["standby-disjoint", "deterministic"]}

    def configure(self, config):
        self.fault = config.get("fault")

    def assign(self, group):
        first = {}
        for member in group["members"]:
            first.setdefault(member["process_id"], member["id"])
        tasks = [
            {"id": f"{s['id']}_{p}", "stateful": s["stateful"]}
            for s in group["subtopologies"]
            for p in range(s["partitions"])
        ]
        processes = [{"id": p, "threads": 1} for p in first]
        given = even({**group, "tasks": tasks, "processes": processes})
        answer = {m["id"]: {} for m in group["members"]} | {first[p]: tasks for p, tasks in given.items()}
        if self.fault == "gives a task to two threads":
            for member in answer:
                if member in first.values():
                    continue
                answer[member] = answer[next(f for p, f in first.items() if member.startswith(p))]
        elif self.fault == "invents a member":
            answer["nobody"] = {}
        elif self.fault == "gives out a warm-up":
            answer[min(answer)] = {"warmup": ["0_0"]}
        return answer


class TakesTwo:
    META = {"level": "process"}

    def assign(self, one, two):
        return {}


class OddLevel:
    META = {"level": "thread"}

    def assign(self, application):
        return {}


class LevelOfAnother:
    META = {"kind": "connect-assignor", "level": "member"}

    def assign(self, cluster):
        return {}


class PlacesTasks:
    META = {"kind": "task-assignor"}

    def place(self, num_partitions, replication_factor, brokers, existing=None):
        return []


class ClaimOfAnother:
    META = {"kind": "task-assignor", "claims": ["topic-even"]}

    def assign(self, application):
        return {}


class SaysNothing:
    def assign(self, application):
        return {}
