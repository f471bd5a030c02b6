"""A pretended issuer of OIDC tokens with the claims of GitHub Actions: `python -m sandbox.issuer --help`.

GET  /.well-known/openid-configuration, /jwks       as any issuer
POST /_sandbox/token   {"claim": value, ...}        a signed token with these claims beside the usual ones
POST /_sandbox/rotate                               sign with a new key from now on; only that one is published
POST /_sandbox/fault   {"kind": ...}                spoil coming answers (FAULTS; "" = answer properly again)
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
import uuid
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

LIFETIME = 300
FAULTS = frozenset(
    {"", "closed", "error", "not json", "no object", "other issuer", "redirect", "huge", "no keys"}
)
Json = dict[str, Any]


class Issuer(ThreadingHTTPServer):
    """Serves one issuer on a local port; it is driven by its methods or over HTTP, and logs the paths asked for."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.fault = ""
        self.asked: list[str] = []
        self.rotate()

    def rotate(self) -> None:
        """Make the key anew; the old one is published no longer."""
        self.kid = uuid.uuid4().hex
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def token(self, **claims: Any) -> str:
        """Return a signed token: the claims of a workflow run, and those given in their place (None = left out)."""
        whole = {name: value for name, value in (self.usual_claims() | claims).items() if value is not None}
        return jwt.encode(whole, self.key, algorithm="RS256", headers={"kid": self.kid})

    def usual_claims(self) -> Json:
        """Return the claims as GitHub Actions words them, for a push to the main branch of octo/tools."""
        now = int(time.time())
        return {
            "iss": self.url,
            "aud": "https://github.com/octo",
            "sub": "repo:octo/tools:ref:refs/heads/main",
            "iat": now,
            "nbf": now,
            "exp": now + LIFETIME,
            "jti": str(uuid.uuid4()),
            "repository": "octo/tools",
            "repository_id": "800001",
            "repository_owner": "octo",
            "repository_visibility": "private",
            "ref": "refs/heads/main",
            "ref_protected": "true",
            "sha": "0" * 40,
            "workflow": "Deploy",
            "job_workflow_ref": "octo/tools/.github/workflows/deploy.yml@refs/heads/main",
            "event_name": "push",
            "environment": "production",
            "actor": "alice",
            "run_id": "1",
            "run_attempt": "1",
            "runner_environment": "github-hosted",
        }

    def discovery(self) -> Json:
        issuer = "https://elsewhere.example" if self.fault == "other issuer" else self.url
        return {
            "issuer": issuer,
            "jwks_uri": f"{self.url}/jwks",
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def published_keys(self) -> Json:
        if self.fault == "no keys":
            return {"keys": []}
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [key | {"kid": self.kid, "use": "sig", "alg": "RS256"}]}


class _Handler(BaseHTTPRequestHandler):
    server: Issuer

    def do_GET(self) -> None:
        issuer = self.server
        issuer.asked.append(self.path)
        answers = {"/.well-known/openid-configuration": issuer.discovery, "/jwks": issuer.published_keys}
        if self.path not in answers:
            self._send(404, b"{}")
        elif not self._spoilt():
            self._send(200, json.dumps(answers[self.path]()).encode())

    def _spoilt(self) -> bool:
        match self.server.fault:
            case "closed":
                self.close_connection = True
            case "error":
                self._send(503, b"{}")
            case "not json":
                self._send(200, b"<html>")
            case "no object":
                self._send(200, b"[]")
            case "huge":
                self._send(200, b" " * 1_000_000)
            case "redirect":
                self._send(302, b"", Location=f"{self.server.url}/jwks?elsewhere")
            case _:
                return False
        return True

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        made = self._driven(self.path.removeprefix("/_sandbox/"), given)
        self._send(200 if made is not None else 422, json.dumps(made).encode())

    def _driven(self, what: str, given: Json) -> Json | None:
        issuer = self.server
        match what:
            case "token":
                return {"value": issuer.token(**given)}
            case "rotate":
                issuer.rotate()
                return {"kid": issuer.kid}
            case "fault" if given.get("kind") in FAULTS:
                issuer.fault = given["kind"]
                return {"kind": issuer.fault}
        return None

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response_only(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Write nothing."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m sandbox.issuer", description="Pretend to issue OIDC tokens."
    )
    parser.add_argument("--port", type=int, default=0, help="the port to serve (default: any free one)")
    with Issuer(parser.parse_args(argv).port) as issuer:
        print(f"Tokens are issued by {issuer.url}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            issuer.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
