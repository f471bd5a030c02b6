"""One row of any claimed table, with the columns that have no default."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

from webhooks import models

_numbers = itertools.count(1)

_NEEDED: dict[type[Any], Any] = {
    models.PullRequest: lambda n: {"node_id": f"PR_{n}", "number": n},
    models.Issue: lambda n: {"node_id": f"I_{n}", "number": n},
    models.Comment: lambda n: {"comment_id": n},
    models.Branch: lambda n: {"ref": f"branch-{n}"},
    models.Push: lambda n: {"head_commit_id": f"{n:040x}"},
    models.Repository: lambda n: {"github_id": n},
    models.Installation: lambda n: {"installation_id": n},
    models.User: lambda n: {"user_id": n},
}


def make_row(model: type[Any], **columns: Any) -> Any:
    number = next(_numbers)
    return model.objects.create(**{"delivery_id": uuid.uuid4()} | _NEEDED[model](number) | columns)
