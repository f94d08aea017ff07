"""A group as users give it: outputs of Kafka's tools, or the address of brokers, and its assignor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kassay.engines.clusters.inputs import ClusterInputs, read_cluster
from kassay.engines.clusters.live import read_live
from kassay.engines.clusters.observed import ObservedGroup, observe
from kassay.engines.clusters.other_groups import SharedOrStreams, select_other
from kassay.engines.clusters.overview import GroupsOverview, live_overview, overview_of
from kassay.engines.clusters.rollout import start_of
from kassay.engines.optimum.gaps import require_measurable
from kassay.engines.processes.host import Limits
from kassay.engines.targets.limits import CALL_TIMEOUT_S
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.errors import InputError, TargetError
from kassay.model.groups.kinds import CONSUMER_GROUPS
from kassay.reading.documents import HeldText, read_text
from kassay.reading.kafka.settings import is_settings
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.settings import ClientSettings, read_settings

Tell = Callable[[float, str], object]
"""Gets a number and words during reading."""


def texts_or_paths(given: Iterable[str | Path]) -> tuple[str, ...]:
    """The files as they are, and each text of several lines, or of none, as one that need not be opened."""
    return tuple(
        HeldText(f"input {number}", str(each)) if "\n" in str(each) or not str(each).strip() else str(each)
        for number, each in enumerate(given, 1)
    )


@dataclass(frozen=True)
class GivenCluster:
    """Files or texts, and the address of brokers and the name of a group, if given.

    `note` gets what is to be said of client properties.
    """

    files: tuple[str, ...] = ()
    bootstrap: str | None = None
    group: str | None = None
    note: Callable[[str], object] = lambda _: None

    def connect(self) -> LiveCluster:
        """The cluster of the brokers, connected; raises `InputError` with the cause otherwise."""
        return self.connector()()

    def connector(self) -> Callable[[], LiveCluster]:
        """How to connect to the brokers: as a file of properties says; raises `InputError`.

        The file is read once, as `client.properties` is by Kafka's own tools.
        """
        assert self.bootstrap is not None
        bootstrap = self.bootstrap
        paths = [path for path in self.files if _are_settings(path)]
        if len(paths) > 1:
            raise InputError(f"{paths[1]}: a second file of client properties, expected one")
        settings = read_settings(paths[0]) if paths else ClientSettings()
        if settings.note is not None:
            self.note(f"{paths[0]}: {settings.note}")
        return lambda: LiveCluster(bootstrap, settings)

    @property
    def outputs(self) -> list[str]:
        """The files that are no client properties."""
        return [path for path in self.files if not _are_settings(path)]

    def require_no_outputs(self, what: str) -> None:
        """Raises `InputError` for files of `what` next to a live cluster, which provides it itself."""
        if paths := self.outputs:
            raise InputError(
                f"{paths[0]}: --bootstrap-server provides {what} itself, expected no file but properties"
            )

    def inputs(self) -> ClusterInputs:
        """The content of the files, or of the group as its brokers report it; raises `InputError`."""
        if self.bootstrap is None:
            if not self.files:
                raise InputError(
                    "expected a FILE with the output of kafka-consumer-groups.sh --describe --group G, or "
                    "--bootstrap-server"
                )
            return read_cluster(self.files)
        if self.group is None:
            raise InputError("--bootstrap-server: expected --group with the name of one group")
        files = read_cluster(self.outputs)
        if files.groups or files.topics is not None:
            raise InputError(
                "--bootstrap-server: provides groups and topics itself, expected no files of either"
            )
        also = {topic for said in files.subscriptions for topic in said.values}
        with self.connect() as cluster:
            inputs = read_live(cluster, self.group, also)
        inputs.racks += files.racks
        inputs.subscriptions += files.subscriptions
        inputs.lags = files.lags
        return inputs

    def observed(self, inputs: ClusterInputs) -> ObservedGroup | SharedOrStreams:
        """The group of this name in the inputs, or the only one; raises `InputError`."""
        return select_other(inputs, self.group) or observe(inputs, self.group)

    def observed_or_all(self, tell: Tell) -> ObservedGroup | SharedOrStreams | GroupsOverview:
        """The group, or all groups if none of several is named; raises `InputError`."""
        if self.bootstrap is not None and not self.group:
            with self.connect() as cluster:
                return live_overview(cluster, tell)
        inputs = self.inputs()
        if self.group is None and len(inputs.group_names) > 1:
            return overview_of(inputs)
        return self.observed(inputs)


def _are_settings(path: str) -> bool:
    """Whether the file has properties of a client, not the output of a tool."""
    return is_settings(read_text(path, "client properties, or outputs of Kafka's tools"))


def assignors(specs: Sequence[str]) -> list[Target]:
    """The targets that the specs name, all assignors of consumer groups; raises as `resolve` does."""
    limits = Limits(call_timeout_s=CALL_TIMEOUT_S)
    targets = []
    for spec in dict.fromkeys(specs):
        target = resolve(spec, limits=limits)
        require_measurable(target, CONSUMER_GROUPS)
        targets.append(target)
    return targets


def present_assignor(observed: ObservedGroup, spec: str | None) -> Target | None:
    """The group's assignor: the given one, else the one that the coordinator names if kassay knows it."""
    if spec is not None:
        return assignors((spec,))[0]
    known = start_of(observed.strategy, is_consumer_group=observed.is_consumer_group)
    try:
        return None if known is None else assignors((known,))[0]
    except (TargetError, InputError):  # a custom assignor, which only --from can name
        return None
