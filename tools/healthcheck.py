"""Ask a running process how it is, for containers: exit status 0 for an answer below 400.

Django answers only to the names in ALLOWED_HOSTS and may demand https, so the question is put as the proxy
would put it.
"""

from __future__ import annotations

import argparse
import http.client
import os
import sys
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 5
FIRST_ERROR_STATUS = 400


def allowed_name() -> str:
    """Return a host name that the product answers to."""
    first = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    return first if first not in {"", "*"} else "127.0.0.1"


def status_of(url: str) -> int:
    """Return the HTTP status of a GET; raises OSError or HTTPException when there is no answer."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(
        parts.hostname or "127.0.0.1", parts.port, timeout=TIMEOUT_SECONDS
    )
    try:
        connection.request("GET", parts.path, headers={"Host": allowed_name(), "X-Forwarded-Proto": "https"})
        return connection.getresponse().status
    finally:
        connection.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="Exit with 0 when the URL answers below 400.")
    parser.add_argument("url")
    url = parser.parse_args().url
    try:
        status = status_of(url)
    except (OSError, http.client.HTTPException) as error:
        print(f"{url}: {error}", file=sys.stderr)
        return 1
    print(f"{url}: {status}")
    return int(status >= FIRST_ERROR_STATUS)


if __name__ == "__main__":
    sys.exit(main())
