"""Files of properties that Kafka's tools take: what each gives, or which property is refused."""

import re

import pytest

from kassay.model.errors import InputError
from kassay.reading.live.settings import read_settings
from tests.paths import DATA

CASES = {
    name: (expected, content)
    for name, expected, content in re.findall(
        r"### (.*)\n>>> (.*)\n((?:(?!### ).*\n)*)", (DATA / "live" / "properties.txt").read_text("utf-8")
    )
}


def summary(settings):
    """The settings in a line, as `properties.txt` expects them."""
    words = [settings.protocol]
    if settings.sasl is not None:
        words += [settings.sasl.mechanism, settings.sasl.username, settings.sasl.password]
    parts = [" ".join(words).rstrip() if not settings.sasl or not settings.sasl.password else " ".join(words)]
    if settings.tls is not None and settings.tls.authorities is not None:
        parts.append(f"trusts {settings.tls.authorities.count(b'-----BEGIN')}")
    if settings.tls is not None and not settings.tls.checks_host:
        parts.append("any host")
    if settings.dropped:
        parts.append(f"dropped {', '.join(settings.dropped)}")
    return " | ".join(parts)


@pytest.mark.live
@pytest.mark.filterwarnings("ignore:PKCS#12 bundle could not be parsed as DER")
@pytest.mark.parametrize("name", CASES)
def test_a_file_is_taken_or_refused_by_the_name_of_the_property(name, tmp_path, monkeypatch):
    pytest.importorskip("javaproperties")
    pytest.importorskip("cryptography")
    monkeypatch.chdir(DATA / "live")
    monkeypatch.setenv("KASSAY_TEST_PASSWORD", "from the environment")
    expected, content = CASES[name]
    path = tmp_path / "client.properties"
    path.write_text(content, "latin-1")
    if not expected.startswith("refused "):
        settings = read_settings(str(path))
        assert summary(settings) == expected
        if settings.tls is not None:
            settings.tls.context()
        return
    with pytest.raises(InputError) as error:
        read_settings(str(path))
    place, _, words = expected.removeprefix("refused ").partition(": ")
    assert str(error.value).startswith(f"{path}:{place}: {words}" if place else f"{path}: {words}")


@pytest.mark.live
def test_line_ends_of_windows_and_no_line_end_at_all(tmp_path):
    pytest.importorskip("javaproperties")
    path = tmp_path / "client.properties"
    jaas = 'x.ScramLoginModule required username="app" password="pw";'
    text = f"security.protocol=SASL_PLAINTEXT\r\nsasl.mechanism=SCRAM-SHA-512\r\nsasl.jaas.config={jaas}"
    path.write_bytes(text.encode())
    assert summary(read_settings(str(path))) == "SASL_PLAINTEXT SCRAM-SHA-512 app pw"


@pytest.mark.live
def test_bytes_beyond_ascii_are_latin_1_as_java_reads_them(tmp_path):
    pytest.importorskip("javaproperties")
    path = tmp_path / "client.properties"
    jaas = 'x.PlainLoginModule required username="app" password="gr\u00fcn";'
    path.write_text(f"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config={jaas}\n", "latin-1")
    assert read_settings(str(path)).sasl.password == "gr\u00fcn"
    path.write_bytes(b"\xff\xfe" + "a=b\n".encode("utf-16-le"))
    with pytest.raises(InputError, match="UTF-16"):
        read_settings(str(path))


@pytest.mark.live
def test_no_password_is_in_a_repr_or_in_an_error(tmp_path):
    pytest.importorskip("javaproperties")
    path = tmp_path / "client.properties"
    secret = "hush-hush"
    jaas = f'x.ScramLoginModule required username="app" password="{secret}";'
    text = f"security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config={jaas}\n"
    path.write_text(text)
    settings = read_settings(str(path))
    assert secret in settings.sasl.password
    assert secret not in repr(settings)
    for broken in (
        text.replace(";", ""),
        text.replace("SCRAM-SHA-512", secret),
        text.replace("required", "r"),
    ):
        path.write_text(broken)
        with pytest.raises(InputError) as error:
            read_settings(str(path))
        assert secret not in str(error.value)
