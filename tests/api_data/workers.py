"""An external worker, and rows that wait for it."""

from __future__ import annotations

from typing import Any

from tests.contract.rows import make_row
from webhooks.models import PullRequest

PULLS = "pull-requests"


class Worker:
    """An external worker with an operator's token."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.client.post(f"/api/v1/{path}", {} if body is None else body, format="json")
        assert answer.status_code == status, answer.content
        return answer.json()

    def claim(self, entity: str = PULLS, **more: Any) -> Any:
        return self.post(f"{entity}/claim", {"worker": "builder 1.2"} | more)


def waiting(model: type[Any] = PullRequest, **columns: Any) -> Any:
    return make_row(model, **{"processing_state": "NEW"} | columns)
