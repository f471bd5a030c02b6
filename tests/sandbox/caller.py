"""Plain HTTP to the pretended GitHub, as the App or as an installation."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from tests.github_app import jwt


class Caller:
    """Plain HTTP over one connection."""

    def __init__(self, url: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
        self.url = url
        self.credential = f"Bearer {jwt()}"
        self.headers: dict[str, str] = {}

    def __call__(self, path: str, verb: str = "GET", body: Any = None) -> tuple[int, Any]:
        text = None if body is None else json.dumps(body)
        self.connection.request(verb, path, text, {"Authorization": self.credential})
        response = self.connection.getresponse()
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        read = response.read()
        return response.status, json.loads(read) if read else None

    def become(self, installation_id: int) -> None:
        self.credential = f"Bearer {jwt()}"
        self.credential = (
            f"token {self(f'/app/installations/{installation_id}/access_tokens', 'POST')[1]['token']}"
        )
