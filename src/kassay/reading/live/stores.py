"""Certificates and keys of a client out of Java's stores and PEM, as PEM.

*JKS* (and JCEKS): a store of trusted certificates keeps them in the clear, and a digest over them that only
the password gives. A key in it is encrypted by an algorithm that nothing but Java reads: such a store is
refused with the command that converts it. *PKCS12*: by cryptography; what `keytool` writes since Java 9
whatever the file is called, which is why a store's content decides and not `ssl.truststore.type`. *PEM*: a
file, or the property itself, where blanks stand for line ends. Source: `sun.security.provider.JavaKeyStore`,
Kafka `DefaultSslEngineFactory`.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from kassay.model.errors import InputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates

_JKS: Final = (0xFEEDFEED, 0xCECECECE)
_KEY, _TRUSTED, _SECRET = 1, 2, 3
_WHITENER: Final = b"Mighty Aphrodite"
_BLOCK: Final = re.compile(
    r"-----BEGIN (?P<kind>[A-Z0-9 ]+)-----(?P<body>[^-]+(?:-(?!----)[^-]*)*)-----END (?P=kind)-----"
)
_TYPES: Final = ("JKS", "PKCS12", "PEM")


class KeyPair(NamedTuple):
    """A client's certificate chain and its private key, both PEM, and the key's password if it has one."""

    chain: bytes
    key: bytes
    password: str | None

    def __repr__(self) -> str:
        return "KeyPair(...)"


def pem_blocks(text: str, kind: str) -> bytes:
    """The blocks whose title ends with `kind`, with their lines as PEM wants them; empty without any."""
    blocks = []
    for match in _BLOCK.finditer(text):
        if match["kind"].endswith(kind):
            body = match["body"]
            headers = "\n".join(line for line in body.splitlines() if ": " in line)
            digits = "".join(re.sub(r"(?m)^.*: .*$", "", body).split())
            lines = "\n".join(digits[at : at + 64] for at in range(0, len(digits), 64))
            within = f"{headers}\n\n{lines}" if headers else lines
            blocks.append(f"-----BEGIN {match['kind']}-----\n{within}\n-----END {match['kind']}-----\n")
    return "".join(blocks).encode()


def trusted(path: str, password: str | None, where: str) -> bytes:
    """The trusted certificates of a store, PEM; raises `InputError` that names the property `where`."""
    raw = _read(path, where)
    if _is_jks(raw):
        certificates = b"".join(map(_pem, _jks_certificates(raw, password, path, where)))
    elif b"-----BEGIN " in raw:
        certificates = pem_blocks(raw.decode("latin-1"), "CERTIFICATE")
    else:
        store = _pkcs12(raw, password, path, where)
        held = [each.certificate for each in store.additional_certs]
        certificates = b"".join(_encoded(each) for each in held)
        if store.cert is not None:
            certificates = _encoded(store.cert.certificate) + certificates
    if not certificates:
        raise InputError(f"{where}: {path} has no certificate, expected the authorities of the brokers")
    return certificates


def key_pair(path: str, password: str | None, key_password: str | None, where: str) -> KeyPair:
    """The key and its chain in a store; raises `InputError` that names the property `where`."""
    raw = _read(path, where)
    if _is_jks(raw):
        raise InputError(
            f"{where}: {path} is a JKS store, whose keys only Java reads; convert it: "
            f"keytool -importkeystore -srckeystore {path} -destkeystore {path}.p12 -deststoretype PKCS12, "
            f"then {where.split()[-1]}={path}.p12"
        )
    if b"-----BEGIN " in raw:
        text = raw.decode("latin-1")
        return _checked(pem_blocks(text, "CERTIFICATE"), pem_blocks(text, "PRIVATE KEY"), key_password, where)
    from cryptography.hazmat.primitives import serialization

    store = _pkcs12(raw, password, path, where)
    if store.cert is None or store.key is None:
        raise InputError(f"{where}: {path} has no private key with its certificate")
    chain = _encoded(store.cert.certificate) + b"".join(
        _encoded(e.certificate) for e in store.additional_certs
    )
    kind = serialization.PrivateFormat.PKCS8
    return KeyPair(
        chain,
        store.key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()),
        None,
    )


def pem_pair(chain: str, key: str, password: str | None, where: str) -> KeyPair:
    """The key and its chain out of two texts; raises `InputError`."""
    return _checked(pem_blocks(chain, "CERTIFICATE"), pem_blocks(key, "PRIVATE KEY"), password, where)


def pem_text(path: str, where: str) -> str:
    """The text of a PEM file; raises `InputError` that names the property."""
    return _read(path, where).decode("latin-1")


def _checked(chain: bytes, key: bytes, password: str | None, where: str) -> KeyPair:
    if not chain or not key:
        lacks = "CERTIFICATE" if not chain else "PRIVATE KEY"
        raise InputError(f"{where}: no PEM block {lacks}, expected a private key and its certificates")
    if b"ENCRYPTED" in key and not password:
        raise InputError(f"{where}: the private key is encrypted, expected ssl.key.password")
    return KeyPair(chain, key, password)


def _read(path: str, where: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        also = "" if Path(path).is_absolute() else f"; a relative path is one from {Path.cwd()}"
        raise InputError(f"{where}: {path} cannot be read ({reason}){also}") from None


def _is_jks(raw: bytes) -> bool:
    return len(raw) > 12 and struct.unpack(">I", raw[:4])[0] in _JKS


def _jks_certificates(raw: bytes, password: str | None, path: str, where: str) -> Iterator[bytes]:
    """The certificates (DER) that a JKS store trusts."""
    body, digest = raw[:-20], raw[-20:]
    if password is not None:
        seed = password.encode("utf-16-be") + _WHITENER
        if hashlib.sha1(seed + body).digest() != digest:  # the format's own digest
            raise InputError(f"{where}: {path} does not open: its password is another, or it is damaged")
    _, version, count = struct.unpack(">III", body[:12])
    at = 12
    try:
        for _ in range(count):
            (tag,) = struct.unpack_from(">I", body, at)
            (alias,) = struct.unpack_from(">H", body, at + 4)
            at += 4 + 2 + alias + 8
            if tag == _SECRET:
                raise InputError(f"{where}: {path} has a secret key, expected trusted certificates alone")
            if tag == _KEY:
                at += 4 + struct.unpack_from(">I", body, at)[0]
                (chain,) = struct.unpack_from(">I", body, at)
                at += 4
                for _ in range(chain):
                    _, at = _jks_certificate(body, at, version)
            else:
                certificate, at = _jks_certificate(body, at, version)
                yield certificate
    except struct.error:
        raise InputError(f"{where}: {path} is damaged: it ends within an entry") from None


def _jks_certificate(body: bytes, at: int, version: int) -> tuple[bytes, int]:
    if version == 2:
        at += 2 + struct.unpack_from(">H", body, at)[0]
    (size,) = struct.unpack_from(">I", body, at)
    return body[at + 4 : at + 4 + size], at + 4 + size


def _pem(certificate: bytes) -> bytes:
    digits = base64.b64encode(certificate).decode()
    return pem_blocks(f"-----BEGIN CERTIFICATE-----{digits}-----END CERTIFICATE-----", "CERTIFICATE")


def _encoded(certificate: object) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)  # type: ignore[attr-defined,no-any-return]


def _pkcs12(raw: bytes, password: str | None, path: str, where: str) -> PKCS12KeyAndCertificates:
    try:
        from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12
    except ImportError:
        raise InputError(
            f"{where}: a PKCS12 store needs cryptography, which is not installed: pip install 'kassay[live]'"
        ) from None
    try:
        return load_pkcs12(raw, None if password is None else password.encode())
    except ValueError:
        raise InputError(
            f"{where}: {path} does not open as {' or '.join(_TYPES)}: its password is another, or "
            f"it is damaged (an old algorithm? keytool -importkeystore -srckeystore {path} "
            "-destkeystore NEW.p12 -deststoretype PKCS12)"
        ) from None
