"""Paths of passes, workers and tokens, and of the description of the whole API."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.urls import path

from core.api.me import Me
from core.api.passes import Passes, PassRuns
from core.api.paths import endpoint
from core.api.schema import Documentation, Schema
from core.api.tokens import TokenDetail, Tokens
from core.api.workers import WorkerRun, Workers

urlpatterns = [
    *endpoint("passes", Passes, name="api-passes"),
    *endpoint("passes/<str:name>/runs", PassRuns, name="api-pass-runs"),
    *endpoint("workers", Workers, name="api-workers"),
    *endpoint("workers/<str:name>/run", WorkerRun, name="api-worker-run"),
    *endpoint("me", Me, name="api-me"),
    *endpoint("tokens", Tokens, name="api-tokens"),
    *endpoint("tokens/<sequence:sequence>", TokenDetail, name="api-token"),
    *endpoint("schema", Schema, name="api-schema"),
    # A page for people: who is not signed in is asked to, as on every page.
    path("docs/", login_required(Documentation.as_view()), name="api-docs"),
    path("docs", login_required(Documentation.as_view())),
]
