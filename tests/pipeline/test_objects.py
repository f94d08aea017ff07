"""A campaign in an object store: an S3 server of our own, Hadoop's `s3a` and the jars that Maven has of it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.campaign.spec import Pace
from tests.pipeline.campaign.campaigns import SPEC
from tests.pipeline.commands import Undisturbed, await_port, contents, finished, free_port, kassay, toml

pytestmark = [pytest.mark.spark, pytest.mark.objects]

AWS = "2.35.4"
"""The SDK that Hadoop 3.5.0 is built with; of its bundle of 600 MB these parts suffice."""
_SDK = "".join(
    f"<dependency><groupId>software.amazon.awssdk</groupId><artifactId>{name}</artifactId>"
    f"<version>{AWS}</version></dependency>"
    for name in ("s3", "s3-transfer-manager", "sts")
)
POM = f"""<project><modelVersion>4.0.0</modelVersion>
<groupId>kassay</groupId><artifactId>objects</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.hadoop</groupId><artifactId>hadoop-aws</artifactId><version>HADOOP</version>
<exclusions><exclusion><groupId>software.amazon.awssdk</groupId><artifactId>bundle</artifactId></exclusion></exclusions>
</dependency>{_SDK}</dependencies></project>
"""
IN_SPARK = "io.netty,org.slf4j,commons-logging,commons-codec,org.apache.httpcomponents"


class Bucket(NamedTuple):
    """A bucket on a server, and the options that lead a campaign to it."""

    url: str
    client: Any
    settings: dict[str, str]

    def options(self, **changed: str) -> list[str]:
        """The settings as a command takes them; some changed."""
        known = {**self.settings, **{f"spark.hadoop.fs.s3a.{name}": value for name, value in changed.items()}}
        return [
            "--config=spark.master=local[2]",
            *(f"--config={name}={value}" for name, value in known.items()),
        ]

    def names(self, prefix: str) -> list[str]:
        found = self.client.list_objects_v2(Bucket="bucket", Prefix=prefix)
        return [entry["Key"] for entry in found.get("Contents", ())]

    def copied(self, folder: Path) -> Path:
        """The objects as files."""
        for name in self.names(""):
            if not name.endswith("/"):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                self.client.download_file("bucket", name, str(folder / name))
        return folder


@pytest.fixture(scope="session")
def jars(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Hadoop's `s3a` of the release that is in PySpark."""
    import pyspark

    (api,) = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    release = re.fullmatch(r"hadoop-client-api-(.+)\.jar", api.name)
    assert release is not None
    folder = tmp_path_factory.mktemp("maven")
    (folder / "pom.xml").write_text(POM.replace("HADOOP", release[1]), encoding="utf-8")
    wanted = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
    options = ("-DincludeScope=runtime", "-DoutputDirectory=jars", f"-DexcludeGroupIds={IN_SPARK}")
    subprocess.run(["mvn", "-q", "-B", wanted, *options], cwd=folder, check=True, timeout=900)
    return ",".join(map(str, (folder / "jars").glob("*.jar")))


@pytest.fixture(scope="module")
def bucket(jars: str) -> Iterator[Bucket]:
    """A bucket for one user, whose secret the server checks."""
    boto3 = pytest.importorskip("boto3", reason="an environment of its own: tox run -e objects")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await_port(port, server)
        anyone = {"endpoint_url": url, "region_name": "us-east-1"}
        first = {**anyone, "aws_access_key_id": "first", "aws_secret_access_key": "first"}
        users = boto3.client("iam", **first)
        users.create_user(UserName="kassay")
        allowed = (
            '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'
        )
        users.put_user_policy(UserName="kassay", PolicyName="all", PolicyDocument=allowed)
        made = users.create_access_key(UserName="kassay")["AccessKey"]
        key, secret = made["AccessKeyId"], made["SecretAccessKey"]
        client = boto3.client("s3", **anyone, aws_access_key_id=key, aws_secret_access_key=secret)
        client.create_bucket(Bucket="bucket")
        plain = {"Content-Type": "text/plain"}
        urlopen(Request(f"{url}/moto-api/reset-auth", data=b"0", headers=plain), timeout=10).close()
        settings = {
            "spark.jars": jars,
            "spark.hadoop.fs.s3a.endpoint": url,
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.access.key": key,
            "spark.hadoop.fs.s3a.secret.key": secret,
        }
        yield Bucket(url, client, settings)
    finally:
        server.terminate()
        server.wait()


def test_a_killed_campaign_goes_on_to_the_same_tables(
    undisturbed: Undisturbed, bucket: Bucket, tmp_path: Path
) -> None:
    spec = toml(replace(SPEC, pace=Pace(batch_histories=14)), tmp_path / "c.toml")
    place = "s3a://bucket/results"
    process = kassay("run", str(spec), "--out", place, *bucket.options())
    end = time.monotonic() + 600
    while not (before := receipts(bucket)) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert before

    refused = kassay("run", place, *bucket.options())
    _, err = refused.communicate(timeout=600)
    assert refused.returncode == 2
    assert f"in use by process {process.pid}" in err.splitlines()[-1]

    bucket.client.delete_object(Bucket="bucket", Key="results/lock")
    finished(kassay("run", place, *bucket.options()))
    assert contents(bucket.copied(tmp_path / "copy") / "results") == undisturbed.tables
    assert before.items() <= receipts(bucket).items()
    assert not bucket.names("results/lock")


def receipts(bucket: Bucket) -> dict[str, str]:
    """The receipts with their tags, which tell a rewritten object."""
    found = bucket.client.list_objects_v2(Bucket="bucket", Prefix="results/batches/")
    return {e["Key"]: e["ETag"] for e in found.get("Contents", ()) if e["Key"].endswith(".done.json")}


@pytest.mark.parametrize(
    ("place", "changed", "said"),
    [
        (
            "s3a://bucket/x",
            {"endpoint": "http://127.0.0.1:9"},
            "no answer from http://127.0.0.1:9, expected a running",
        ),
        ("s3a://other/x", {}, "NoSuchBucket"),
        ("s3a://bucket/x", {"secret.key": "wrong"}, "Status Code: 403"),
    ],
)
def test_a_place_that_cannot_be_used_is_one_line(
    bucket: Bucket, tmp_path: Path, place: str, changed: dict[str, str], said: str
) -> None:
    spec = toml(SPEC, tmp_path / "c.toml")
    process = kassay("run", str(spec), "--out", place, *bucket.options(**changed))
    _, err = process.communicate(timeout=600)
    assert process.returncode == 2, err
    assert said in err.splitlines()[-1]
    assert place in err.splitlines()[-1]
    assert "Traceback" not in err
    assert "fault of kassay" not in err


def test_of_two_drivers_that_start_at_once_the_store_takes_one(bucket: Bucket) -> None:
    """Both see no lock, both write one: the condition is checked by the server, when the second ends."""
    from kassay.pipeline.spark import session
    from kassay.pipeline.store import Remote

    with session("local[1]", bucket.settings) as spark:
        one, other = (Remote("s3a://bucket/race", spark) for _ in range(2))
        first, second = (each.lock_stream() for each in (one, other))
        first.close()
        with pytest.raises(Exception, match="pre-condition"):
            second.close()
        with pytest.raises(InputError, match="not JSON"), other.locked():
            pass
        one.write("a.json", {"n": 1})
        one.write("a.json", {"n": 2})
        assert other.read("a.json") == {"n": 2}
        assert other.names("") == ["a.json", "lock"]
