"""Every module of a package is imported, at any depth, in the order of names, and once."""

import sys

import pytest

from kassay.model.modules import import_modules


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two modules and a package within; each module notes that it ran."""
    monkeypatch.syspath_prepend(tmp_path)
    root = tmp_path / "walked_package"
    (root / "inner").mkdir(parents=True)
    (root / "__init__.py").write_text("ran = []\n")
    (root / "inner" / "__init__.py").write_text("")
    for name in ("b.py", "a.py", "inner/deep.py"):
        (root / name).write_text("import walked_package\nwalked_package.ran.append(__name__)\n")
    yield "walked_package"
    for name in [name for name in sys.modules if name.startswith("walked_package")]:
        del sys.modules[name]


def test_all_modules_run_once_in_the_order_of_their_names(package):
    for _ in range(2):
        import_modules(package)
    assert sys.modules[package].ran == [f"{package}.{name}" for name in ("a", "b", "inner.deep")]


def test_a_module_that_cannot_be_imported_is_not_passed_over(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_package").mkdir()
    (tmp_path / "broken_package" / "__init__.py").write_text("")
    (tmp_path / "broken_package" / "broken.py").write_text("1 // 0\n")
    with pytest.raises(ZeroDivisionError):
        import_modules("broken_package")
    sys.modules.pop("broken_package")
