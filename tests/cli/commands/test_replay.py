"""`kassay replay`: still or no longer violated, against this or another target."""

import json

from tests.cli.runner import kassay, one_line

QUICK = ("--histories", "150")


def test_the_target_of_a_trace_may_be_gone(tmp_path):
    kassay("certify", "ceil-range", "--claims", "topic-even", *QUICK, cwd=tmp_path)
    (path,) = (tmp_path / ".kassay" / "traces").iterdir()
    document = json.loads(path.read_text())
    document["target"] = "gone.py:Assignor"
    path.write_text(json.dumps(document))
    assert "gone.py" in one_line(kassay("replay", str(path), cwd=tmp_path), 4)
