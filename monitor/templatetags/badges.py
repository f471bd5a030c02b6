"""One tag for each kind of state: a colour and a word, the same on every page."""

from __future__ import annotations

from typing import Any

from django import template

from monitor.values import DELIVERY_BADGES, IDLE_BADGES, OUTCOME_BADGES, PROCESSING_BADGES, badge_of

register = template.Library()

TEMPLATE = "monitor/_badge.html"


@register.inclusion_tag(TEMPLATE)
def processing_badge(state: str) -> dict[str, Any]:
    return {"badge": badge_of(PROCESSING_BADGES, state)}


@register.inclusion_tag(TEMPLATE)
def idle_badge(status: str) -> dict[str, Any]:
    return {"badge": badge_of(IDLE_BADGES, status)}


@register.inclusion_tag(TEMPLATE)
def delivery_badge(status: str) -> dict[str, Any]:
    return {"badge": badge_of(DELIVERY_BADGES, status)}


@register.inclusion_tag(TEMPLATE)
def outcome_badge(outcome: str) -> dict[str, Any]:
    return {"badge": badge_of(OUTCOME_BADGES, outcome)}
