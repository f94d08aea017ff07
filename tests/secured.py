"""A genuine broker with SASL, TLS and ACLs, and the certificates that it needs, for tests of the live reading."""

from __future__ import annotations

import datetime
import hashlib
import ipaddress
from contextlib import closing, contextmanager

from kassay.engines.genuine.broker import genuine_broker
from kassay.engines.genuine.jars import NEWEST_RELEASE
from kassay.reading.live.connection import Connection
from kassay.reading.live.messages import messages
from kassay.reading.live.settings import ClientSettings

LISTENERS = {"OPEN": "PLAINTEXT", "SASL": "SASL_PLAINTEXT", "TLS": "SSL", "BOTH": "SASL_SSL"}
PASSWORD = "pw"
ODD = 'p=w;#"q\\z'
USERS = {
    **dict.fromkeys(("app", "app2", "nogroup", "notopic", "onetopic", "nothing", "offsets"), PASSWORD),
    "odd": ODD,
}
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_BEARER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
TOPICS = {"bills": 5, "audits": 3}
RESOURCES = {"topic": 2, "group": 3, "cluster": 4}
OPERATIONS = {"Read": 3, "Describe": 8}
"""The numbers of Kafka's protocol."""
ACLS = (
    *(
        ("app", operation, kind, name)
        for operation, kind, name in (
            ("Describe", "group", "billing"),
            ("Describe", "group", "fraud"),
            ("Describe", "topic", "bills"),
            ("Describe", "topic", "audits"),
        )
    ),
    ("app2", "Describe", "group", "*"),
    ("app2", "Describe", "topic", "*"),
    ("odd", "Describe", "group", "*"),
    ("odd", "Describe", "topic", "*"),
    ("nogroup", "Describe", "topic", "*"),
    ("notopic", "Describe", "group", "*"),
    ("onetopic", "Describe", "group", "*"),
    ("onetopic", "Describe", "topic", "bills"),
    ("offsets", "Read", "topic", "__consumer_offsets"),
    ("offsets", "Describe", "topic", "*"),
)
"""Who may do what to which resource."""


def certificates(folder):
    """Write `ca.pem`, `server.pem` (key and chain), `client.pem`, `client-key.pem`, and the stores of Java."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    now = datetime.datetime.now(datetime.UTC)
    name = lambda text: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])  # noqa: E731

    def signed(subject, key, issuer, issuer_key, *, is_ca):
        builder = (
            x509.CertificateBuilder()
            .subject_name(name(subject))
            .issuer_name(name(issuer))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
        )
        if not is_ca:
            address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
            builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        return builder.sign(issuer_key, hashes.SHA256())

    def pem(certificate):
        return certificate.public_bytes(serialization.Encoding.PEM)

    def private(key):
        kind = serialization.PrivateFormat.PKCS8
        return key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())

    ca_key, server_key, client_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    ca = signed("test authority", ca_key, "test authority", ca_key, is_ca=True)
    server = signed("broker", server_key, "test authority", ca_key, is_ca=False)
    client = signed("client", client_key, "test authority", ca_key, is_ca=False)
    (folder / "ca.pem").write_bytes(pem(ca))
    (folder / "server.pem").write_bytes(private(server_key) + pem(server) + pem(ca))
    (folder / "client.pem").write_bytes(pem(client) + pem(ca))
    (folder / "client-key.pem").write_bytes(private(client_key))


@contextmanager
def secured_broker(folder, *, release=NEWEST_RELEASE):
    """The broker, with `USERS`, `ACLS` and `TOPICS`; certificates in the folder."""
    certificates(folder)
    settings = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS;User:admin",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512,PLAIN,OAUTHBEARER",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(folder / "server.pem"),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(folder / "ca.pem"),
    }
    for listener in ("sasl", "both"):
        of = f"listener.name.{listener}"
        settings[f"{of}.scram-sha-512.sasl.jaas.config"] = _SCRAM
        users = " ".join(f'user_{user}="{PASSWORD}"' for user in USERS if user != "odd")
        settings[f"{of}.plain.sasl.jaas.config"] = f"{_PLAIN} {users};"
        settings[f"{of}.oauthbearer.sasl.jaas.config"] = f'{_BEARER} unsecuredLoginStringClaim_sub="x";'
    with genuine_broker(LISTENERS, release=release, settings=settings) as broker:
        open_ = ["--bootstrap-server", broker.address("OPEN")]
        for topic, count in TOPICS.items():
            broker.tool("kafka-topics", *open_, "--create", "--topic", topic, "--partitions", str(count))
        connection = Connection("127.0.0.1", broker.ports["OPEN"], ClientSettings(), None)
        with closing(connection):
            let_in(connection)
        yield broker


def let_in(connection):
    """Give the users their passwords and their rights."""
    salt, rounds = b"0123456789abcdef", 4096
    known = messages()
    scram = known.AlterUserScramCredentialsRequest
    upsertions = [
        scram.ScramCredentialUpsertion(
            name=user,
            mechanism=2,
            iterations=rounds,
            salt=salt,
            salted_password=hashlib.pbkdf2_hmac("sha512", password.encode(), salt, rounds),
        )
        for user, password in USERS.items()
    ]
    answer = connection.ask(scram(deletions=[], upsertions=upsertions))
    assert not any(each.error_code for each in answer.results), answer
    request = known.CreateAclsRequest
    creations = [
        request.AclCreation(
            resource_type=RESOURCES[kind],
            resource_name=name,
            resource_pattern_type=3,
            principal=f"User:{user}",
            host="*",
            operation=OPERATIONS[operation],
            permission_type=3,
        )
        for user, operation, kind, name in ACLS
    ]
    answer = connection.ask(request(creations=creations))
    assert not any(each.error_code for each in answer.results), answer
