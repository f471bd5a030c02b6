"""The pages, and what machines ask."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from monitor.views import deliveries, health, idle, installations, overview, passes, processing, repositories

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("processing/", processing.processing, name="processing"),
    path("processing/failed/", processing.failed, name="failed"),
    path("processing/<slug:table>/", processing.processing_rows, name="processing-rows"),
    path("idle/", idle.idle, name="idle"),
    path("repositories/", repositories.repositories, name="repositories"),
    path("installations/", installations.installations, name="installations"),
    path("deliveries/", deliveries.deliveries, name="deliveries"),
    path("deliveries/<int:sequence>/", deliveries.delivery, name="delivery"),
    path("deliveries/<int:sequence>/replay/", deliveries.delivery_replay, name="delivery-replay"),
    path("passes/", passes.passes, name="passes"),
    path("passes/<slug:name>/run/", passes.pass_run, name="pass-run"),
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("healthz/worker", health.healthz_worker, name="healthz-worker"),
]
