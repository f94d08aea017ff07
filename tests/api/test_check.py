"""`kassay.check` is what the command shows."""

import json

import pytest

import kassay
from kassay.model.errors import InputError
from tests.api.test_optimum import LOPSIDED, THREE


def test_the_function_returns_what_the_command_writes(command, tmp_path):
    (tmp_path / "three.json").write_text(json.dumps(THREE))
    (tmp_path / "certificate.json").write_text(json.dumps(kassay.optimum(THREE).to_json()))
    paths = str(tmp_path / "certificate.json"), str(tmp_path / "three.json")
    assert kassay.check(*paths).to_json() == command("check", *paths)


def test_a_refused_certificate_is_a_result():
    certificate = kassay.optimum(THREE).certificate
    refused = kassay.check([certificate, certificate | {"moved": 99}])
    assert repr(refused) == "<Checks: 1 accepted, 1 refused>"
    assert not refused.accepted and len(refused.refused) == 1
    assert [row["verdict"] for row in refused.rows()] == ["accepted", "refused"]
    assert "Refused" in refused.page()
    assert not kassay.check(certificate, LOPSIDED).accepted


def test_misuse_is_an_error():
    with pytest.raises(InputError, match="schema: found nothing"):
        kassay.check({"family": "A"})
    with pytest.raises(InputError, match="2 instances for 1 certificates"):
        kassay.check(kassay.optimum(THREE).certificate, [THREE, THREE])
