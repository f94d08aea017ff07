"""Faults planted in the model (`planted.toml`), each looked for by the loop of `kassay conform`.

`python -m tests.engines.conform.planted [ID...]` plants each in a copy of the package, plays histories of
Streams threads until one differs, and prints how many steps that took. The package itself is not changed.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT

FAULTS = Path(__file__).parent / "planted.toml"
SOURCE = ROOT / "src"
MODEL = Path("kassay", "model", "protocols", "coordinator")
STEPS = 20_000
"""Within so many steps a fault must be found."""
SEED = 1
KINDS = ("streams", "streams", "classic")
LOOK = f"""
from kassay.engines.conform.intentions import draw
from kassay.engines.conform.play import play
from kassay.engines.genuine.coordinator import GenuineProcess
from kassay.engines.genuine.jars import coordinator_jars

steps = number = 0
difference = None
with GenuineProcess(coordinator_jars()) as process:
    while difference is None and steps < {STEPS}:
        played = play(draw({SEED}, number, {KINDS}), process, watch=False)
        steps, number, difference = steps + len(played.steps), number + 1, played.difference
print(steps, difference.cause if difference else "-", sep="\\t")
"""


@dataclass(frozen=True)
class Planted:
    """One fault: what it replaces in which file of the model, and by what."""

    id: str
    file: str
    old: str
    new: str

    def text(self) -> str:
        """The file's text with the fault; raises `ValueError` unless what it replaces stands there once."""
        text = (SOURCE / MODEL / self.file).read_text("utf-8")
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.id}: stands {count} times in {self.file}: {self.old!r}")
        return text.replace(self.old, self.new)


def planted() -> list[Planted]:
    """Every fault, in order."""
    return [Planted(**entry) for entry in tomllib.loads(FAULTS.read_text("utf-8"))["fault"]]


def found(fault: Planted, folder: Path) -> tuple[int, str]:
    """How many steps it took to find the fault, and the cause shown; "-" if it was not found."""
    copy = folder / "src"
    shutil.copytree(SOURCE, copy, copy_function=os.symlink)
    changed = copy / MODEL / fault.file
    changed.unlink()
    changed.write_text(fault.text(), "utf-8")
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", LOOK], capture_output=True, text=True, check=True, env=environment
    )
    shutil.rmtree(copy)
    steps, _, cause = run.stdout.strip().partition("\t")
    return int(steps), cause


def main(ids: list[str]) -> None:
    """Look for the faults with these ids, or for all."""
    import tempfile

    for fault in planted():
        if ids and fault.id not in ids:
            continue
        with tempfile.TemporaryDirectory() as folder:
            steps, cause = found(fault, Path(folder))
        print(f"{fault.id}: {cause}, {steps:,} steps", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
