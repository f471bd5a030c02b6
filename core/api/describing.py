"""What the schema says of endpoints, beyond what drf-spectacular reads from the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema

from core.api.problems import MEDIA_TYPE

PROBLEM = {"$ref": "#/components/schemas/Problem"}
PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Every error answer (RFC 9457).",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string", "description": "about:blank: the code says more."},
        "title": {"type": "string", "description": "The name of the status."},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "What happened, for programs."},
        "detail": {"type": "string", "description": "What happened, in a sentence."},
        "error": {"type": "string", "description": "The sentence again, where a client looks for it there."},
        "errors": {
            "type": "object",
            "description": "Bad input: the field, and what is wrong with it.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
}
ANY_TYPE = "*/*"
HTTP_METHODS = {"get", "post", "put", "delete"}
# What any endpoint may answer.
ALWAYS = {
    401: "No credentials, or credentials that are not in force.",
    403: "The caller lacks the permission, or a session's CSRF token is missing.",
    405: "The path has no such method.",
    406: "The answer cannot be had in the form that the Accept header asks for.",
    429: "Too many calls in this minute; Retry-After says when to go on.",
    500: "A fault of ours; it was logged.",
    503: "The database, or the issuer of the caller's token, does not answer. Try again.",
}
WITH_QUERY = {400: "The input is not valid; `errors` says why, by field."}
WITH_JSON = WITH_QUERY | {415: "The body is not JSON."}
WITH_BODY = {413: "The body is too large."}
WITH_NAME = {404: "There is no such thing."}


def describe(  # noqa: PLR0913 (one keyword for each thing that the schema says)
    summary: str,
    *,
    answer: Any,
    status: HTTPStatus = HTTPStatus.OK,
    body: Any = None,
    query: Any = None,
    example: Any = None,
    examples: Mapping[int, Any] | None = None,
    sends: Any = None,
    also: Mapping[int, str] | None = None,
    fails: Mapping[int, str] | None = None,
) -> Callable[[Any], Any]:
    """Describe one method of an endpoint: its answer, its input, examples of both, and its own failures.

    `answer`: a serializer (`Item(many=True)` for a plain array, `page_schema(Item)` for a page).
    `also`: further statuses of success, with the same answer. `fails`: status -> sentence; what every endpoint may
    answer is added by `add_common_problems`. `example` goes with `status`, `examples` with other ones, `sends` with the
    input; what is not given is made by core.api.examples.
    """
    sentences = {int(status): status.phrase, **(also or {})}
    successes = {code: OpenApiResponse(answer, description=text) for code, text in sentences.items()}
    failures = {
        (code, MEDIA_TYPE): OpenApiResponse(PROBLEM, description=text) for code, text in (fails or {}).items()
    }
    return extend_schema(
        summary=summary,
        request=body,
        parameters=[query] if query else [],
        responses={**successes, **failures},
        examples=_shown(summary, {int(status): example} | dict(examples or {}), sends),
    )


def _shown(summary: str, answers: Mapping[int, Any], sends: Any) -> list[OpenApiExample]:
    shown = [
        OpenApiExample(summary, value=value, response_only=True, status_codes=[str(code)])
        for code, value in answers.items()
        if value is not None
    ]
    return shown if sends is None else [*shown, OpenApiExample(summary, value=sends, request_only=True)]


def any_body(serializer: Any) -> dict[str, Any]:
    """Return the `body` of an endpoint of the existing client, whose content type says nothing."""
    return dict.fromkeys(("application/json", "application/x-www-form-urlencoded", ANY_TYPE), serializer)


def document_one_form(endpoints: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Leave the form of a path with a final slash out of the schema (drf-spectacular's PREPROCESSING_HOOKS)."""
    return [found for found in endpoints if not found[0].endswith("/")]


def add_common_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the error answers that endpoints have in common (drf-spectacular's POSTPROCESSING_HOOKS)."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
    components["responses"] = {
        f"Problem{status}": {"description": text, "content": {MEDIA_TYPE: {"schema": PROBLEM}}}
        for status, text in sorted((ALWAYS | WITH_JSON | WITH_BODY | WITH_NAME).items())
    }
    for path, methods in result["paths"].items():
        for method in HTTP_METHODS & methods.keys():
            _add_problems(path, methods[method])
    return result


def _add_problems(path: str, operation: dict[str, Any]) -> None:
    answers = operation["responses"]
    for status in _common(path, operation):
        answers.setdefault(str(status), {"$ref": f"#/components/responses/Problem{status}"})
    operation["responses"] = dict(sorted(answers.items()))


def _common(path: str, operation: Mapping[str, Any]) -> set[int]:
    statuses = set(ALWAYS)
    content = operation.get("requestBody", {}).get("content", {})
    if content:
        statuses |= WITH_BODY.keys()
    if content and ANY_TYPE not in content:
        statuses |= WITH_JSON.keys()
    if any(parameter["in"] == "query" for parameter in operation.get("parameters", [])):
        statuses |= WITH_QUERY.keys()
    return statuses | (WITH_NAME.keys() if "{" in path else set())
