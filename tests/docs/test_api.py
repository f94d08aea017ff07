"""The example of `docs/api.md` says what happens."""

import re

from tests.paths import DOCS


def test_the_example_gives_what_its_comments_say():
    code = re.search(r"```python\n(.*?)```", (DOCS / "api.md").read_text(encoding="utf-8"), re.S)
    shown = {}
    for line in code[1].splitlines():
        expression, _, comment = line.partition("  # ")
        if comment:
            value = eval(expression, shown)
            values = value if isinstance(value, tuple) else (value,)
            assert (
                ", ".join(
                    (getattr(each, "name", None) and f"Verdict.{each.name}") or repr(each) for each in values
                )
                == comment
            )
        elif line:
            exec(line, shown)
