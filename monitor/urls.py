"""The pages, and what machines ask."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from monitor.views import (
    actions,
    bulk,
    deliveries,
    health,
    idle,
    installations,
    machines,
    merges,
    overview,
    passes,
    processing,
    pull_request,
    repositories,
    work_items,
)

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("trends/", overview.trends, name="trends"),
    path("processing/", processing.processing, name="processing"),
    path("processing/failed/", processing.failed, name="failed"),
    path("processing/<slug:table>/", processing.processing_rows, name="processing-rows"),
    path("idle/", idle.idle, name="idle"),
    path("idle/next/", idle.idle_next, name="idle-next"),
    path("pull-requests/", pull_request.search, name="pull-requests"),
    path(
        "pull-requests/<str:owner>/<str:name>/<int:number>/", pull_request.pull_request, name="pull-request"
    ),
    path("pull-requests/<int:sequence>/re-request/", pull_request.re_request, name="pull-request-re-request"),
    path("pull-requests/<int:sequence>/reset/", pull_request.reset_retries, name="pull-request-reset"),
    path("merges/", merges.merges, name="merges"),
    path("merges/verdicts/", merges.verdicts, name="merge-verdicts"),
    path("merges/ask/", merges.merge_ask, name="merge-ask"),
    path("merges/<int:sequence>/approve/", merges.merge_approve, name="merge-approve"),
    path("merges/<int:sequence>/reject/", merges.merge_reject, name="merge-reject"),
    path("merges/<int:sequence>/retry/", merges.merge_retry, name="merge-retry"),
    path("repositories/", repositories.repositories, name="repositories"),
    path("repositories/<int:github_id>/", repositories.repository, name="repository"),
    path("installations/", installations.installations, name="installations"),
    path("deliveries/", deliveries.deliveries, name="deliveries"),
    path("deliveries/<int:sequence>/", deliveries.delivery, name="delivery"),
    path("deliveries/<int:sequence>/replay/", deliveries.delivery_replay, name="delivery-replay"),
    path("passes/", passes.passes, name="passes"),
    path("passes/<slug:name>/run/", passes.pass_run, name="pass-run"),
    path("passes/<slug:name>/pause/", passes.pass_pause, name="pass-pause"),
    path("passes/<slug:name>/resume/", passes.pass_resume, name="pass-resume"),
    path("bulk/", bulk.jobs, name="bulk"),
    path("bulk/new/<slug:kind>/", bulk.prepare, name="bulk-prepare"),
    path("bulk/<int:sequence>/cancel/", bulk.cancel, name="bulk-cancel"),
    path("actions/", actions.actions, name="actions"),
    path("work-items/", work_items.work_items, name="work-items"),
    path("work-items/<int:sequence>/", work_items.work_item, name="work-item"),
    path("work-items/<int:sequence>/retry/", work_items.work_item_retry, name="work-item-retry"),
    path("work-items/<int:sequence>/cancel/", work_items.work_item_cancel, name="work-item-cancel"),
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("metrics", machines.metrics, name="metrics"),
    path("badge.svg", machines.badge, name="badge"),
    path("counts.json", machines.counts_json, name="counts-json"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("healthz/worker", health.healthz_worker, name="healthz-worker"),
]
