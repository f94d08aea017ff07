"""Every connection that fails is reported by its cause, and at once: against listeners of these tests."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from contextlib import contextmanager

import pytest

from kassay.reading.live.connection import Connection
from kassay.reading.live.failures import ConnectFailure
from kassay.reading.live.settings import ClientSettings
from kassay.reading.live.tls import TlsSettings

AT_ONCE_S = 1.0
"""What a cause takes at most; a broker's own delay of a failed login comes on top."""


@contextmanager
def listener(serve):
    """The port of a listener of the loopback; `serve` gets each connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=run, args=(connection,), daemon=True).start()

        def run(connection):
            try:
                with connection:
                    serve(connection)
            except OSError:
                pass

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def failure(host, port, settings, context=None):
    """The message of the failed connection, and how long it took."""
    pytest.importorskip("kafka.protocol.consumer.metadata")
    from kassay.reading.live.messages import messages

    messages()
    began = time.monotonic()
    with pytest.raises(ConnectFailure) as error:
        Connection(host, port, settings, context)
    assert time.monotonic() - began < AT_ONCE_S + settings.connect_s * (settings.connect_s < 1)
    return str(error.value)


def closes(connection):
    connection.recv(1 << 16)


def answers_http(connection):
    connection.recv(1 << 16)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def alerts(connection):
    connection.recv(1 << 16)
    connection.sendall(bytes.fromhex("15030300020246"))


def answers_a_frame_of_noise(connection):
    head = connection.recv(1 << 16)
    connection.sendall(b"\0\0\0\x20" + head[8:12] + bytes(range(28)))


def answers_another_request(connection):
    connection.recv(1 << 16)
    connection.sendall(b"\0\0\0\x20" + b"\x7f" * 32)


def is_silent(connection):
    while connection.recv(1 << 16):
        pass


PLAIN = ClientSettings(connect_s=0.4)
TLS = ClientSettings("SSL", TlsSettings(), connect_s=0.4)


@pytest.mark.live
@pytest.mark.parametrize(
    ("serve", "words"),
    [
        (closes, "closed the connection at the first request: a TLS listener (security.protocol=SSL"),
        (answers_http, "answers with HTTP: this is no port of a Kafka broker"),
        (answers_a_frame_of_noise, "the answer to ApiVersions is not in Kafka's protocol"),
        (answers_another_request, "the answer to ApiVersions is not in Kafka's protocol"),
        (alerts, "the broker speaks TLS on this port: expected security.protocol=SSL"),
        (is_silent, "connected, but no answer within 0.4 s (a TLS listener? security.protocol=SSL)"),
    ],
)
def test_a_listener_that_does_not_answer_in_kafkas_protocol(serve, words):
    with listener(serve) as port:
        assert words in failure("127.0.0.1", port, PLAIN)


@pytest.mark.live
@pytest.mark.parametrize(
    ("serve", "words"),
    [
        (closes, "the broker does not speak TLS on this port: expected security.protocol=PLAINTEXT"),
        (answers_http, "the broker does not speak TLS on this port"),
        (is_silent, "no answer to the handshake of TLS"),
    ],
)
def test_a_listener_without_tls(serve, words):
    with listener(serve) as port:
        assert words in failure("127.0.0.1", port, TLS, TLS.tls.context())


@pytest.mark.live
def test_a_closed_port_and_an_unknown_host():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "connection refused: no process listens" in failure("127.0.0.1", port, PLAIN)
    assert "host unknown" in failure("nowhere.invalid", 9092, PLAIN)
    assert "not reached" in failure("a" * 300, 9092, PLAIN)


@pytest.mark.live
@pytest.mark.parametrize(
    ("host", "trust", "words"),
    [
        ("127.0.0.1", None, r"certificate is not trusted \(.*\): expected ssl.truststore.location"),
        ("localhost", "ca.pem", r"certificate is of another host \(.*localhost.*\): connect by a name in it"),
    ],
)
def test_a_certificate_that_does_not_do(tmp_path, host, trust, words):
    pytest.importorskip("cryptography")
    from tests.secured import certificates

    certificates(tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "server.pem")
    settings = TlsSettings(None if trust is None else (tmp_path / trust).read_bytes())

    def serve(connection):
        with server.wrap_socket(connection, server_side=True) as wrapped:
            is_silent(wrapped)

    with listener(serve) as port:
        message = failure(host, port, ClientSettings("SSL", settings), settings.context())
    assert re.search(words, message)


@pytest.mark.live
def test_a_client_certificate_that_is_wanted(tmp_path):
    pytest.importorskip("cryptography")
    from tests.secured import certificates

    certificates(tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "server.pem")
    server.verify_mode = ssl.CERT_REQUIRED
    settings = TlsSettings((tmp_path / "ca.pem").read_bytes())

    def serve(connection):
        with server.wrap_socket(connection, server_side=True) as wrapped:
            is_silent(wrapped)

    with listener(serve) as port:
        message = failure("127.0.0.1", port, ClientSettings("SSL", settings), settings.context())
    assert "the broker refuses the client's certificate, or wants one" in message
    assert "ssl.keystore.location" in message
