"""What a client's properties say about TLS: whom it trusts, and which certificate it shows.

Java's stores and PEM (Kafka), and files in PEM (librdkafka). Without a store of trusted certificates those of
the system count, where Java has a list of its own. Source: Kafka `SslConfigs`, `DefaultSslEngineFactory`.
"""

from __future__ import annotations

import ssl
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kassay.model.errors import InputError
from kassay.reading.live.properties import Properties
from kassay.reading.live.stores import KeyPair, key_pair, pem_blocks, pem_pair, pem_text, trusted

TLS_PROPERTIES: Final = (
    *("ssl.truststore.location", "ssl.truststore.password", "ssl.truststore.type"),
    *("ssl.truststore.certificates", "ssl.keystore.location", "ssl.keystore.password", "ssl.keystore.type"),
    *("ssl.keystore.key", "ssl.keystore.certificate.chain", "ssl.key.password"),
    *("ssl.endpoint.identification.algorithm", "ssl.protocol", "ssl.enabled.protocols"),
    *("ssl.ca.location", "ssl.ca.pem", "ssl.certificate.location", "ssl.certificate.pem"),
    *("ssl.key.location", "ssl.key.pem", "ssl.crl.location", "enable.ssl.certificate.verification"),
)
_VERSIONS: Final = {
    "TLSV1": ssl.TLSVersion.TLSv1,
    "TLSV1.1": ssl.TLSVersion.TLSv1_1,
    "TLSV1.2": ssl.TLSVersion.TLSv1_2,
    "TLSV1.3": ssl.TLSVersion.TLSv1_3,
}


@dataclass(frozen=True)
class TlsSettings:
    """Whom the client trusts and which certificate it shows; `authorities` None are the system's."""

    authorities: bytes | None = field(default=None, repr=False)
    pair: KeyPair | None = field(default=None, repr=False)
    checks_host: bool = True
    checks_certificate: bool = True
    least: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2
    most: ssl.TLSVersion = ssl.TLSVersion.MAXIMUM_SUPPORTED
    revoked: str | None = None

    def context(self) -> ssl.SSLContext:
        """The context of Python's ssl; raises `InputError` where OpenSSL refuses certificate or key."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version, context.maximum_version = self.least, self.most
        context.check_hostname = self.checks_host and self.checks_certificate
        context.verify_mode = ssl.CERT_REQUIRED if self.checks_certificate else ssl.CERT_NONE
        try:
            if self.authorities is None:
                context.load_default_certs()
            else:
                context.load_verify_locations(cadata=self.authorities.decode("latin-1"))
            if self.revoked is not None:
                context.load_verify_locations(self.revoked)
                context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
            if self.pair is not None:
                _show(context, self.pair)
        except (ssl.SSLError, OSError) as error:
            raise InputError(
                f"client.properties: TLS: certificate or key refused ({error.args[-1]})"
            ) from None
        return context


def _show(context: ssl.SSLContext, pair: KeyPair) -> None:
    """Load a certificate and its key, which OpenSSL reads from files alone, readable by their owner."""
    with tempfile.TemporaryDirectory(prefix="kassay-") as folder:
        paths = [Path(folder) / name for name in ("chain.pem", "key.pem")]
        for path, content in zip(paths, (pair.chain, pair.key), strict=True):
            path.touch(mode=0o600)
            with path.open("wb") as file:
                file.write(content)
        context.load_cert_chain(paths[0], paths[1], pair.password or "")


def tls_of(read: Properties) -> TlsSettings:
    """The settings in the properties; raises `InputError` that names file, line and property."""
    values = read.values
    algorithm = values.get("ssl.endpoint.identification.algorithm", "https").lower()
    if algorithm not in ("https", "none", ""):
        raise InputError(
            f"{read.where('ssl.endpoint.identification.algorithm')}: expected https, or nothing for no check"
        )
    enabled = _versions(read, "ssl.enabled.protocols")
    most = _versions(read, "ssl.protocol") or enabled
    verification = values.get("enable.ssl.certificate.verification", "true").lower()
    return TlsSettings(
        _authorities(read),
        _pair(read),
        algorithm == "https",
        verification != "false",
        min(enabled, default=ssl.TLSVersion.TLSv1_2),
        max(most, default=ssl.TLSVersion.MAXIMUM_SUPPORTED),
        values.get("ssl.crl.location") or None,
    )


def _versions(read: Properties, key: str) -> list[ssl.TLSVersion]:
    """The versions of TLS that a property names; raises `InputError`."""
    names = [name.strip().upper() for name in read.values.get(key, "").split(",")]
    names = [name for name in names if name not in ("", "TLS")]
    if not _VERSIONS.keys() >= {*names}:
        raise InputError(f"{read.where(key)}: expected TLSv1.2 or TLSv1.3")
    return [_VERSIONS[name] for name in names]


def _type(read: Properties, store: str) -> str:
    """The type of a store; raises `InputError` for one that only Java's providers read."""
    key = f"ssl.{store}.type"
    named = read.values.get(key, "JKS").upper()
    if named not in ("JKS", "JCEKS", "PKCS12", "PEM", ""):
        raise InputError(
            f"{read.where(key)}: expected JKS, PKCS12 or PEM; export the certificates of another: "
            "keytool -exportcert -rfc -alias NAME -keystore FILE, then ssl.ca.location=THAT.pem"
        )
    return named


def _authorities(read: Properties) -> bytes | None:
    """The certificates that the client trusts, PEM; None for the system's."""
    values = read.values
    _type(read, "truststore")
    inline = next((key for key in ("ssl.truststore.certificates", "ssl.ca.pem") if values.get(key)), None)
    if inline is not None:
        certificates = pem_blocks(values[inline].replace("\\n", "\n"), "CERTIFICATE")
        if not certificates:
            raise InputError(f"{read.where(inline)}: no PEM block CERTIFICATE")
        return certificates
    if path := values.get("ssl.truststore.location"):
        return trusted(path, values.get("ssl.truststore.password"), read.where("ssl.truststore.location"))
    path = values.get("ssl.ca.location")
    return None if not path or path == "probe" else trusted(path, None, read.where("ssl.ca.location"))


def _pair(read: Properties) -> KeyPair | None:
    """The certificate that the client shows; None without one."""
    values = read.values
    password = values.get("ssl.key.password") or None
    _type(read, "keystore")
    if path := values.get("ssl.keystore.location"):
        where = read.where("ssl.keystore.location")
        return key_pair(path, values.get("ssl.keystore.password"), password, where)
    if values.get("ssl.keystore.certificate.chain") or values.get("ssl.keystore.key"):
        chain, key = values.get("ssl.keystore.certificate.chain", ""), values.get("ssl.keystore.key", "")
        return pem_pair(chain, key, password, read.where("ssl.keystore.key"))
    texts = []
    for name in ("certificate", "key"):
        if path := values.get(f"ssl.{name}.location"):
            texts.append(pem_text(path, read.where(f"ssl.{name}.location")))
        elif text := values.get(f"ssl.{name}.pem"):
            texts.append(text)
    if not texts:
        return None
    return pem_pair(texts[0], texts[-1], password, f"{read.file}: ssl.certificate.* and ssl.key.*")
