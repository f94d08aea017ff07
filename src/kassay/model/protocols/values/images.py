"""The topics that exist, as the metadata image published to a coordinator or a client has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias


class TopicImage(NamedTuple):
    """One topic of the metadata image."""

    name: str
    topic_id: str
    partitions: int


Image: TypeAlias = tuple[TopicImage, ...]
"""The topics that exist, by name."""


def image_of(counts: Iterable[tuple[str, int]]) -> Image:
    """An image of topics that were never re-created.

    >>> image_of({"foo": 2}.items())
    (TopicImage(name='foo', topic_id='foo', partitions=2),)
    """
    return tuple(sorted(TopicImage(name, name, count) for name, count in counts))
