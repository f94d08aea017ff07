from kassay.engines.processes.arrangement import NEIGHBOURS_MAX, FileCopies


def test_a_copy_has_another_time_and_the_same_neighbours(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("x = 1\n")
    (tmp_path / "helper.py").write_text("y = 2\n")
    copies = FileCopies()
    copy = copies.of(file, 1_000_000_000.5)
    assert copies.used
    assert copy.read_text() == "x = 1\n"
    assert copy.stat().st_mtime == 1_000_000_000.5
    assert (copy.parent / "helper.py").read_text() == "y = 2\n"
    assert not copy.is_symlink()
    copies.close()
    assert not copy.exists()
    assert file.exists()
    assert (tmp_path / "helper.py").exists()


def test_a_file_of_a_package_and_one_among_many_are_not_copied(tmp_path):
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "mine.py").write_text("")
    copies = FileCopies()
    assert copies.of(tmp_path / "mine.py", 1.0) is None
    many = tmp_path / "many"
    many.mkdir()
    for number in range(NEIGHBOURS_MAX + 1):
        (many / f"f{number}.py").touch()
    assert copies.of(many / "f1.py", 1.0) is None
    assert copies.of(tmp_path / "gone" / "mine.py", 1.0) is None
    assert not copies.used
