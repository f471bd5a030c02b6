from __future__ import annotations

import json
import uuid

import pytest

from sandbox import send
from sandbox.sender import Sender, first_secret
from tests.sandbox.conftest import SECRET

PAYLOAD = {"title": "100% +é \N{ROCKET}", "n": 1}


def test_a_delivery_arrives_with_githubs_headers_and_a_good_signature(receiver):
    guid = uuid.uuid4()
    with Sender(receiver.url, SECRET, target_id=77) as sender:
        assert sender.send("push", PAYLOAD, guid=guid, hook_id=5) == (202, "{}")
    (got,) = receiver.got
    envelope = got["envelope"]
    assert (envelope.guid, envelope.event, envelope.hook_id) == (guid, "push", 5)
    assert (envelope.target_id, envelope.target_type) == (77, "integration")
    assert got["headers"]["User-Agent"].startswith("GitHub-Hookshot/")
    assert got["payload"] == PAYLOAD


def test_a_form_delivery_is_signed_over_the_form(receiver):
    with Sender(receiver.url, SECRET) as sender:
        assert sender.send("push", PAYLOAD, form=True).status == 202
    assert receiver.got[0]["body"].startswith(b"payload=%7B")
    assert receiver.got[0]["payload"] == PAYLOAD


def test_one_connection_serves_all_deliveries(receiver):
    with Sender(receiver.url, SECRET) as sender:
        for _ in range(5):
            sender.send("push", PAYLOAD)
    assert (len(receiver.got), receiver.connections) == (5, 1)


def test_a_wrong_secret_is_refused(receiver):
    with Sender(receiver.url, "another") as sender:
        assert sender.send("push", PAYLOAD).status == 401
    assert receiver.got == []


def test_a_refused_delivery_is_sent_once_and_shown_as_it_is(receiver):
    receiver.answer = 503
    with Sender(receiver.url, SECRET) as sender:
        assert sender.send("push", PAYLOAD).status == 503
    assert receiver.connections == 1


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "ftp://127.0.0.1/", "http://"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ValueError, match="address of a receiver"):
        Sender(url, SECRET)


def test_the_first_of_several_secrets_signs(tmp_path):
    file = tmp_path / "secret"
    file.write_text("new, old\n")
    assert first_secret(file) == "new"
    file.write_text("\n")
    with pytest.raises(ValueError, match="no secret"):
        first_secret(file)


def command_line(tmp_path, url: str, body: bytes) -> list[str]:
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "payload.json").write_bytes(body)
    return ["push", str(tmp_path / "payload.json"), "--url", url, "--secret-file", str(tmp_path / "secret")]


def test_the_command_sends_a_file_byte_for_byte(receiver, tmp_path, capsys):
    body = b'{\r\n "a": 1.0 }\r\n'
    assert send.main(command_line(tmp_path, receiver.url, body)) == 0
    assert receiver.got[0]["body"] == body
    assert capsys.readouterr().out == "202 {}\n"


def test_the_command_fails_with_a_sentence_when_nobody_answers(tmp_path, capsys):
    assert send.main(command_line(tmp_path, "http://127.0.0.1:9/", b"{}")) == 1
    assert capsys.readouterr().err.startswith("Not delivered: ")


def test_the_command_fails_when_the_receiver_refuses(receiver, tmp_path, capsys):
    receiver.answer = 400
    assert send.main(command_line(tmp_path, receiver.url, json.dumps([]).encode())) == 1
    assert capsys.readouterr().out == "400 {}\n"
