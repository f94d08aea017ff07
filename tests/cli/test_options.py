"""Types and helpers that commands share: what they read, refuse and write."""

import io
import json
import sys
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.cli.common import seed_option
from kassay.cli.main import run
from kassay.cli.options import (
    Duration,
    FilePath,
    JsonLines,
    ScopeType,
    Seed,
    commas,
    complain,
    gravest,
    pairs,
    pairs_in_rotation,
    present,
    say,
    typed_again,
    write_json,
    written_file,
    written_folder,
)
from kassay.model.errors import InputError
from tests.hostile import ALL


@given(st.integers(1, 366 * 24), st.sampled_from([("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]))
def test_a_duration_is_in_seconds(number, unit):
    word, seconds = unit
    assert Duration().convert(f" {number}{word} ", None, None) == pytest.approx(number * seconds)
    assert Duration().convert(float(number), None, None) == number


@pytest.mark.parametrize(
    ("type_", "text", "message"),
    [
        (Duration(), "0s", "'0s' is not a duration; expected e.g. 60s, 2m or 1h"),
        (Duration(), "-1s", "is not a duration"),
        (Duration(), "1d", "is not a duration"),
        (Duration(), "1.s", "is not a duration"),
        (Duration(), "nan", "is not a duration"),
        (Duration(), "inf", "is not a duration"),
        (Duration(), "9" * 400, "is not a duration"),
        (Duration(), "9000h", "is not a duration"),
        (Seed(), "x", "'x' is not a seed; expected a whole number or `random`"),
        (Seed(), "1.5", "is not a seed"),
        (ScopeType(), "3", "'3' is not a scope; expected members x partitions, e.g. 3x4"),
        (ScopeType(), "0x4", "is not a scope"),
        (ScopeType(), "3x4x5", "is not a scope"),
        (FilePath(), "a\0b", "'a\\x00b' is not a path: no file can have this name"),
        (FilePath(), "\ud800", "is not a path"),
        (ScopeType(), "9" * 5000 + "x1", "is not a scope"),
        (Seed(), "9" * 5000, "is not a seed"),
    ],
)
def test_what_is_none_is_refused(type_, text, message):
    with pytest.raises(click.BadParameter) as refused:
        type_.convert(text, None, None)
    assert message in refused.value.message


def test_seeds_and_scopes():
    assert [Seed().convert(text, None, None) for text in ("7", "-3")] == [7, -3]
    drawn = {Seed().convert("random", None, None) for _ in range(4)}
    assert len(drawn) > 1
    assert all(0 <= seed < 2**32 for seed in drawn)
    assert ScopeType().convert("3x14", None, None) == ScopeType().convert((3, 14), None, None) == (3, 14)


words = st.text("aZ0-._é/:", min_size=1)


@given(st.lists(words, min_size=1))
def test_commas_part_what_they_join(parts):
    assert commas(" , ".join(parts) + ",", "--assume") == tuple(parts)
    assert commas(None, "--assume") is None


@pytest.mark.parametrize("text", ["", ",", " , ,"])
def test_a_list_with_nothing_in_it_is_refused(text):
    with pytest.raises(InputError) as refused:
        commas(text, "--assume")
    assert str(refused.value) == f"--assume {text!r}: expected at least one"


def test_a_key_given_again_has_its_values_in_rotation():
    once, rotation = pairs_in_rotation(("k=1", "l=1", "k=2"), "--config")
    assert (once, rotation) == ({"l": "1"}, (("k", ("1", "2")),))


def test_a_key_given_twice_is_refused():
    with pytest.raises(InputError, match="--config 'k=2': k is given twice, expected once"):
        pairs(("k=1", "l=1", "k=2"), "--config")


@given(st.dictionaries(words, st.text("a=,é ")))
def test_pairs_keep_everything_behind_the_first_sign(options):
    assert pairs(tuple(f"{key}={text}" for key, text in options.items()), "--config") == options


@pytest.mark.parametrize("value", ["", "a", "=b"])
def test_a_pair_needs_a_key_and_a_sign(value):
    with pytest.raises(InputError) as refused:
        pairs(("k=v", value), "--config")
    assert str(refused.value) == f"--config {value!r}: expected key=value"


def test_a_document_goes_to_a_file_in_a_new_folder_or_to_standard_output(tmp_path, capsys):
    document = {"ü": [1, None]}
    path = tmp_path / "a" / "b.json"
    write_json(document, str(path))
    assert json.loads(path.read_text(encoding="utf-8")) == document
    write_json(document, "-")
    assert json.loads(capsys.readouterr().out) == document
    with pytest.raises(InputError, match="cannot be written"):
        write_json("x", str(path / "c"))


@pytest.mark.parametrize(
    ("json_path", "viewed", "written"), [(None, True, False), ("-", False, False), ("f", True, True)]
)
def test_a_view_is_shown_unless_the_document_is_shown_instead(
    tmp_path, monkeypatch, capsys, json_path, viewed, written
):
    monkeypatch.chdir(tmp_path)
    present({"a": 1}, lambda: "the view", json_path)
    assert ("the view" in capsys.readouterr().out) is viewed
    assert (tmp_path / "f").exists() is written


def test_lines_are_written_when_all_went_well(tmp_path, capsys):
    path = tmp_path / "lines.jsonl"
    with JsonLines(str(path)) as lines:
        for number in range(3):
            lines.write({"n": number})
        assert not path.exists()
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"n": n} for n in range(3)]
    with pytest.raises(KeyError), JsonLines(str(tmp_path / "none")) as lines:
        lines.write({})
        raise KeyError
    assert not (tmp_path / "none").exists()
    with JsonLines("-") as lines:
        lines.write({"n": 1})
        assert capsys.readouterr().out == '{"n":1}\n'
    with JsonLines(None) as lines:
        lines.write({"n": 1})
    assert capsys.readouterr().out == ""


def test_a_path_may_be_any_that_a_file_can_have():
    for text in (".", "a b", "\udcff", "[red]\n"):
        assert FilePath().convert(text, None, None) == Path(text)


def test_what_is_said_shows(capsys):
    say(ALL)
    complain(f"a\n  b {ALL}")
    out, err = capsys.readouterr()
    assert out.count("\n") == err.count("\n") == 1
    assert all(c.isprintable() for c in (out + err).replace("\n", ""))
    assert err.startswith("kassay: a b ")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_on_standard_output_is_what_the_terminal_can_hold(encoding, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    document = {"name": json.loads(json.dumps(ALL))}
    write_json(document, "-")
    with JsonLines("-") as lines:
        lines.write(document)
    sys.stdout.flush()
    text = raw.getvalue().decode(encoding)
    first, last = text.rsplit("\n", 2)[:2]
    assert json.loads(first) == json.loads(last) == document


def test_lines_go_into_their_file_only_when_all_went_well(tmp_path):
    path = tmp_path / "lines.json"
    with pytest.raises(InputError), JsonLines(str(path)) as lines:
        lines.write({"a": 1})
        raise InputError("no")
    assert not path.exists()
    with JsonLines(str(path)) as lines:
        lines.write({"a": ALL})
    assert path.read_bytes().count(b"\n") == 1


ORDER = [70, 4, 1, 130, 3, 0]


@given(st.lists(st.sampled_from(ORDER), min_size=1))
def test_the_gravest_exit_code_of_several_is_that_of_all(codes):
    assert gravest(codes) == next(code for code in ORDER if code in codes)


def test_a_drawn_seed_is_told_and_one_that_is_given_is_not(capsys):
    drawn = Seed().convert("random", None, None)
    assert capsys.readouterr().err == f"kassay: random seed: --seed {drawn}\n"
    Seed().convert("5", None, None)
    assert capsys.readouterr() == ("", "")


def again(words, **settings):
    """What a command with a seed says that its line would be, and the seed that it had."""

    @click.command()
    @click.argument("what")
    @click.option("--name")
    @seed_option
    @click.pass_context
    def command(context, seed, **_):
        return seed, typed_again(context)

    return command.main(words, standalone_mode=False, obj=tuple(words), default_map=settings)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a b", "--seed", "random"], "kassay 'a b' --seed {}"),
        (["--seed=random", "random"], "kassay --seed={} random"),
        (["--name", "random", "x"], "kassay --name random x"),
        (["x", "--seed", "5"], "kassay x --seed 5"),
    ],
)
def test_a_line_is_told_again_with_the_seed_that_was_drawn(words, said):
    seed, line = again(words)
    assert line == said.format(seed)


def test_a_seed_of_the_settings_is_added_to_the_line():
    seed, line = again(["x"], seed="random")
    assert line == f"kassay x --seed {seed}"


@click.command()
@click.option("--file", callback=written_file)
@click.option("--out", type=FilePath(), callback=written_folder)
def writing(file, out):
    """Writes."""


@pytest.fixture
def places(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize("word", ["file", "new", "folder/new", "a/b/new", "-", "/dev/null"])
def test_a_file_that_can_be_written_is_taken_and_nothing_is_left(places, word):
    writing.main(["--file", word], standalone_mode=False)
    assert sorted(path.name for path in places.rglob("*")) == ["file", "folder"]
    assert (places / "file").read_text() == "kept"


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("folder", "Is a directory"),
        ("file/new", "Not a directory"),
        ("/proc/no/such", "No such file or directory"),
        ("x" * 300, "File name too long"),
        ("folder/" + "x" * 300 + "/new", "File name too long"),
        ("a\0b", "embedded null byte"),
    ],
)
def test_a_file_that_cannot_be_written_is_told_at_once(places, word, why):
    with pytest.raises(InputError) as refused:
        writing.main(["--file", word], standalone_mode=False)
    assert str(refused.value) == f"--file {word}: cannot be written ({why})"


