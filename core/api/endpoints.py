"""The two kinds of endpoints: this product's own, and those that an existing client calls."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import structlog
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.views import APIView

from core import archive
from core.access.values import Identity, Permission
from core.api.existing_client import AnyAccept, EscapedJson
from core.api.parsers import AnyBody
from core.api.permissions import permission_for

log = structlog.get_logger("core.access")


class Endpoint(APIView):
    """An endpoint of this product's own: JSON in, unknown fields refused, JSON or problem+json out."""

    # The schema describes the paths; OPTIONS would have nothing to add.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    # Method -> what the caller needs; a method that is not listed is for administrators alone.
    permissions: Mapping[str, Permission] = {"GET": Permission.READ}
    # True adds a top-level `error` to problems, for a client that looks there.
    problems_have_error = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Decide whether the caller may go on; the decision is a line in the log and an object of the audit (B5.30)."""
        try:
            super().initial(request, *args, **kwargs)
        except APIException as error:
            _record(self, request, "refused", reason=str(error.detail), status=error.status_code)
            raise
        _record(self, request, "granted")


class ExistingClientEndpoint(Endpoint):
    """An endpoint that the existing dashboard calls: any body is taken, and strings leave escaped for HTML."""

    parser_classes = [AnyBody]
    renderer_classes = [EscapedJson]
    content_negotiation_class = AnyAccept


def identity_of(request: Request) -> Identity:
    """Return who calls; only for endpoints, whose callers are always known."""
    identity = request.auth
    if not isinstance(identity, Identity):
        raise TypeError("An endpoint was reached without authentication.")
    return identity


def _record(view: Endpoint, request: Request, decision: str, **more: Any) -> None:
    facts, at = _facts(view, request) | {"decision": decision} | more, datetime.now(UTC)
    log.info("access", **facts)
    archive.keep({"at": at.isoformat(timespec="seconds"), "kind": "access", **facts}, at)


def _facts(view: Endpoint, request: Request) -> dict[str, Any]:
    # Asking a request for its caller authenticates anew after a failure, so only what is there is looked at.
    found = getattr(request, "_auth", None)
    identity = found if isinstance(found, Identity) else None
    return {
        "caller": identity.name if identity else "",
        "means": str(identity.means) if identity else "none",
        "method": request.method,
        "path": request.path,
        "needs": str(permission_for(view, request.method or "")),
    }
