"""The description of the API, and the page that shows it and tries it out."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import schemes  # noqa: F401 (importing registers)
from core.api.endpoints import Endpoint


class Schema(SpectacularAPIView, Endpoint):
    """`schema`: OpenAPI, as YAML or JSON after the Accept header."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        answer: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        return answer


class Documentation(SpectacularSwaggerSplitView):
    """`docs`: Swagger UI from this host's own files. It calls the API as the person who is signed in."""

    url_name = "api-schema"
    # A page, whose reader `login_required` has found; the schema that it loads asks for the permission.
    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    throttle_classes: list[Any] = []
