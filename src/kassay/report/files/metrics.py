"""The metrics of `kassay watch`, by the client library of Prometheus, which writes and escapes them.

Names by its rules: a unit at the end, `_total` for what only grows. Labels are a group's name and, in one
metric, its type, state and assignor; none is a partition. A label that is too long or has characters that
cannot be shown is cut and ends in a digest, so that two groups never become one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.engines.watch.watcher import Watched, WatchedGroup
from kassay.model.errors import InputError
from kassay.writing.text import visible

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

LABEL_MAX: Final = 128
"""The most characters of a label's value."""
_DIGEST: Final = 4
NEEDS: Final = (
    "kassay watch: needs prometheus-client, which is not installed: pip install 'kassay[live,watch]'"
)


class Metric(NamedTuple):
    """What a metric is, and its value of an observation or of a group; None if it has none."""

    help: str
    value: Callable[[Any], float | None]
    is_counter: bool = False


UP: Final = "kassay_up"
GROUPS: Final = "kassay_groups"
INFO: Final = "kassay_group_info"
OF_CLUSTER: Final[Mapping[str, Metric]] = {
    "kassay_groups_dropped": Metric(
        "Groups above the limit, without metrics of their own.", lambda each: each.sight.dropped
    ),
    "kassay_groups_unreadable": Metric(
        "Groups that could not be described.", lambda each: each.sight.unreadable
    ),
    "kassay_groups_pending": Metric(
        "Groups whose optimum waits for the next scrape.", lambda each: each.pending
    ),
    "kassay_scrape_requests": Metric(
        "Requests to brokers for the last observation.", lambda each: each.requests
    ),
}
OF_GROUP: Final[Mapping[str, Metric]] = {
    "kassay_group_stable": Metric(
        "1 if the coordinator says that the group is stable, else 0.",
        lambda each: each.figures.sight.is_stable,
    ),
    "kassay_group_members": Metric(
        "Members, or threads of a Streams group.", lambda each: len(each.figures.sight.members)
    ),
    "kassay_group_partitions": Metric(
        "Partitions of the topics that the group reads, or tasks.", lambda each: each.figures.partitions
    ),
    "kassay_group_double_owned_partitions": Metric(
        "Partitions that several members own, or active tasks of several threads.",
        lambda each: each.figures.double_owned,
    ),
    "kassay_group_unowned_partitions": Metric(
        "Partitions that no member of the stable group owns.", lambda each: each.figures.unowned
    ),
    "kassay_group_idle_members": Metric("Members without a partition.", lambda each: each.figures.idle),
    "kassay_group_busiest_member_partitions": Metric(
        "Partitions of the busiest member.", lambda each: each.figures.busiest
    ),
    "kassay_group_spread_partitions": Metric(
        "Partitions of the busiest member less those of the least busy one.", lambda each: each.figures.spread
    ),
    "kassay_group_optimum_spread_partitions": Metric(
        "The spread with the certified best balance.",
        lambda each: each.figures.best and each.figures.best.spread,
    ),
    "kassay_group_optimum_distance_partitions": Metric(
        "Partitions that must move for the certified best balance, 0 at the optimum.",
        lambda each: each.figures.best and each.figures.best.moves,
    ),
    "kassay_group_useful_members_lower": Metric(
        "The greatest useful member count below the current one, or that one.",
        lambda each: each.figures.useful and each.figures.useful.lower,
    ),
    "kassay_group_useful_members_current": Metric(
        "The greatest useful member count up to today's; members above it help nothing.",
        lambda each: each.figures.useful and each.figures.useful.current,
    ),
    "kassay_group_useful_members_upper": Metric(
        "The least useful member count above the current one, or that one.",
        lambda each: each.figures.useful and each.figures.useful.upper,
    ),
    "kassay_group_useful_members_max": Metric(
        "The greatest useful member count.",
        lambda each: each.figures.useful and each.figures.useful.most,
    ),
    "kassay_group_moved_partitions_total": Metric(
        "Partitions that left a member who stayed, between stable observations.",
        lambda each: each.moved,
        is_counter=True,
    ),
    "kassay_group_needless_moves_total": Metric(
        "Moved partitions beyond those that the certified best assignment moves.",
        lambda each: each.needless,
        is_counter=True,
    ),
}
SECONDS: Final = "kassay_scrape_duration_seconds"
NAMES: Final = (UP, SECONDS, GROUPS, *OF_CLUSTER, INFO, *OF_GROUP)
"""All metrics that there are."""


