"""HTTP in front of the service: keep-alive, no waiting for acknowledgements, and connections that break on
demand.
"""

from __future__ import annotations

import gzip
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from sandbox.server import control
from sandbox.server.faults import CLOSE_AFTER, CLOSE_BEFORE, CLOSE_WITHIN, COMPRESS, CONNECTION, DRIP
from sandbox.server.messages import Answer, Request
from sandbox.server.service import Service

DRIP_SECONDS = 0.05
CHUNK = 7


class Listener(ThreadingHTTPServer):
    """Serves a service on a local port."""

    daemon_threads = True

    def __init__(self, service: Service, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.service = service
        self.connections = 0
        self.url = f"http://127.0.0.1:{self.server_port}"
        service.base_url = self.url

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a client has gone away, as faults make it; anything else is a defect here."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "GitHub.com"
    sys_version = ""
    # Head and body are two writes; without this the second would wait for the first's acknowledgement.
    disable_nagle_algorithm = True
    server: Listener

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def _serve(self) -> None:
        request = self._request()
        service = self.server.service
        answer = control.answer(service, request) if control.is_for(request) else service.answer(request)
        self._send(answer)

    def _request(self) -> Request:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        return Request(
            verb=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length) if length else b"",
        )

    def _send(self, answer: Answer) -> None:
        headers, body = dict(answer.headers), answer.text.encode()
        how = headers.pop(CONNECTION, "")
        if how == CLOSE_BEFORE:
            self.close_connection = True
            return
        if how == COMPRESS:
            headers |= {"Content-Encoding": "gzip", "Transfer-Encoding": "chunked"}
        elif answer.status not in {204, 304}:
            headers["Content-Length"] = str(len(body))
        self.send_response_only(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self._send_body(body, how)

    def _send_body(self, body: bytes, how: str) -> None:
        if how == CLOSE_WITHIN:
            self.wfile.write(body[: len(body) // 2])
        elif how == COMPRESS:
            self._send_compressed(body)
        elif how == DRIP:
            for position in range(len(body)):
                self.wfile.write(body[position : position + 1])
                time.sleep(DRIP_SECONDS)
        else:
            self.wfile.write(body)
        self.close_connection |= how in {CLOSE_WITHIN, CLOSE_AFTER}

    def _send_compressed(self, body: bytes) -> None:
        """Send the body as GitHub itself usually does: compressed, in chunks of no foreseeable size."""
        packed = gzip.compress(body)
        for start in range(0, len(packed), CHUNK):
            part = packed[start : start + CHUNK]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *args: object) -> None:
        """Write nothing: the service keeps a log of its own."""
