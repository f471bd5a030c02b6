"""Which handler works on which table: gather from GitHub, decide, act."""

from __future__ import annotations

from bot.handlers.comments import handle_comment
from bot.handlers.issues import handle_issue
from bot.handlers.others import acknowledge, handle_branch
from bot.handlers.pull_requests import handle_pull_request
from bot.services.working import Handler
from webhooks import models

HANDLERS: dict[type[models.PullRequest] | type, Handler] = {
    models.PullRequest: handle_pull_request,
    models.Comment: handle_comment,
    models.Issue: handle_issue,
    models.Branch: handle_branch,
    models.Push: acknowledge,
    models.Repository: acknowledge,
    models.Installation: acknowledge,
    models.User: acknowledge,
}
