"""`kassay.lint` is what the command shows."""

import kassay


def test_the_function_returns_what_the_command_writes(command, tmp_path):
    file = tmp_path / "c.properties"
    file.write_text("group.id=g\npartition.assignment.strategy=range,cooperative-sticky\n")
    checked = kassay.lint(file, library="java", release="4.3")
    assert checked.to_json() == command("lint", str(file), "--library", "java", "--release", "4.3")
    assert checked.errors == len(checked.rows()) == 2
    assert "mixed" not in checked.page() and "the client does not start" in checked.page()


def test_right_settings_have_no_findings(tmp_path):
    (file := tmp_path / "c.properties").write_text("group.id=g\n")
    assert kassay.lint(file).findings == ()
