"""What is compared between a function and its command."""

from typing import Any


def without_times(document: Any) -> Any:
    """The document without what every run measures anew: fields of seconds."""
    if isinstance(document, dict):
        return {key: without_times(value) for key, value in document.items() if not key.endswith("_s")}
    if isinstance(document, list):
        return [without_times(each) for each in document]
    return document
