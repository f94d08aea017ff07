"""A Connect assignor that starts what is missing on any worker, and stops nothing that runs."""

import random

META = {"kind": "connect-assignor", "claims": ("deterministic",)}


class AnyWorker:
    def assign(self, cluster):
        workers = {worker["id"]: worker["running"] for worker in cluster["workers"]}
        running = {work for own in workers.values() for kind in own.values() for work in kind}
        configured = {"connectors": set(), "tasks": set()}
        for connector in cluster["connectors"]:
            configured["connectors"].add(connector["name"])
            configured["tasks"] |= {f"{connector['name']}-{n}" for n in range(connector["tasks"])}
        changes = {
            name: {
                "assigned": {"connectors": [], "tasks": []},
                "revoked": {
                    kind: [each for each in own[kind] if each not in configured[kind]] for kind in own
                },
            }
            for name, own in workers.items()
        }
        for kind, names in configured.items():
            for work in sorted(names - running):
                changes[random.choice(list(changes))]["assigned"][kind].append(work)
        return {"workers": changes, "delay_ms": 0, "memory": None}
