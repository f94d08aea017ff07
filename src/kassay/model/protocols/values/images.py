"""The existing topics, in the metadata image that a coordinator or a client receives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias


class TopicImage(NamedTuple):
    """One topic of the metadata image."""

    name: str
    topic_id: str
    partitions: int


Image: TypeAlias = tuple[TopicImage, ...]
"""The existing topics, by name."""


def image_of(counts: Iterable[tuple[str, int]]) -> Image:
    """An image of topics that were never re-created.

    >>> image_of({"foo": 2}.items())
    (TopicImage(name='foo', topic_id='foo', partitions=2),)
    """
    return tuple(sorted(TopicImage(name, name, count) for name, count in counts))
