"""Client programs in Node and Go: sources of the package, built or installed once, into kassay's cache.

`fetch_program` runs the `npm` or `go` on the PATH, as it is configured, on the pinned versions of
`node/package-lock.json` and `go/go.mod`, and keeps 15 MB of packages or 13 MB a program. A folder of the
cache is named for the sources, so another kassay makes its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from kassay.engines.genuine.jars import JarSet, cache_folder
from kassay.model.errors import InputError
from kassay.reading.documents import is_file

_CACHE: Final = JarSet((), "", "clients")
_SHOWN: Final = 300


@dataclass(frozen=True)
class Kit:
    """A toolchain with the sources of its programs; `tools` are what it needs on the PATH."""

    name: str
    tools: tuple[str, ...]
    what: str

    @property
    def sources(self) -> Path:
        """The folder of the sources."""
        return Path(__file__).parent / self.name

    @property
    def folder(self) -> Path:
        """The folder of the cache, which exists once something has been installed."""
        paths = sorted(path for path in self.sources.rglob("*") if is_file(str(path)))
        digest = blake2b(digest_size=6)
        for path in paths:
            digest.update(f"{path.relative_to(self.sources)}\0".encode() + path.read_bytes() + b"\0")
        return cache_folder(_CACHE) / f"{self.name}-{digest.hexdigest()}"

    def require_tools(self, client: str) -> None:
        """Raises `InputError` without the toolchain."""
        for tool in self.tools:
            if shutil.which(tool) is None:
                raise InputError(
                    f"the client {client} needs {self.what}: no {tool} on the PATH; expected one"
                )


NODE: Final = Kit("node", ("node", "npm"), "Node")
GO: Final = Kit("go", ("go",), "Go")
KITS: Final = {kit.name: kit for kit in (NODE, GO)}


def kit_command(kit: Kit, client: str, program: str) -> list[str]:
    """The command line of a program; raises `InputError` that names the command which installs it."""
    place = _place(kit, program)
    if kit is NODE:
        kit.require_tools(client)
    if not is_file(str(place)):
        kit.require_tools(client)
        raise InputError(
            f"the client {client} is not installed: expected --fetch, which gets it with {kit.tools[-1]}"
        )
    return [shutil.which("node") or "node", str(place)] if kit is NODE else [str(place)]


def fetch_program(kit: Kit, client: str, program: str) -> None:
    """Install what a program needs, unless it is there; raises `InputError` without the toolchain."""
    place = _place(kit, program)
    if is_file(str(place)):
        return
    kit.require_tools(client)
    kit.folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kit.folder.parent) as temporary:
        work = Path(temporary) / kit.name
        shutil.copytree(kit.sources, work)
        if kit is NODE:
            _run(client, ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], work)
            if not kit.folder.exists():
                work.rename(kit.folder)
        else:
            _run(client, ["go", "build", "-trimpath", "-o", str(work / "made"), f"./{program}"], work)
            kit.folder.mkdir(exist_ok=True)
            (work / "made").rename(place)


def _place(kit: Kit, program: str) -> Path:
    """Where the program is once it is installed."""
    return kit.folder / (f"{program}.mjs" if kit is NODE else program)


def _run(client: str, argv: list[str], folder: Path) -> None:
    """Run a tool in the folder; raises `InputError` with what it said last."""
    environment = {**os.environ, "GOFLAGS": os.environ.get("GOFLAGS", "")}
    done = subprocess.run(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[-_SHOWN:] or "it printed nothing"
        raise InputError(f"--fetch: {argv[0]} could not install the client {client}: {said}")
