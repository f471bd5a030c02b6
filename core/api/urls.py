"""Paths of passes, workers and tokens, and of the description of the whole API."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.urls import path

from core.api.passes import PassRuns
from core.api.paths import endpoint
from core.api.schema import Documentation, Schema


urlpatterns = [
    *endpoint("passes/<str:name>/runs", PassRuns, name="api-pass-runs"),
    *endpoint("schema", Schema, name="api-schema"),
    # A page for people: who is not signed in is asked to, as on every page.
    path("docs/", login_required(Documentation.as_view()), name="api-docs"),
    path("docs", login_required(Documentation.as_view())),
]
