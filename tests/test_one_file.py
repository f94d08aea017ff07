"""A claim, a situation, an invariant, a command, a reference, a newer one of a rule, and a client library are added by
adding one file each.
"""

import os
import shutil
import subprocess
import sys

import pytest

from tests.house import SRC

FILES = {
    "properties/groups/heads.py": '''
        """A claim of one's own."""
        from kassay.model.kinds import CONSUMER_GROUPS
        from kassay.properties.registry import Evidence, claim

        def is_read(step):
            return step.is_read

        @claim("never-last", kinds=CONSUMER_GROUPS, breakable=is_read, source="nowhere", fix="sit down")
        def never_last(step):
            """The last member gets nothing."""
            for topic, by_member in step.shares.items():
                if by_member.get(step.group.members[-1].member_id):
                    yield Evidence(topic, {})
        ''',
    "properties/groups/lonely.py": '''
        """A situation of one's own."""
        from kassay.properties.registry import situation

        @situation("lonely", required_by=("never-last",))
        def is_lonely(rebalanced):
            """There is one member."""
            return len(rebalanced.steps[0].group.members) == 1
        ''',
    "properties/protocols/quiet.py": '''
        """An invariant of one's own."""
        from kassay.model.explore.values import Finding, Severity
        from kassay.properties.protocols.registry import CENSUS, always

        @always("nobody-owns", CENSUS, source="nowhere")
        def nobody_owns(census):
            """Nobody ever owns anything."""
            if any(belief.owned for belief in census.beliefs):
                yield Finding(Severity.REAL, "somebody does")
        ''',
    "cli/commands/greet.py": '''
        """Say hello to the user."""
        import click

        PLACE = 5

        @click.command("greet")
        def command():
            """Say hello."""
            click.echo("hello")
        ''',
    "assignors/client/all_to_last.py": '''
        """A reference of one's own."""
        from kassay.assignors.registry import reference
        from kassay.model.groups.assignor import AssignorBase
        from kassay.model.groups.group import Assignment

        @reference("all-to-last", claims=("never-last",), source="nowhere")
        class AllToLast(AssignorBase):
            """Gives everything to the last."""
            name = "all-to-last"

            def assign(self, cluster, group):
                given = {member.member_id: () for member in group.members}
                last = group.members[-1]
                given[last.member_id] = tuple(tp for t in set(last.topics) for tp in cluster.partitions.get(t, ()))
                return Assignment(given)
        ''',
    "assignors/server/later.py": '''
        """Server-side range as it may be one day."""
        from kassay.assignors.registry import reference
        from kassay.assignors.server.range import ServerRange
        from kassay.model.kinds import Kind

        @reference("server-range", kind=Kind.SERVER, source="nowhere", since="9.1")
        class Later(ServerRange):
            """Another range."""
        ''',
    "assignors/foreign/otherlib.py": '''
        """A client library of one's own."""
        from kassay.assignors.client.all_to_last import AllToLast
        from kassay.assignors.registry import reference

        @reference("greedy", library="otherlib", source="otherlib")
        class Greedy(AllToLast):
            """As the library has it."""
        ''',
}

COMMANDS = {
    "list claims": "never-last",
    "list situations": "lonely",
    "list invariants": "nobody-owns",
    "list assignors": "all-to-last",
    "--help": "Say hello to the user.",
    "greet": "hello",
    "explain server-range@9.2": "server-range@9.1",
    "certify all-to-last --claims never-last --histories 20 --in-process -v": " lonely ",
    "certify otherlib:greedy --claims never-last --histories 20 --in-process": "VIOLATED",
    "explore zookeeper --members 1 --partitions 1": "nobody-owns violated (real)",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each command says, in a copy of the package with these files and nothing else changed."""
    here = tmp_path_factory.mktemp("copy")
    shutil.copytree(SRC, here / "kassay", ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in FILES.items():
        assert not (here / "kassay" / path).exists()
        (here / "kassay" / path).write_text(
            "\n".join(line.removeprefix(" " * 8) for line in text.strip().splitlines())
        )

    def run(command):
        return subprocess.run(
            [sys.executable, "-m", "kassay", *command.split()],
            cwd=here,
            env={**os.environ, "PYTHONPATH": str(here), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(("command", "expected"), COMMANDS.items())
def test_one_file_is_enough(said, command, expected):
    done = said(command)
    assert expected in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
