"""What is on record of the guards: `docs/guards/record.json`."""

import json
from pathlib import Path
from typing import NamedTuple

from tests.guards.removal import Came
from tests.paths import DOCS

RECORD = DOCS / "guards" / "record.json"


class Record(NamedTuple):
    """What was asked for in each run, and by the name of a guard what came of its removal."""

    asked: list[dict[str, float]]
    came: dict[str, Came]

    def write(self, path: Path = RECORD) -> None:
        """Keep it, the guards in the order of their names."""
        came = {name: came._asdict() for name, came in sorted(self.came.items())}
        document = {"asked": self.asked, "came": came}
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path: Path = RECORD) -> Record:
    """What is on record; raises `OSError` where there is none."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return Record(document["asked"], {name: Came(**came) for name, came in document["came"].items()})
