"""Certificates and keys out of Java's stores and PEM."""

import base64
import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading.live.stores import key_pair, pem_blocks, trusted
from tests.paths import DATA

TLS = DATA / "live" / "tls"
WHERE = "c.properties:1: ssl.truststore.location"


def jks(certificates, password, *, version=2):
    """A store of trusted certificates as `JavaKeyStore` writes it."""
    body = struct.pack(">III", 0xFEEDFEED, version, len(certificates))
    for number, certificate in enumerate(certificates):
        alias = f"ca-{number}".encode()
        body += struct.pack(">IH", 2, len(alias)) + alias + struct.pack(">Q", 0)
        body += (struct.pack(">H", 5) + b"X.509") if version == 2 else b""
        body += struct.pack(">I", len(certificate)) + certificate
    return body + hashlib.sha1(password.encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()


@pytest.mark.parametrize("password", ["secret1", None])
def test_a_store_that_keytool_wrote_has_the_certificate_of_the_pem(password):
    assert trusted(str(TLS / "trust.jks"), password, WHERE) == trusted(str(TLS / "ca.pem"), None, WHERE)


@pytest.mark.live
@pytest.mark.filterwarnings("ignore:PKCS#12 bundle could not be parsed as DER")
def test_so_has_a_pkcs12_store():
    pytest.importorskip("cryptography")
    assert trusted(str(TLS / "trust.p12"), "secret1", WHERE) == trusted(str(TLS / "ca.pem"), None, WHERE)


@given(
    st.lists(st.binary(min_size=1, max_size=80), min_size=1, max_size=4),
    st.text(max_size=9),
    st.sampled_from([1, 2]),
)
def test_every_certificate_of_a_jks_store_comes_back(tmp_path_factory, certificates, password, version):
    path = tmp_path_factory.mktemp("jks") / "trust.jks"
    path.write_bytes(jks(certificates, password, version=version))
    found = trusted(str(path), password, WHERE)
    bodies = found.decode().split("-----BEGIN CERTIFICATE-----\n")[1:]
    assert [base64.b64decode(body.partition("-----")[0]) for body in bodies] == certificates
    with pytest.raises(InputError, match="its password is another"):
        trusted(str(path), password + "x", WHERE)


@given(st.binary(max_size=60))
def test_a_damaged_store_is_refused_in_a_line(tmp_path_factory, end):
    path = tmp_path_factory.mktemp("jks") / "trust.jks"
    path.write_bytes(jks([b"x" * 20], "p")[:30] + end + bytes(20))
    try:
        trusted(str(path), None, WHERE)
    except InputError as error:
        assert str(error).startswith(WHERE)


def test_a_key_in_a_jks_store_is_refused_with_the_command_that_converts_it(tmp_path):
    path = tmp_path / "client.jks"
    path.write_bytes(jks([b"x"], "p"))
    with pytest.raises(InputError) as error:
        key_pair(str(path), "p", None, "c.properties:2: ssl.keystore.location")
    assert f"keytool -importkeystore -srckeystore {path} -destkeystore {path}.p12" in str(error.value)
    assert f"then ssl.keystore.location={path}.p12" in str(error.value)


@pytest.mark.live
def test_a_key_with_its_chain_comes_out_of_pkcs12_and_pem(tmp_path):
    pytest.importorskip("cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, load_pem_private_key
    from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates

    from tests.secured import certificates

    certificates(tmp_path)
    key, chain = (tmp_path / "client-key.pem").read_bytes(), (tmp_path / "client.pem").read_bytes()
    own, authority = x509.load_pem_x509_certificates(chain)
    store = serialize_key_and_certificates(
        b"me", load_pem_private_key(key, None), own, [authority], BestAvailableEncryption(b"pw")
    )
    (tmp_path / "client.p12").write_bytes(store)
    (tmp_path / "both.pem").write_bytes(key + chain)
    out_of = [
        key_pair(str(tmp_path / name), password, None, WHERE)
        for name, password in (("client.p12", "pw"), ("both.pem", None))
    ]
    assert {(pair.chain, pair.key) for pair in out_of} == {(chain, key)}
    assert "PRIVATE" not in repr(out_of[0])
    with pytest.raises(InputError, match="its password is another"):
        key_pair(str(tmp_path / "client.p12"), "no", None, WHERE)


def test_blanks_stand_for_line_ends_in_a_property():
    text = (TLS / "ca.pem").read_text()
    assert pem_blocks(" ".join(text.split("\n")), "CERTIFICATE") == pem_blocks(text, "CERTIFICATE")
    assert pem_blocks("no block", "CERTIFICATE") == b""
