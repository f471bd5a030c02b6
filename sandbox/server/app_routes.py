"""What the App asks in its own name: itself, its installations, its hook's deliveries."""

from __future__ import annotations

from sandbox.resources import instant
from sandbox.server import answers
from sandbox.server.identity import SUSPENDED
from sandbox.server.messages import NOT_FOUND, Answer, ok
from sandbox.server.paging import cut, cut_by_cursor
from sandbox.server.routing import Asked, Routes, Who

routes = Routes()


@routes.on("GET", "/app", Who.APP)
def show_app(asked: Asked) -> Answer:
    return ok(answers.app(asked.state))


@routes.on("GET", "/app/installations", Who.APP)
def list_installations(asked: Asked) -> Answer:
    page, headers = cut(sorted(asked.state.installations), asked.request, asked.base_url)
    return ok([answers.installation(asked.state, number) for number in page], headers=headers)


@routes.on("GET", r"/app/installations/(?P<id>\d+)", Who.APP)
def show_installation(asked: Asked) -> Answer:
    if asked.part("id") not in asked.state.installations:
        return NOT_FOUND
    return ok(answers.installation(asked.state, asked.part("id")))


@routes.on("POST", r"/app/installations/(?P<id>\d+)/access_tokens", Who.APP)
def create_token(asked: Asked) -> Answer:
    installation = asked.state.installations.get(asked.part("id"))
    if installation is None:
        return NOT_FOUND
    if installation.suspended_at:
        return SUSPENDED
    text, token = asked.identities.new_token(installation.id, asked.now)
    body = {
        "token": text,
        "expires_at": instant(token.expires_at),
        "permissions": {"contents": "write", "metadata": "read", "pull_requests": "write"},
        "repository_selection": installation.selection,
    }
    return ok(body, 201)


@routes.on("GET", "/app/hook/deliveries", Who.APP)
def list_deliveries(asked: Asked) -> Answer:
    """The newest first. GitHub keeps three days of them; here they stay."""
    newest_first = sorted(asked.hook.attempts, reverse=True)
    page, headers = cut_by_cursor(newest_first, asked.request, asked.base_url)
    return ok([asked.hook.attempts[number].item() for number in page], headers=headers)


@routes.on("POST", r"/app/hook/deliveries/(?P<id>\d+)/attempts", Who.APP)
def redeliver(asked: Asked) -> Answer:
    return ok({}, 202) if asked.hook.repeat(asked.part("id")) else NOT_FOUND
