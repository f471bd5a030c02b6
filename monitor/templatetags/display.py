"""Instants, spans, numbers and GitHub addresses in templates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.models import PassRun
from monitor import links, wording
from monitor.selectors import processing
from monitor.selectors.passes import duration_of

register = template.Library()


@register.simple_tag(takes_context=True)
def instant(context: Any, value: datetime | None, empty: str = "never") -> str | SafeString:
    """Show an instant as seen from the page's `now`, the exact one on hover."""
    if value is None:
        return empty
    return _time(value, wording.age(context["now"], value))


@register.simple_tag(takes_context=True)
def elapsed(context: Any, value: datetime) -> SafeString:
    """Show how long ago an instant was, the instant on hover: for sentences like "untouched for 3 d"."""
    return _time(value, wording.span(context["now"] - value))


@register.simple_tag(takes_context=True)
def turn(context: Any, value: datetime) -> SafeString:
    """Show in about how many hours a turn comes, the expected instant on hover."""
    return _time(value, wording.about_hours(context["now"], value))


@register.simple_tag(takes_context=True)
def page_time(context: Any) -> SafeString:
    """Show the time of day at which the page was made."""
    now = context["now"].astimezone(UTC)
    return _time(now, f"{now:%H:%M:%S} UTC")


@register.simple_tag
def step(value: datetime, unit: str) -> SafeString:
    """Show the beginning of a step of time: the day, or the day and the hour, in UTC."""
    utc = value.astimezone(UTC)
    return _time(value, f"{utc:%Y-%m-%d}" if unit == "day" else f"{utc:%m-%d %H:%M}")


def _time(value: datetime, words: str) -> SafeString:
    utc = value.astimezone(UTC)
    stamp = f"{utc:%Y-%m-%dT%H:%M:%SZ}"
    return format_html('<time datetime="{}" title="{}">{}</time>', stamp, wording.exact(utc), words)


@register.filter
def span(value: timedelta | None) -> str:
    return "" if value is None else wording.span(value)


@register.filter
def thousands(value: int) -> str:
    return f"{value:,}"


@register.filter
def in_words(counters: Mapping[str, Any]) -> list[tuple[str, str]]:
    return wording.counters(counters)


register.filter("last_line", wording.last_line)


@register.filter
def spaced(code: str) -> str:
    """Show a code of ours as words: "not_docs_only" as "not docs only"."""
    return code.replace("_", " ")


@register.filter
def duration(run: PassRun) -> str:
    return span(duration_of(run))


@register.simple_tag
def pull_request_url(row: Any) -> str:
    return links.pull_request_url(row.repository_owner, row.repository_name, row.number)


@register.simple_tag
def pull_request_page(row: Any) -> str:
    return pull_request_page_of(row.repository_owner, row.repository_name, row.number)


@register.simple_tag
def pull_request_page_of(owner: str, name: str, number: int) -> str:
    """Return the address of our own page about a pull request; GitHub's for names that no address of ours can hold."""
    if not links.has_page(owner, name):
        return links.pull_request_url(owner, name, number)
    return reverse("pull-request", args=[owner, name, number])


@register.simple_tag
def repository_url(row: Any) -> str:
    return links.repository_url(row.repository_owner, row.repository_name)


@register.simple_tag
def github_repository_url(owner: str, name: str) -> str:
    return links.repository_url(owner, name)


@register.simple_tag
def account_url(login: str) -> str:
    return links.account_url(login)


@register.filter
def github_address(row: Any) -> str:
    return processing.address_of(row)


@register.filter
def row_title(row: Any) -> str:
    return processing.title_of(row)
