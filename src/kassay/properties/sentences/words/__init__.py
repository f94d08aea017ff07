"""The words of each kind of target that has sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kassay.model.kinds import Kind
from kassay.properties.sentences.vocabulary import Vocabulary
from kassay.properties.sentences.words.connect import CONNECT_WORDS
from kassay.properties.sentences.words.groups import GROUP_WORDS
from kassay.properties.sentences.words.placements import PLACER_WORDS
from kassay.properties.sentences.words.plans import PLAN_WORDS
from kassay.properties.sentences.words.sends import SEND_WORDS
from kassay.properties.sentences.words.shares import SHARE_WORDS
from kassay.properties.sentences.words.tasks import TASK_WORDS

VOCABULARIES: Final[Mapping[Kind, Vocabulary]] = {
    kind: words
    for words in (
        GROUP_WORDS,
        SHARE_WORDS,
        PLACER_WORDS,
        PLAN_WORDS,
        TASK_WORDS,
        CONNECT_WORDS,
        SEND_WORDS,
    )
    for kind in words.kinds
}