@pytest.mark.parametrize("word", ["folder", "new", "folder/a/b", "hdfs://host/x"])
def test_a_folder_that_can_be_written_into_is_taken_and_not_made(places, word):
    writing.main(["--out", word], standalone_mode=False)
    assert sorted(path.name for path in places.rglob("*")) == ["file", "folder"]


@pytest.mark.parametrize(
    ("word", "why"), [("file", "Not a directory"), ("/proc/x", "No such file or directory")]
)
def test_a_folder_that_cannot_be_written_into_is_told_at_once(places, word, why):
    with pytest.raises(InputError) as refused:
        writing.main(["--out", word], standalone_mode=False)
    assert str(refused.value) == f"--out {word}: cannot be written ({why})"


@pytest.mark.parametrize("command", ["certify range --out F", "diff range sticky --out F", "hunt --on range --worst gap --out F",
    "campaign run spec.toml --out F", "fleet x --out F",
    "certify range --progress F/x", "certify range --baseline-update --baseline F/x", "list claims --json F/x"])  # fmt: skip
def test_every_command_that_writes_looks_before_it_works(places, capsys, command):
    assert run(command.replace("F", "file").split()) == 2
    said = capsys.readouterr().err
    option = command.split()[-2]
    assert (
        said
        == f"kassay: {option} {command.split()[-1].replace('F', 'file')}: cannot be written (Not a directory)\n"
    )
