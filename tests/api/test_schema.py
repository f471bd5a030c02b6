"""The description of the API: it is committed, complete, and shown without anybody else's server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from rest_framework.test import APIClient

from tests.api.surface import calls

COMMITTED = Path(settings.BASE_DIR) / "openapi.yaml"
COMMAND = "manage.py spectacular --file openapi.yaml"


@pytest.fixture(scope="module")
def described():
    return SchemaGenerator().get_schema(request=None, public=True)


def operations(described):
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            if isinstance(operation, dict):
                yield f"{method.upper()} {path}", operation


# What the largest number of a column is depends on the database; the description is written on SQLite.
LARGEST_OF_COLUMNS = re.compile(r"maximum: (18446744073709551615|9223372036854775807|4294967295)")


def test_the_committed_description_is_that_of_the_code(tmp_path):
    call_command("spectacular", file=str(tmp_path / "made.yaml"), validate=True, fail_on_warn=True)
    made, committed = (
        yaml.safe_load(LARGEST_OF_COLUMNS.sub("maximum: 0", path.read_text()))
        for path in (tmp_path / "made.yaml", COMMITTED)
    )
    assert committed == made, f"openapi.yaml is not what the code says: {COMMAND}"


def test_every_endpoint_is_described(described):
    shown = {name for name, _ in operations(described)}
    named = {re.sub(r"<\w+:(\w+)>", r"{\1}", f"{call.method.upper()} /{call.route}") for call in calls()}
    own = {name for name in named if not name.endswith(("/", "/schema"))}
    assert own == shown


def test_every_endpoint_says_what_it_answers_when_it_refuses(described):
    for name, operation in operations(described):
        assert {"401", "403", "429", "500", "503"} <= operation["responses"].keys(), name
        assert operation["summary"], name
        assert any(status.startswith("2") for status in operation["responses"]), name


def test_every_endpoint_takes_all_three_kinds_of_credentials(described):
    for name, operation in operations(described):
        assert {next(iter(way)) for way in operation["security"]} == {"token", "bearer", "session"}, name


def test_identifiers_of_operations_are_unique(described):
    ids = [operation["operationId"] for _, operation in operations(described)]
    assert len(ids) == len(set(ids))


def test_the_schema_is_served_to_who_may_read(caller):
    answer = caller().get("/api/v1/schema", headers={"Accept": "application/vnd.oai.openapi+json"})
    assert answer.json()["info"]["title"] == "Pullkeeper"
    assert caller("").get("/api/v1/schema/").status_code == 403


@pytest.mark.parametrize("path", ["/api/v1/docs", "/api/v1/docs/"])
def test_the_page_asks_strangers_to_sign_in_and_loads_nothing_from_elsewhere(user_with, path):
    client = Client()
    assert client.get(path).status_code == 302
    client.force_login(user_with("viewer"))
    html = client.get(path).content.decode()
    addresses = re.findall(r'(?:src|href)="([^"]+)"', html)
    files = [address.removeprefix("/static/") for address in addresses if address.startswith("/static/")]
    others = set(addresses) - {f"/static/{file}" for file in files}
    assert all(finders.find(file) for file in files)
    assert len(files) >= 4
    assert others == {f"{path}?script="}
    assert client.get(f"{path}?script=")["Content-Type"] == "application/javascript"


def test_the_page_has_nothing_inline_so_that_a_strict_policy_allows_it(user_with):
    client = Client()
    client.force_login(user_with("viewer"))
    html = client.get("/api/v1/docs/").content.decode()
    assert re.findall(r"<script(?![^>]*src=)|<style| style=| on\w+=", html) == []


def test_the_schema_needs_credentials(db):
    assert APIClient().get("/api/v1/schema").status_code == 401


def nullable(schema):
    """The schema as JSON Schema says it: OpenAPI 3.0 has a word of its own for null, also beside a reference."""
    if isinstance(schema, list):
        return [nullable(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    said = {name: nullable(part) for name, part in schema.items()}
    return {"anyOf": [{"type": "null"}, said]} if schema.get("nullable") is True else said


def examples(described):
    for name, operation in operations(described):
        bodies = [operation.get("requestBody", {})]
        bodies += [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        for content in (content for body in bodies for content in body.get("content", {}).values()):
            several = [each["value"] for each in content.get("examples", {}).values()]
            yield name, content["schema"], several or [content["example"]]


def test_every_input_and_every_good_answer_has_an_example_that_is_true(described):
    # Through JSON, as readers get it: instants are texts then.
    read = json.loads(json.dumps(described, default=str))
    for name, schema, shown in examples(read):
        validator = Draft202012Validator(nullable({**schema, "components": read["components"]}))
        for example in shown:
            assert [fault.message for fault in validator.iter_errors(example)] == [], f"{name}: {example}"
