"""Who the client says it is: the mechanisms of SASL, and where a token or AWS credentials come from.

PLAIN, SCRAM and GSSAPI are kafka-python's. A token of OAUTHBEARER is fetched by the grant of client
credentials, as Kafka's clients do, or read from a file, or made without a signature. Source: RFC 5802, RFC
6749 (4.4), RFC 7628; Kafka `OAuthBearerLoginCallbackHandler`, `OAuthBearerUnsecuredLoginCallbackHandler`; the
Signature Version 4 of AWS as `aws-msk-iam-auth` uses it.
"""

from __future__ import annotations

import base64
import json
import re
import time
import urllib.error
import urllib.request
from typing import Any, Final
from urllib.parse import unquote, urlencode, urlsplit

from kassay.model.errors import InputError
from kassay.reading.documents import read_text
from kassay.reading.live.failures import ConnectFailure
from kassay.reading.live.settings import SaslSettings

_TOKEN_S: Final = 10.0
_REGION: Final = re.compile(r"\.kafka(?:-serverless)?\.([a-z0-9-]+)\.amazonaws\.com")


def mechanism_of(sasl: SaslSettings, host: str) -> Any:
    """The exchange of the mechanism: `auth_bytes`, `receive`, `is_done`; raises `InputError`."""
    from kafka.net.sasl import get_sasl_mechanism

    if sasl.mechanism == "AWS_MSK_IAM":
        return _Msk(sasl, host)
    config: dict[str, Any] = {
        "host": host,
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": sasl.mechanism,
        "sasl_plain_username": sasl.username,
        "sasl_plain_password": sasl.password,
        "sasl_kerberos_service_name": sasl.service,
    }
    if sasl.mechanism.startswith("SCRAM"):  # RFC 5802 reserves both in a name
        config["sasl_plain_username"] = sasl.username.replace("=", "=3D").replace(",", "=2C")
    if sasl.mechanism == "OAUTHBEARER":
        config["sasl_oauth_token_provider"] = _provider(sasl)
    try:
        return get_sasl_mechanism(sasl.mechanism)(**config)
    except RuntimeError:
        raise InputError(
            "sasl.mechanism=GSSAPI: needs gssapi, which is not installed: pip install gssapi"
        ) from None
    except Exception as error:
        if type(error).__module__.startswith("gssapi"):
            said = str(error).replace("\n", " ")
            raise ConnectFailure(f"{host}: no ticket of Kerberos (run kinit): {said}") from None
        raise


def _provider(sasl: SaslSettings) -> Any:
    """What gives kafka-python the token and its extensions."""
    from kafka.net.sasl.oauth import AbstractTokenProvider

    token = _token(sasl)
    begin = "extension_"
    named = {key[len(begin) :]: value for key, value in sasl.options.items() if key.startswith(begin)}

    class Provider(AbstractTokenProvider):  # type: ignore[misc]
        def token(self) -> str:
            return token

        def extensions(self) -> dict[str, str]:
            return named

    return Provider()


def _token(sasl: SaslSettings) -> str:
    """The token to present; raises `InputError`."""
    if sasl.endpoint is None:
        return _unsigned(sasl.options["unsecuredLoginStringClaim_sub"])
    if sasl.endpoint.startswith("file:"):
        return read_text(unquote(urlsplit(sasl.endpoint).path), "a token").strip()
    form = {"grant_type": "client_credentials"}
    if scope := sasl.options.get("scope"):
        form["scope"] = scope
    pair = f"{sasl.options['clientId']}:{sasl.options.get('clientSecret', '')}"
    request = urllib.request.Request(
        sasl.endpoint,
        urlencode(form).encode(),
        {
            "Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}",
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        },
    )
    where = "sasl.oauthbearer.token.endpoint.url"
    try:
        with urllib.request.urlopen(request, timeout=_TOKEN_S) as answer:
            document = json.loads(answer.read(1 << 20))
        return str(document["access_token"])
    except urllib.error.HTTPError as error:
        raise ConnectFailure(f"{where}: no token: the endpoint answers {error.code} {error.reason}") from None
    except (OSError, ValueError) as error:
        raise ConnectFailure(f"{where}: no token: {getattr(error, 'reason', error)}") from None
    except (KeyError, TypeError):
        raise ConnectFailure(f"{where}: no token: the answer has no access_token") from None


def _unsigned(name: str) -> str:
    """A token of an hour without a signature, for brokers that are only tried out."""
    now = int(time.time())
    parts = ({"alg": "none"}, {"sub": name, "iat": now, "exp": now + 3_600})
    coded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*coded, ""])


class _Msk:
    """AWS_MSK_IAM: one message, signed with the credentials that botocore finds, and one answer."""

    def __init__(self, sasl: SaslSettings, host: str) -> None:
        try:
            from botocore.session import Session
        except ImportError:
            raise InputError(
                "sasl.mechanism=AWS_MSK_IAM: needs botocore, which is not installed: pip install botocore"
            ) from None
        from kafka.net.sasl.msk import AwsMskIamClient

        session = Session(profile=sasl.options.get("awsProfileName"))
        credentials = session.get_credentials()
        named = _REGION.search(host)
        region = named[1] if named else session.get_config_variable("region")
        if credentials is None or not region:
            what = "credentials" if credentials is None else "region"
            raise InputError(f"sasl.mechanism=AWS_MSK_IAM: AWS has no {what} here: run aws configure")
        frozen = credentials.get_frozen_credentials()
        self._client = AwsMskIamClient(
            host=host,
            access_key=frozen.access_key,
            secret_key=frozen.secret_key,
            region=region,
            token=frozen.token,
        )
        self._answer: bytes | None = None

    def auth_bytes(self) -> bytes:
        """The signed message."""
        return bytes(self._client.first_message())

    def receive(self, answer: bytes) -> None:
        """Keep the answer, which ends the exchange."""
        self._answer = answer

    def is_done(self) -> bool:
        """Whether the broker answered."""
        return self._answer is not None

    def is_authenticated(self) -> bool:
        """Whether its answer says that it accepts the credentials."""
        return bool(self._answer)
