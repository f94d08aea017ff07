"""A connection to one broker: TCP, TLS, SASL, and one request at a time.

Every step that can fail says what failed, at once. Messages and mechanisms are kafka-python's, which do no
input or output; the socket is ours. Source: Kafka's protocol guide, KIP-35 (ApiVersions), KIP-152 (SASL).
"""

from __future__ import annotations

import socket
import ssl
import struct
from typing import Any, Final

from kassay.reading.live import failures
from kassay.reading.live.failures import ConnectFailure
from kassay.reading.live.identity import mechanism_of
from kassay.reading.live.messages import messages
from kassay.reading.live.settings import ClientSettings, SaslSettings

_LARGEST: Final = 100_000_000
_UNSUPPORTED_VERSION, _UNSUPPORTED_MECHANISM, _ILLEGAL_SASL_STATE, _NOT_AUTHENTICATED = 35, 33, 34, 58


class Connection:
    """A connection that is open and authenticated; a context manager."""

    def __init__(
        self, host: str, port: int, settings: ClientSettings, context: ssl.SSLContext | None
    ) -> None:
        """Connect; raises `ConnectFailure` with the cause."""
        self.address = f"{host}:{port}"
        self._settings = settings
        self._offered: dict[int, tuple[int, int]] = {}
        self._answers = 0
        self._parser = messages().KafkaProtocol(
            client_id=settings.client_id, receive_message_max_bytes=_LARGEST
        )
        self._socket = self._opened(host, port, context)
        try:
            self._learn_versions()
            if settings.sasl is not None:
                self._authenticate(settings.sasl, host)
        except BaseException:
            self.close()
            raise
        self._socket.settimeout(settings.timeout_s)

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def version(self, request: Any, most: int = 99) -> int:
        """The newest version of the request, up to `most`, that the broker and we know; -1 without any."""
        least, offered = self._offered.get(request.API_KEY, (1, 0))
        version = min(offered, int(request.max_version), most)
        return version if version >= least else -1

    def ask(self, request: Any, most: int = 99) -> Any:
        """The broker's answer to the newest version up to `most`; raises `ConnectFailure`."""
        version = self.version(request, most)
        if version < 0:
            what = request.name.removesuffix("Request")
            raise ConnectFailure(f"{self.address}: this broker is too old or too new for {what}")
        return self._exchange(request, version)

    def _opened(self, host: str, port: int, context: ssl.SSLContext | None) -> socket.socket:
        wait = self._settings.connect_s
        try:
            plain = socket.create_connection((host, port), timeout=wait)
        except (OSError, UnicodeError, OverflowError) as error:
            known = error if isinstance(error, OSError) else OSError(str(error))
            raise failures.not_reached(known, self.address, wait) from None
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context is None:
            return plain
        try:
            return context.wrap_socket(plain, server_hostname=host)
        except (OSError, ValueError) as error:
            plain.close()
            raise failures.no_tls(error, self.address, protocol=self._settings.protocol) from None

    def _exchange(self, request: Any, version: int) -> Any:
        request.API_VERSION = version
        self._parser.send_request(request)
        received = b""
        try:
            self._send(self._parser.send_bytes())
            received = self._frame()
        except (OSError, EOFError) as error:
            raise self._failed(error, received) from None
        try:
            ((_, answer),) = self._parser.receive_bytes(received)
        except Exception:  # kafka-python raises whatever its decoders do
            what = request.name.removesuffix("Request")
            raise ConnectFailure(
                f"{self.address}: the answer to {what} is not in Kafka's protocol: no Kafka broker?"
            ) from None
        self._answers += 1
        return answer

    def _send(self, content: bytes) -> None:
        """Send it all; if the broker closed the connection before, what it sent last says why."""
        try:
            self._socket.sendall(content)
        except TimeoutError:
            raise
        except OSError:
            self._frame()
            raise

    def _frame(self) -> bytes:
        """The next frame with its length; raises `EOFError` with what arrived of it."""
        head = self._read(4, b"")
        (size,) = struct.unpack(">i", head)
        if not 0 < size <= _LARGEST:
            raise EOFError(head)
        return head + self._read(size, head)

    def _read(self, size: int, before: bytes) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._socket.recv(min(size - len(parts), 1 << 16))
            if not part:
                raise EOFError(before + bytes(parts))
            parts += part
        return bytes(parts)

    def _failed(self, error: OSError | EOFError, received: bytes) -> ConnectFailure:
        """Why there is no answer, by how far the connection came."""
        protocol = self._settings.protocol
        if isinstance(error, EOFError):
            received = error.args[0] if error.args else b""
        if self._answers == 0 and isinstance(error, ssl.SSLEOFError | ConnectionError):
            received, error = b"", EOFError()
        if isinstance(error, ssl.SSLError):
            return failures.alerted(error, self.address)
        if self._answers == 0:
            if isinstance(error, TimeoutError):
                return failures.silent(self.address, self._settings.connect_s, protocol=protocol)
            return failures.not_kafka(received, self.address, protocol=protocol)
        if isinstance(error, TimeoutError):
            return ConnectFailure(f"{self.address}: no answer within {self._settings.timeout_s:g} s")
        if self._answers == 1 and self._settings.sasl is None:
            return failures.wants_sasl(self.address, protocol=protocol)
        return ConnectFailure(f"{self.address}: the broker closed the connection")

    def _learn_versions(self) -> None:
        request = messages().ApiVersionsRequest
        version = int(request.max_version)
        while True:
            answer = self._exchange(
                request(client_software_name="kassay", client_software_version="1"), version
            )
            if answer.error_code != _UNSUPPORTED_VERSION or version == 0:
                break
            version, self._answers = 0, 0
        self._offered = {each.api_key: (each.min_version, each.max_version) for each in answer.api_keys}

    def _authenticate(self, sasl: SaslSettings, host: str) -> None:
        """Let the broker know who asks; raises `ConnectFailure`."""
        known, protocol = messages(), self._settings.protocol
        answer = self._exchange(known.SaslHandshakeRequest(mechanism=sasl.mechanism), 1)
        if answer.error_code == _ILLEGAL_SASL_STATE:
            raise failures.no_sasl(self.address, protocol=protocol)
        if answer.error_code == _UNSUPPORTED_MECHANISM:
            raise failures.no_mechanism(self.address, sasl.mechanism, answer.mechanisms)
        exchange = mechanism_of(sasl, host)
        while not exchange.is_done():
            request = known.SaslAuthenticateRequest(exchange.auth_bytes())
            version = min(self._offered.get(36, (0, 0))[1], int(request.max_version))
            answer = self._exchange(request, version)
            if answer.error_code:
                raise failures.not_authenticated(self.address, sasl.mechanism, answer.error_message)
            try:
                exchange.receive(answer.auth_bytes)
            except (ValueError, KeyError) as error:
                raise failures.not_authenticated(self.address, sasl.mechanism, str(error)) from None
        if not exchange.is_authenticated():
            raise failures.not_authenticated(self.address, sasl.mechanism, None)
