"""What other programs show of us: Prometheus, a badge in a README, a wall of screens."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from core import clock, registry
from core.access import tokens
from core.access.granting import permissions_of
from core.access.values import Permission
from core.registry import SettingSpec
from monitor.selectors.counts import counts
from monitor.selectors.metrics import families
from monitor.setting_specs import BADGE_PUBLIC, METRICS_PUBLIC

MINUTE = 60


class Present(Collector):
    """The metrics of one scrape."""

    def collect(self) -> Iterator[Metric]:
        return families(now=clock.now())


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Gauges for Prometheus: public by a Setting, else for a login or an API token that may read."""
    if not _may_read(request, METRICS_PUBLIC):
        sentence = (
            "Send an API token that may read (Authorization: Bearer <key>), or switch metrics.public on.\n"
        )
        return HttpResponse(sentence, status=403, content_type="text/plain; charset=utf-8")
    scrape = CollectorRegistry(auto_describe=False)
    scrape.register(Present())
    return HttpResponse(generate_latest(scrape), content_type=CONTENT_TYPE_LATEST)


@never_cache
@require_safe
def counts_json(request: HttpRequest) -> JsonResponse:
    """The counts of the overview as JSON."""
    _refuse_strangers(request)
    return JsonResponse(counts(now=clock.now()).as_json())


@require_safe
def badge(request: HttpRequest) -> HttpResponse:
    """The counts in one line, as a picture that other pages may show; caches may keep it for a minute."""
    _refuse_strangers(request)
    found = counts(now=clock.now())
    response = render(request, "monitor/badge.svg", {"counts": found}, content_type="image/svg+xml")
    response["Cache-Control"] = f"public, max-age={MINUTE}"
    # GitHub shows pictures of others through a proxy of its own.
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _refuse_strangers(request: HttpRequest) -> None:
    """Raise Http404 unless badges are public or the caller may read: a stranger does not learn that we are here."""
    if not _may_read(request, BADGE_PUBLIC):
        raise Http404


def _may_read(request: HttpRequest, public: SettingSpec[bool]) -> bool:
    return (
        registry.effective()[public]
        or request.user.has_perm(f"core.{Permission.READ}")
        or _token_may_read(request)
    )


def _token_may_read(request: HttpRequest) -> bool:
    """Tell whether the header Authorization holds an API token of somebody who may read, whatever its first word."""
    key = request.headers.get("Authorization", "").partition(" ")[2].strip()
    token = tokens.find(key) if key else None
    return token is not None and Permission.READ in permissions_of(token.user)
