"""What a client's properties say about the way to the brokers: TLS, SASL, and how long to wait.

Taken are the properties of Kafka's Java clients and their names in librdkafka. What only tunes a client is
dropped, and noted; what changes who the client is, or whom it trusts, is taken or refused by its name. No
value of a property is ever quoted, and no repr shows a password. Source: Kafka `CommonClientConfigs`,
`SaslConfigs`, `SslConfigs`, 3.9 to 4.4; librdkafka `CONFIGURATION.md`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from kassay.model.errors import InputError
from kassay.reading.documents import suggestion
from kassay.reading.live.jaas import LoginModule, read_jaas
from kassay.reading.live.properties import Properties, read_properties
from kassay.reading.live.tls import TLS_PROPERTIES, TlsSettings, tls_of

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_SCRAM: Final = ("SCRAM-SHA-256", "SCRAM-SHA-512")
MECHANISMS: Final = ("PLAIN", *_SCRAM, "OAUTHBEARER", "AWS_MSK_IAM", "GSSAPI")
_MODULES: Final = {
    "PLAIN": ("PlainLoginModule", "ScramLoginModule"),
    "SCRAM-SHA-256": ("ScramLoginModule", "PlainLoginModule"),
    "SCRAM-SHA-512": ("ScramLoginModule", "PlainLoginModule"),
    "OAUTHBEARER": ("OAuthBearerLoginModule",),
    "AWS_MSK_IAM": ("IAMLoginModule",),
    "GSSAPI": ("Krb5LoginModule",),
}
_HANDLERS: Final = (
    "",
    "OAuthBearerLoginCallbackHandler",
    "OAuthBearerUnsecuredLoginCallbackHandler",
    "IAMClientCallbackHandler",
)
"""Callback handlers that do what kassay does for the mechanism."""
_SASL: Final = (
    *("sasl.mechanism", "sasl.mechanisms", "sasl.jaas.config", "sasl.username", "sasl.password"),
    *("sasl.client.callback.handler.class", "sasl.login.callback.handler.class"),
    *("sasl.kerberos.service.name", "sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.scope"),
    *("sasl.oauthbearer.method", "sasl.oauthbearer.client.id", "sasl.oauthbearer.client.secret"),
    *("sasl.oauthbearer.extensions", "sasl.oauthbearer.client.credentials.client.id"),
    "sasl.oauthbearer.client.credentials.client.secret",
)
TAKEN: Final = frozenset(
    {
        "security.protocol",
        "client.id",
        "request.timeout.ms",
        "socket.connection.setup.timeout.ms",
        *TLS_PROPERTIES,
        *_SASL,
    }
)
"""The properties that say how to reach the brokers."""
_TUNING: Final = (
    *("ssl.cipher.suites", "ssl.provider", "ssl.keymanager.algorithm", "ssl.trustmanager.algorithm"),
    *("ssl.secure.random.implementation", "ssl.curves.list", "ssl.sigalgs.list", "ssl.truststore.alias"),
    *("sasl.login.refresh.", "sasl.login.connect.", "sasl.login.read.", "sasl.login.retry."),
    *("sasl.kerberos.kinit.", "sasl.kerberos.ticket.", "sasl.kerberos.min.", "sasl.kerberos.keytab"),
    *("sasl.oauthbearer.jwks.", "sasl.oauthbearer.expected.", "sasl.oauthbearer.clock."),
    *("sasl.oauthbearer.header.", "sasl.oauthbearer.scope.claim.", "sasl.oauthbearer.sub.claim."),
    "sasl.oauthbearer.jwt.validator.",
)
"""Beginnings of names of TLS and SASL that do not change who connects, or whom the client trusts."""
_OIDC: Final = "write sasl.oauthbearer.method=oidc with its client id, secret and token.endpoint.url"
_INSTEAD: Final = {
    "ssl.engine.factory.class": "no class of Java runs here: write ssl.truststore.* and ssl.keystore.*",
    "sasl.login.class": "no class of Java runs here: write sasl.mechanism and sasl.jaas.config",
    "sasl.oauthbearer.jwt.retriever.class": "no class of Java runs here: write the token.endpoint.url",
    "sasl.oauthbearer.assertion.": "assertions are not signed here: write a client id and a client secret",
    "sasl.oauthbearer.config": _OIDC,
    "sasl.oauthbearer.metadata.": _OIDC,
    "enable.sasl.oauthbearer.unsecure.jwt": 'write unsecuredLoginStringClaim_sub="NAME" in sasl.jaas.config',
    "ssl.engine.location": "no engine of OpenSSL is loaded: write ssl.key.location",
    "ssl.providers": "no provider of OpenSSL is loaded",
    "ssl.ca.certificate.stores": "write ssl.ca.location with a PEM file",
}
"""What is refused by the beginning of its name, and what to write instead."""


_CLIENTS: Final = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)+|acks|retries|debug")
"""What names of properties of clients look like."""
_NAMED_MAX: Final = 8
_NAME_SHOWN: Final = 60


@dataclass(frozen=True)
class SaslSettings:
    """The mechanism, and what it needs to know."""

    mechanism: str
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    endpoint: str | None = None
    service: str = "kafka"


@dataclass(frozen=True)
class ClientSettings:
    """How to reach the brokers; `dropped` are the properties that do not matter for it."""

    protocol: str = "PLAINTEXT"
    tls: TlsSettings | None = None
    sasl: SaslSettings | None = None
    client_id: str = "kassay"
    timeout_s: float = 15.0
    connect_s: float = 10.0
    dropped: tuple[str, ...] = ()

    @property
    def note(self) -> str | None:
        """One line about what was dropped; None without anything."""
        if not self.dropped:
            return None
        names = [key if len(key) <= _NAME_SHOWN else f"{key[:_NAME_SHOWN]}..." for key in self.dropped]
        more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
        return f"not needed to read a cluster, and dropped: {', '.join(names[:_NAMED_MAX])}{more}"


def read_settings(path: str) -> ClientSettings:
    """The settings in a file of properties; raises `InputError` that names file, line and property."""
    read = read_properties(path)
    if read.values and not any(map(_CLIENTS.fullmatch, read.values)):
        raise InputError(f"{path}: no property of a client, expected lines such as security.protocol=SSL")
    return settings_of(read)


def settings_of(read: Properties) -> ClientSettings:
    """The settings in the properties; raises `InputError` that names file, line and property."""
    values = read.values
    dropped = _dropped(read)
    protocol = values.get("security.protocol", "PLAINTEXT").upper() or "PLAINTEXT"
    if protocol not in PROTOCOLS:
        raise InputError(f"{read.where('security.protocol')}: expected one of {', '.join(PROTOCOLS)}")
    tls = tls_of(read) if protocol.endswith("SSL") else None
    sasl = _sasl(read, protocol) if protocol.startswith("SASL") else None
    return ClientSettings(
        protocol,
        tls,
        sasl,
        values.get("client.id") or "kassay",
        _seconds(read, "request.timeout.ms", 15.0),
        _seconds(read, "socket.connection.setup.timeout.ms", 10.0),
        dropped,
    )


def _dropped(read: Properties) -> tuple[str, ...]:
    """The properties that do not matter; raises `InputError` for one that would, and is not taken."""
    dropped = []
    for key in read.values:
        refused = next((begin for begin in _INSTEAD if key.startswith(begin)), None)
        if refused is not None and read.values[key]:
            raise InputError(f"{read.where(key)}: not taken: {_INSTEAD[refused]}")
        if key in TAKEN:
            continue
        is_guarded = key.startswith(("ssl.", "sasl.", "security.protocol")) and not key.startswith(_TUNING)
        if is_guarded and refused is None:
            raise InputError(f"{read.where(key)}: no property of Kafka{suggestion(key, TAKEN)}")
        dropped.append(key)
    return tuple(dropped)


def _seconds(read: Properties, key: str, usual: float) -> float:
    """A time in milliseconds as seconds; raises `InputError`."""
    text = read.values.get(key)
    if text is None:
        return usual
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 2**31:
        raise InputError(f"{read.where(key)}: expected milliseconds, from 1 on")
    return int(text) / 1_000


def _sasl(read: Properties, protocol: str) -> SaslSettings:
    values = read.values
    mechanism = (values.get("sasl.mechanism") or values.get("sasl.mechanisms") or "GSSAPI").upper()
    where = read.where("sasl.mechanism" if "sasl.mechanism" in values else "sasl.mechanisms")
    if mechanism not in MECHANISMS:
        raise InputError(f"{where}: expected one of {', '.join(MECHANISMS)}")
    _require_known_handlers(read, mechanism)
    module = None
    if values.get("sasl.jaas.config"):
        module = read_jaas(values["sasl.jaas.config"], read.where("sasl.jaas.config"))
        if not module.short_name.endswith(_MODULES[mechanism]):
            raise InputError(
                f"{read.where('sasl.jaas.config')}: {module.short_name} does not fit "
                f"sasl.mechanism={mechanism}, expected {_MODULES[mechanism][0]}"
            )
    if mechanism == "AWS_MSK_IAM" and protocol != "SASL_SSL":
        raise InputError(f"{where}: AWS_MSK_IAM needs security.protocol=SASL_SSL")
    if mechanism == "OAUTHBEARER":
        return _bearer(read, module)
    if mechanism == "GSSAPI":
        return _kerberos(read, module)
    options = {} if module is None else module.options
    if mechanism == "AWS_MSK_IAM":
        _require_only(read, options, ("awsProfileName", "awsDebugCreds"))
        return SaslSettings(mechanism, options=options)
    if options.get("tokenauth", "").lower() == "true":
        raise InputError(f"{read.where('sasl.jaas.config')}: tokenauth: delegation tokens are not taken")
    username = options.get("username", values.get("sasl.username"))
    password = options.get("password", values.get("sasl.password"))
    if not username or password is None:
        raise InputError(
            f"{read.file}: sasl.jaas.config: {mechanism} needs a username and a password: write "
            f'sasl.jaas.config={_MODULES[mechanism][0]} required username="..." password="..."; '
            "(a file named by -Djava.security.auth.login.config is Java's alone)"
        )
    return SaslSettings(mechanism, username, password)


def _require_known_handlers(read: Properties, mechanism: str) -> None:
    for key in ("sasl.client.callback.handler.class", "sasl.login.callback.handler.class"):
        if read.values.get(key, "").rpartition(".")[2] not in _HANDLERS:
            instead = {
                "OAUTHBEARER": "sasl.oauthbearer.token.endpoint.url, clientId and clientSecret",
                "AWS_MSK_IAM": "software.amazon.msk.auth.iam.IAMClientCallbackHandler",
            }.get(mechanism, "sasl.jaas.config with username and password")
            raise InputError(f"{read.where(key)}: no class of Java runs here, write {instead}")


def _require_only(read: Properties, options: Mapping[str, str], known: tuple[str, ...]) -> None:
    """Raises `InputError` for an option of the login module that would change who connects."""
    if unknown := sorted(set(options) - set(known)):
        raise InputError(
            f"{read.where('sasl.jaas.config')}: {unknown[0]}: not taken, expected {' or '.join(known)} alone"
        )


def _bearer(read: Properties, module: LoginModule | None) -> SaslSettings:
    """OAUTHBEARER: a token of an endpoint, of a file, or one without a signature."""
    values, options = read.values, dict({} if module is None else module.options)
    endpoint = values.get("sasl.oauthbearer.token.endpoint.url") or None
    usual = {"clientId": "client.id", "clientSecret": "client.secret"}
    for option, name in usual.items():
        for key in (f"sasl.oauthbearer.client.credentials.{name}", f"sasl.oauthbearer.{name}"):
            if values.get(key):
                options.setdefault(option, values[key])
    if values.get("sasl.oauthbearer.scope"):
        options.setdefault("scope", values["sasl.oauthbearer.scope"])
    for pair in filter(None, values.get("sasl.oauthbearer.extensions", "").split(",")):
        name, _, text = pair.partition("=")
        options.setdefault(f"extension_{name.strip()}", text.strip())
    is_unsigned = "unsecuredLoginStringClaim_sub" in options
    if endpoint is None and not is_unsigned:
        raise InputError(
            f"{read.file}: sasl.oauthbearer.token.endpoint.url: OAUTHBEARER needs it: write the URL of the "
            "token endpoint (or file:///PATH of a token)"
        )
    if endpoint is not None and not endpoint.startswith(("https://", "http://", "file:")):
        raise InputError(
            f"{read.where('sasl.oauthbearer.token.endpoint.url')}: expected https://... or file:///..."
        )
    if endpoint is not None and endpoint.startswith("http") and not options.get("clientId"):
        raise InputError(f"{read.file}: sasl.jaas.config: OAUTHBEARER needs clientId and clientSecret")
    return SaslSettings("OAUTHBEARER", options=options, endpoint=endpoint)


def _kerberos(read: Properties, module: LoginModule | None) -> SaslSettings:
    """GSSAPI with the ticket of the user's cache; raises `InputError` for a keytab."""
    options = {} if module is None else module.options
    if options.get("keyTab") and options.get("useTicketCache", "").lower() != "true":
        principal = options.get("principal", "PRINCIPAL")
        raise InputError(
            f"{read.where('sasl.jaas.config')}: keyTab: not read here: run kinit -k -t {options['keyTab']} "
            f"{principal}, and write useTicketCache=true"
        )
    service = read.values.get("sasl.kerberos.service.name") or options.get("serviceName") or "kafka"
    return SaslSettings("GSSAPI", service=service)
