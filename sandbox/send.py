"""Send one payload from a file: `python -m sandbox.send pull_request payload.json --secret-file secret`."""

from __future__ import annotations

import argparse
import http.client
import sys
import uuid
from pathlib import Path

from sandbox.sender import HOOK_ID, Answer, Sender, first_secret

RECEIVER = "http://127.0.0.1:8000/webhooks/github"
FIRST_REFUSAL = 400


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sandbox.send", description="Send one signed delivery.")
    parser.add_argument("event", help="the Event's name, such as pull_request")
    parser.add_argument("file", type=Path, help="the JSON payload; its bytes are signed and sent as they are")
    parser.add_argument("--url", default=RECEIVER, help="the receiver (default: %(default)s)")
    parser.add_argument("--secret-file", type=Path, required=True, help="file with the webhook secret")
    parser.add_argument("--guid", type=uuid.UUID, help="the delivery's GUID (default: a new one)")
    parser.add_argument("--hook-id", type=int, default=HOOK_ID, help="the hook's id (default: %(default)s)")
    return parser.parse_args(argv)


def deliver(options: argparse.Namespace) -> Answer:
    with Sender(options.url, first_secret(options.secret_file)) as sender:
        return sender.send_bytes(
            options.event, options.file.read_bytes(), guid=options.guid, hook_id=options.hook_id
        )


def main(argv: list[str] | None = None) -> int:
    """Print the receiver's answer; return 0 if it accepted the delivery, 1 if not or if none came."""
    options = arguments(argv)
    try:
        answer = deliver(options)
    except (OSError, ValueError, http.client.HTTPException) as error:
        print(f"Not delivered: {error}", file=sys.stderr)
        return 1
    print(f"{answer.status} {answer.body}")
    return 0 if answer.status < FIRST_REFUSAL else 1


if __name__ == "__main__":
    sys.exit(main())
