"""How the REST API behaves as a whole; its endpoints live in the apps."""

from __future__ import annotations

from typing import Any

from core.version import VERSION

REST_FRAMEWORK_SETTINGS: dict[str, Any] = {
    # The first one's challenge goes with a 401.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "core.api.authentication.TokenAuthentication",
        "core.api.authentication.BearerAuthentication",
        "core.api.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["core.api.permissions.NamedPermission"],
    "DEFAULT_THROTTLE_CLASSES": ["core.api.throttling.PerCaller"],
    "DEFAULT_PARSER_CLASSES": ["core.api.parsers.JsonBody"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "core.api.problems.answer_problem",
    # Names in paths and the Accept header say what is asked for; a query parameter does not.
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

API_DESCRIPTION: dict[str, Any] = {
    "TITLE": "Pullkeeper",
    "DESCRIPTION": "What is pending, what waits and why; claims for workers; passes. Errors are problem+json.",
    "VERSION": VERSION,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["core.api.permissions.NamedPermission"],
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    # Several answers have a member "state"; each keeps a name of its own.
    "ENUM_NAME_OVERRIDES": {"FateEnum": "monitor.api.explanations.FATES"},
    "PREPROCESSING_HOOKS": ["core.api.describing.document_one_form"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "core.api.describing.add_common_problems",
        "core.api.examples.add_examples",
    ],
}
