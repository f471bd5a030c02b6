"""GitHub's public OpenAPI description, and what an answer lacks in its eyes.

The package is large, so that one file of it is fetched once and kept.
"""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openapi_schema_validator import OAS30ReadValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

PACKAGE = "@octokit/openapi@23.0.2"
FILE = "package/generated/api.github.com.json"
BASE = "urn:github"


def fetch(folder: Path) -> Path:
    """Return the description's file in a folder, fetched from the npm registry unless it is there."""
    kept = folder / f"{PACKAGE.replace('/', '-')}.json"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(
            ["npm", "pack", "--silent", PACKAGE],
            cwd=folder,
            check=True,
            timeout=300,
            capture_output=True,
            text=True,
        )
        archive = folder / packed.stdout.split()[-1]
        with tarfile.open(archive) as opened:
            content = opened.extractfile(FILE)
            assert content is not None
            new = kept.with_suffix(".new")
            new.write_bytes(content.read())
        new.replace(kept)
        archive.unlink()
    return kept


class Description:
    """The operations of GitHub's REST API with the schemas of their answers."""

    def __init__(self, path: Path) -> None:
        self.document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        resource = Resource.from_contents(self.document, default_specification=DRAFT202012)
        self._registry = Registry().with_resource(BASE, resource)
        self._patterns = [
            (re.compile(_pattern(template)), template)
            for template in sorted(self.document["paths"], key=lambda name: name.count("{"))
        ]

    def template(self, path: str) -> str:
        """Return the described path of a request's path; a repository's id stands for its owner and name."""
        named = re.sub(r"^/repositories/\d+", "/repos/o/r", path)
        return next(str(template) for pattern, template in self._patterns if pattern.fullmatch(named))

    def faults(self, verb: str, path: str, status: int, body: Any) -> list[str]:
        """Return what is wrong with an answer: undescribed status, wrong, missing or made-up members."""
        template = self.template(path)
        responses = self.document["paths"][template][verb.lower()]["responses"]
        if str(status) not in responses:
            return [f"{verb} {template}: status {status} is not described"]
        schema = self._schema(responses[str(status)])
        pointer = f"{verb} {template} {status}"
        if schema is None:
            return []
        validator = OAS30ReadValidator(
            {"$ref": f"{BASE}#{self._pointer(template, verb, status)}"}, registry=self._registry
        )
        wrong = [
            f"{pointer} {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(body)
        ]
        return wrong + [f"{pointer} {name}: not described" for name in self._undescribed(body, schema, "$")]

    def _pointer(self, template: str, verb: str, status: int) -> str:
        response = self.document["paths"][template][verb.lower()]["responses"][str(status)]
        if "$ref" in response:
            start = response["$ref"].removeprefix("#")
        else:
            start = f"/paths/{_escaped(template)}/{verb.lower()}/responses/{status}"
        return f"{start}/content/application~1json/schema"

    def _schema(self, response: dict[str, Any]) -> dict[str, Any] | None:
        content: dict[str, Any] = self._resolved(response).get("content", {})
        schema: dict[str, Any] | None = content.get("application/json", {}).get("schema")
        return schema

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            found: Any = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part.replace("~1", "/").replace("~0", "~")]
            node = found
        return node

    def _undescribed(self, value: Any, schema: dict[str, Any], path: str) -> Iterator[str]:
        """Yield the members that the description does not know: names we made up, or that GitHub dropped."""
        schema = self._resolved(schema)
        if isinstance(value, list):
            for item in value[:1]:
                yield from self._undescribed(item, schema.get("items", {}), f"{path}[]")
        if not isinstance(value, dict) or schema.get("additionalProperties", False) is not False:
            return
        properties = self._properties(schema)
        for name, part in value.items():
            if properties and name not in properties:
                yield f"{path}.{name}"
            elif properties:
                yield from self._undescribed(part, properties[name], f"{path}.{name}")

    def _properties(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the properties of an object schema, of all its alternatives together."""
        found = dict(schema.get("properties", {}))
        for key in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(key, []):
                found |= self._properties(self._resolved(part))
        return found


def _pattern(template: str) -> str:
    """Return what matches a path; the ref of Git's own data is written with its slashes."""
    ref = re.sub(r"(/git/refs?/)\\{ref\\}", r"\1.+", re.escape(template))
    return re.sub(r"\\\{[^}]*\\\}", "[^/]+", ref)


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
