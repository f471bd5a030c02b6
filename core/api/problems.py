"""Errors as problem+json (RFC 9457): `{type, title, status, code, detail}` and, for bad input, `errors` by field."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from typing import Any

import structlog
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response

log = structlog.get_logger(__name__)

DATABASE_PAUSE = 5
MEDIA_TYPE = "application/problem+json"


class ApiProblem(exceptions.APIException):
    """An error answer with a status, a code that programs compare and a sentence that people read."""

    wait: float | None = None

    def __init__(self, status: HTTPStatus, code: str, detail: str) -> None:
        super().__init__(detail, code)
        self.status_code = int(status)


def not_found(detail: str) -> ApiProblem:
    return ApiProblem(HTTPStatus.NOT_FOUND, "not_found", detail)


def conflict(code: str, detail: str) -> ApiProblem:
    return ApiProblem(HTTPStatus.CONFLICT, code, detail)


def unavailable(detail: str, *, wait: float) -> ApiProblem:
    """Return the answer "not now"; `wait` seconds later it may be different."""
    found = ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", detail)
    found.wait = wait
    return found


def unprocessable(code: str, detail: str) -> ApiProblem:
    return ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, code, detail)


def problem(status: int, code: str, detail: str, **more: Any) -> dict[str, Any]:
    """Return the body of an error answer."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        **more,
    }


def answer_problem(error: Exception, context: Mapping[str, Any]) -> Response:
    """Turn any error of an endpoint into its answer (REST_FRAMEWORK's EXCEPTION_HANDLER)."""
    known = _known(error)
    body = _body(known)
    if getattr(context["view"], "problems_have_error", False):
        body["error"] = body["detail"]
    return Response(body, status=known.status_code, headers=_headers(known), content_type=MEDIA_TYPE)


def _known(error: Exception) -> exceptions.APIException:
    match error:
        case exceptions.APIException():
            return error
        case Http404():
            return exceptions.NotFound()
        case PermissionDenied():
            return exceptions.PermissionDenied()
        case BadRequest():
            return exceptions.ParseError(str(error))
        case OperationalError() | InterfaceError():
            log.warning("database refused a request of the API", error=str(error))
            return unavailable("The database does not answer. Try again.", wait=DATABASE_PAUSE)
    log.error("endpoint failed", exc_info=error)
    return ApiProblem(HTTPStatus.INTERNAL_SERVER_ERROR, "fault", "A fault of ours; it was logged.")


def _body(error: exceptions.APIException) -> dict[str, Any]:
    if isinstance(error, exceptions.ValidationError):
        errors = _by_field(error.detail)
        first = next(iter(errors.items()), ("", ["The input is not valid."]))
        detail = f"{first[0]}: {first[1][0]}" if first[0] else first[1][0]
        return problem(error.status_code, "invalid", detail, errors=errors)
    code = error.get_codes()
    return problem(error.status_code, code if isinstance(code, str) else "error", str(error.detail))


def _by_field(detail: Any, path: str = "") -> dict[str, list[str]]:
    """Flatten nested errors to `{"steps.0.name": [sentences]}`."""
    if isinstance(detail, Mapping):
        parts = [(f"{path}.{name}" if path else str(name), value) for name, value in detail.items()]
    elif isinstance(detail, list) and any(isinstance(part, (Mapping, list)) for part in detail):
        parts = [(f"{path}.{number}" if path else str(number), value) for number, value in enumerate(detail)]
    else:
        sentences = detail if isinstance(detail, list) else [detail]
        return {path or "body": [str(sentence) for sentence in sentences]} if sentences else {}
    return {name: found for key, value in parts for name, found in _by_field(value, key).items()}


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(ceil(wait))
    return headers


@csrf_exempt
def unknown_path(_: HttpRequest, **__: Any) -> JsonResponse:
    """Answer a path under the API's prefix that is none of its endpoints."""
    body = problem(404, "not_found", "This API has no such path; /api/v1/docs/ lists them.")
    return JsonResponse(body, status=404, content_type=MEDIA_TYPE)
