"""`kassay --completion`: the scripts that shells read."""

import shutil
import subprocess

import pytest

from kassay.cli.main import run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_can_read(shell, capsys):
    assert run(["--completion", shell]) == 0
    script = capsys.readouterr().out
    assert "_KASSAY_COMPLETE=" in script
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} on the PATH")
    subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_another_shell_is_refused(capsys):
    assert run(["--completion", "tcsh"]) == 2
    assert "'bash', 'zsh', 'fish'" in capsys.readouterr().err
