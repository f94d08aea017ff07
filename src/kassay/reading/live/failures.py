"""Why a connection failed, in one line that names the cause and what to do next.

A broker rarely says why: one that expects TLS and gets Kafka's protocol answers with a TLS alert or closes,
one that expects Kafka's protocol and gets TLS closes, and one that expects SASL closes at the first other
request. What is known at that moment (how far the connection came, which bytes arrived) gives the cause.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from typing import Final

from kassay.model.errors import InputError

_TLS_ALERT: Final = b"\x15\x03"
_UNTRUSTED: Final = (18, 19, 20, 21)
"""OpenSSL's codes of a certificate whose authority is not known."""
_EXPIRED: Final = (9, 10)
_OTHER_HOST: Final = (62, 64)
_CONFIG: Final = "in the file of client properties"


class ConnectFailure(InputError):
    """A broker could not be reached, or did not let the client in."""


def not_reached(error: OSError, address: str, timeout_s: float) -> ConnectFailure:
    """Why no connection of TCP came about."""
    if isinstance(error, socket.gaierror):
        return ConnectFailure(f"{address}: host unknown ({error.strerror})")
    if isinstance(error, ConnectionRefusedError):
        return ConnectFailure(f"{address}: connection refused: no process listens on this port")
    if isinstance(error, TimeoutError):
        return ConnectFailure(
            f"{address}: no answer within {timeout_s:g} s: a firewall, or a network that cannot be reached"
        )
    return ConnectFailure(f"{address}: not reached ({error.strerror or error})")


def no_tls(error: Exception, address: str, *, protocol: str) -> ConnectFailure:
    """Why the handshake of TLS failed."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return ConnectFailure(f"{address}: {_certificate(error)}")
    reason = str(getattr(error, "reason", "") or "")
    if reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE") or isinstance(
        error, ssl.SSLEOFError | ConnectionError
    ):
        plain = protocol.replace("SASL_SSL", "SASL_PLAINTEXT").replace("SSL", "PLAINTEXT", protocol == "SSL")
        return ConnectFailure(
            f"{address}: the broker does not speak TLS on this port: expected security.protocol={plain} "
            f"{_CONFIG}, or the port of a TLS listener"
        )
    if "PROTOCOL_VERSION" in reason or reason in ("UNSUPPORTED_PROTOCOL", "NO_PROTOCOLS_AVAILABLE"):
        return ConnectFailure(f"{address}: no version of TLS in common: change ssl.enabled.protocols")
    if isinstance(error, TimeoutError):
        return ConnectFailure(f"{address}: no answer to the handshake of TLS: is this a TLS listener?")
    return alerted(error, address)


def _certificate(error: ssl.SSLCertVerificationError) -> str:
    """What is wrong with the broker's certificate."""
    said = error.verify_message
    if error.verify_code in _UNTRUSTED:
        return (
            f"the broker's certificate is not trusted ({said}): expected ssl.truststore.location (or "
            f"ssl.ca.location) with the authority that signed it {_CONFIG}"
        )
    if error.verify_code in _OTHER_HOST:
        return (
            f"the broker's certificate is of another host ({said.rstrip('.')}): connect by a name in it, or "
            "ssl.endpoint.identification.algorithm= (empty) for no check"
        )
    if error.verify_code in _EXPIRED:
        return f"the broker's certificate is not valid now ({said})"
    return f"the broker's certificate is refused ({said})"


def alerted(error: Exception, address: str) -> ConnectFailure:
    """What an alert of TLS means that a broker sends."""
    reason = str(getattr(error, "reason", "") or error)
    if "CERTIFICATE" in reason.upper():
        return ConnectFailure(
            f"{address}: the broker refuses the client's certificate, or wants one ({reason}): expected "
            f"ssl.keystore.location (or ssl.certificate.location and ssl.key.location) {_CONFIG}"
        )
    return ConnectFailure(f"{address}: the handshake of TLS failed ({reason})")


def not_kafka(received: bytes, address: str, *, protocol: str) -> ConnectFailure:
    """Why the first answer is no answer of Kafka's protocol; `received` is what arrived before the end."""
    if received.startswith(_TLS_ALERT):
        tls = protocol.replace("PLAINTEXT", "SSL")
        return ConnectFailure(
            f"{address}: the broker speaks TLS on this port: expected security.protocol={tls} {_CONFIG}"
        )
    if received:
        what = "HTTP" if received.startswith(b"HTTP") else "something else"
        return ConnectFailure(f"{address}: answers with {what}: this is no port of a Kafka broker")
    if protocol.endswith("PLAINTEXT"):
        return ConnectFailure(
            f"{address}: closed the connection at the first request: a TLS listener (security.protocol="
            f"{protocol.replace('PLAINTEXT', 'SSL')} {_CONFIG}), or no Kafka broker"
        )
    return ConnectFailure(
        f"{address}: closed the connection after the handshake of TLS: the broker refuses the client's "
        f"certificate, or wants one (expected ssl.keystore.location {_CONFIG}), or it is no Kafka broker"
    )


def silent(address: str, timeout_s: float, *, protocol: str) -> ConnectFailure:
    """No answer to the first request."""
    tls = "" if protocol.endswith("SSL") else f" (a TLS listener? security.protocol={protocol[:-9]}SSL)"
    return ConnectFailure(f"{address}: connected, but no answer within {timeout_s:g} s{tls}")


def wants_sasl(address: str, *, protocol: str) -> ConnectFailure:
    """The broker ended a connection that sent a request without authentication."""
    return ConnectFailure(
        f"{address}: this listener wants SASL (it closed the connection at the first request): expected "
        f"security.protocol=SASL_{protocol}, sasl.mechanism and sasl.jaas.config {_CONFIG}"
    )


def no_sasl(address: str, *, protocol: str) -> ConnectFailure:
    """The listener does not use SASL."""
    return ConnectFailure(
        f"{address}: this listener does not use SASL: expected security.protocol="
        f"{protocol.removeprefix('SASL_')} {_CONFIG}"
    )


def no_mechanism(address: str, mechanism: str, enabled: Sequence[str]) -> ConnectFailure:
    """The listener does not offer the mechanism."""
    return ConnectFailure(
        f"{address}: the broker does not offer sasl.mechanism={mechanism}, expected {' or '.join(enabled)}"
    )


def not_authenticated(address: str, mechanism: str, said: str | None) -> ConnectFailure:
    """The broker does not accept who the client says it is."""
    what = {
        "OAUTHBEARER": "the token is refused",
        "AWS_MSK_IAM": "the credentials of AWS are refused",
        "GSSAPI": "the Kerberos ticket is refused",
    }.get(mechanism, "wrong username or password")
    reason = f": {said.rstrip('.')}" if said else ""
    return ConnectFailure(f"{address}: authentication failed ({mechanism}): {what}{reason}")