def label(text: str) -> str:
    """The text as the value of a label, at most `LABEL_MAX` characters that can all be shown.

    >>> label("orders"), label("a\\nb")
    ('orders', 'a\\\\nb~59900c43')
    """
    if len(text) <= LABEL_MAX and text.isprintable():
        return text
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).hexdigest()
    return f"{visible(text)[: LABEL_MAX - 2 * _DIGEST - 1]}~{digest}"


class _Collector:
    """Turns observations into families of metrics, one for each scrape."""

    def __init__(self, observe: Callable[[], Watched], *, with_counters: bool) -> None:
        self._observe, self._with_counters = observe, with_counters

    def collect(self) -> Iterator[Any]:
        """The families of a new observation; without an answer of the cluster, `kassay_up` 0."""
        from prometheus_client.core import GaugeMetricFamily

        watched = self._observe()
        sight = watched.sight
        yield GaugeMetricFamily(UP, "1 if the cluster answers, else 0.", sight is not None)
        yield GaugeMetricFamily(SECONDS, "Duration of the last observation.", watched.seconds)
        if sight is None:
            return
        by_type = GaugeMetricFamily(
            GROUPS, "Groups by type, those without metrics included.", labels=["type"]
        )
        for kind, count in sight.kinds.items():
            by_type.add_metric([kind], count)
        yield by_type
        for name, metric in OF_CLUSTER.items():
            yield GaugeMetricFamily(name, metric.help, metric.value(watched))
        yield _info(watched.groups)
        labelled = [(label(each.figures.sight.name), each) for each in watched.groups]
        for name, metric in OF_GROUP.items():
            if self._with_counters or not metric.is_counter:
                yield _family(name, metric, labelled)


def _info(groups: Iterable[WatchedGroup]) -> Any:
    """Type, state and assignor of each group, with the value 1."""
    from prometheus_client.core import GaugeMetricFamily

    words = "Type, state and assignor of the group; the value is 1."
    info = GaugeMetricFamily(INFO, words, labels=["group", "type", "state", "assignor"])
    for each in groups:
        sight = each.figures.sight
        info.add_metric([*map(label, (sight.name, sight.kind, sight.state, sight.assignor or ""))], 1)
    return info


def _family(name: str, metric: Metric, groups: Iterable[tuple[str, WatchedGroup]]) -> Any:
    """A metric with a value for each group that has one."""
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    make = CounterMetricFamily if metric.is_counter else GaugeMetricFamily
    family = make(name.removesuffix("_total"), metric.help, labels=["group"])
    for group, each in groups:
        value = metric.value(each)
        if value is not None:
            family.add_metric([group], value)
    return family


def registry_of(observe: Callable[[], Watched], *, with_counters: bool = True) -> CollectorRegistry:
    """A registry of metrics, observed again for each scrape; raises `InputError` without the library.

    A single observation has no moves, so nothing to count.
    """
    try:
        from prometheus_client import CollectorRegistry
    except ImportError:
        raise InputError(NEEDS) from None
    registry = CollectorRegistry()
    registry.register(_Collector(observe, with_counters=with_counters))
    return registry


def metrics_text(watched: Watched) -> str:
    """One observation in Prometheus' text format, without counters."""
    registry = registry_of(lambda: watched, with_counters=False)
    from prometheus_client import generate_latest

    return generate_latest(registry).decode()
